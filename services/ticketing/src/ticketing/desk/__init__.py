"""The built-in desk: tickets for installations without a helpdesk of their own."""
