"""Talk to Youju's customer API. It knows the published contract alone, and nothing of the services behind it."""

from youju_client.client import YoujuClient, open_client, open_guest
from youju_client.errors import ConnectionLostError, ProblemError, YoujuClientError

__all__ = ["ConnectionLostError", "ProblemError", "YoujuClient", "YoujuClientError", "open_client", "open_guest"]
