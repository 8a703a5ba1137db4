"""An issuer of customers' tokens: its key set over HTTP, its keys, and every kind of token that must be refused."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

ISSUER = "https://login.shop.example"
AUDIENCE = "youju"

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | Ed25519PrivateKey


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def public_jwk(key: PrivateKey, key_id: str, **more: str) -> dict[str, Any]:  # JSON
    public = key.public_key()
    if isinstance(public, rsa.RSAPublicKey):
        body: dict[str, Any] = json.loads(RSAAlgorithm.to_jwk(public))  # as above
    elif isinstance(public, ec.EllipticCurvePublicKey):
        body = json.loads(ECAlgorithm.to_jwk(public))
    else:
        body = json.loads(OKPAlgorithm.to_jwk(public))
    return {**body, "kid": key_id, **more}


class Issuer:
    """Signs tokens and serves its key set; `status` other than 200 is trouble."""

    def __init__(self) -> None:
        self.keys: dict[str, PrivateKey] = {"first": rsa_key()}
        self.status = 200
        self.asked = 0
        self.usual: dict[str, object] = {}

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/keys", self._serve), Route("/moved", self._serve)])

    async def _serve(self, request: Request) -> Response:
        self.asked += 1
        if self.status in (301, 302):
            return Response(status_code=self.status, headers={"Location": str(request.url_for("_serve"))})
        body = {"keys": [public_jwk(key, key_id) for key_id, key in self.keys.items()]}
        return JSONResponse(body, self.status)

    def sign(self, *, key_id: str = "first", algorithm: str = "RS256", **claims: object) -> str:
        head = {"kid": key_id}
        return jwt.encode(claims_of(**{**self.usual, **claims}), self.keys[key_id], algorithm=algorithm, headers=head)


def claims_of(**claims: object) -> dict[str, Any]:  # JSON
    now = datetime.now(UTC)
    usual: Mapping[str, object] = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "customer-17",
        "iat": now,
        "exp": now + timedelta(minutes=10),
    }
    return {name: value for name, value in {**usual, **claims}.items() if value is not None}


def bad_tokens(issuer: Issuer) -> dict[str, str]:
    """Give one token of each kind that must be refused, by what is wrong with it."""
    now, hour = datetime.now(UTC), timedelta(hours=1)
    good = issuer.sign()
    head, body, signature = good.split(".")
    public = issuer.keys["first"].public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    stranger = Issuer()
    return {
        "none": jwt.encode(claims_of(), "", algorithm="none", headers={"kid": "first"}),
        "public key as secret": _hmac(pem),
        "another algorithm": issuer.sign(algorithm="RS512"),
        "wrong audience": issuer.sign(aud="somebody-else"),
        "wrong issuer": issuer.sign(iss="https://login.evil.example"),
        "no audience": issuer.sign(aud=None),
        "expired": issuer.sign(iat=now - 2 * hour, exp=now - hour),
        "of the future": issuer.sign(nbf=now + hour),
        "issued in the future": issuer.sign(iat=now + hour, exp=now + 2 * hour),
        "without an end": issuer.sign(exp=None),
        "valid for too long": issuer.sign(exp=now + timedelta(days=30)),
        "tampered": f"{head}.{body[:-4]}AAAA.{signature}",
        "unsigned": f"{head}.{body}.",
        "foreign key": stranger.sign(),
        "unknown key": jwt.encode(claims_of(), stranger.keys["first"], algorithm="RS256", headers={"kid": "new"}),
        "no key id": jwt.encode(claims_of(), issuer.keys["first"], algorithm="RS256"),
        "key in the token": jwt.encode(
            claims_of(),
            stranger.keys["first"],
            algorithm="RS256",
            headers={"jwk": public_jwk(stranger.keys["first"], "mine")},
        ),
        "no subject": issuer.sign(sub=None),
        "empty subject": issuer.sign(sub=""),
        "subject of a guest": issuer.sign(sub=f"cus_{'0' * 32}"),
        "wrong tenant": issuer.sign(shop="somebody-else"),
        "unknown channel": issuer.sign(channel="pigeon"),
        "segments that are none": issuer.sign(segments=[1, 2]),
        "too many segments": issuer.sign(segments=[f"s{number}" for number in range(51)]),
        "facts that are none": issuer.sign(facts={"order": {"status": "paid"}}),
        "enormous": issuer.sign(padding="x" * 9000),
        "garbage": "not.a.token",
    }


def _hmac(secret: bytes) -> str:
    # The library itself refuses to sign with a public key; an attacker's does not.
    head, body, _ = jwt.encode(claims_of(), "x" * 32, algorithm="HS256", headers={"kid": "first"}).split(".")
    signature = hmac.new(secret, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
