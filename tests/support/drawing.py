"""Lets drawn examples take as long as they take: how fast a machine is right now is no property of the product."""

from hypothesis import HealthCheck, settings

# What the environment chose (in CI the same examples each time) stays as it is.
settings.register_profile("youju", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("youju")
