"""Say where a running installation is and how to ask it from a shell."""

from collections.abc import Mapping

from youju.environment import port_of
from youju.tenants import DEMO

_QUESTION = "能退吗，运费谁承担？"


def customer_url(environment: Mapping[str, str]) -> str:
    """Return the address of the customer API and page."""
    return _url("BFF", environment)


def staff_url(environment: Mapping[str, str]) -> str:
    """Return the address of the staff API."""
    return _url("KNOWLEDGE", environment)


def desk_url(environment: Mapping[str, str]) -> str:
    """Return the address of the staff API of tickets."""
    return _url("TICKETING", environment)


def _url(service: str, environment: Mapping[str, str]) -> str:
    given = environment.get(f"YOUJU_{service}_URL")
    return given or f"http://127.0.0.1:{port_of(f'YOUJU_{service}_PORT', environment)}"


def welcome(environment: Mapping[str, str]) -> str:
    """Return what to open and what to paste."""
    url = customer_url(environment)
    return f"""
  Customer page   {url}/
  API docs        {url}/docs

  Ask from a shell:

{curl_sequence(url)}
"""


def curl_sequence(url: str) -> str:
    """Return a sequence of curl calls that opens a session and a conversation and asks; it needs no other tool."""
    field = """sed 's/.*"{}" *: *"\\([^"]*\\)".*/\\1/'"""
    return f"""B={url}/v1 J='content-type: application/json'
T=$(curl -s $B/sessions -H "$J" -d '{{"tenant":"{DEMO}"}}' | {field.format("token")})
C=$(curl -s -X POST $B/conversations -H "authorization: Bearer $T" | {field.format("conversationId")})
curl -s $B/conversations/$C/attempts -H "authorization: Bearer $T" -H "$J" -d '{{"question":"{_QUESTION}"}}'"""
