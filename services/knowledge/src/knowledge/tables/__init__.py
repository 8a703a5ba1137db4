"""Describe the tables of knowledge. Every one of them has a tenant and forced row-level security.

The migrations hold the DDL; these modules are what the stores write their statements with.
"""
