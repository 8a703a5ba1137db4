"""What an installation says about each tenant: one reviewed file, read by all services."""

from collections import Counter
from decimal import Decimal
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contracts.reasons import RefusalReason

PersonalDataKind = Literal[
    "id-card",
    "bank-card",
    "phone",
    "email",
    "iban",
    "social-security",
    "passport",
    "driver-licence",
    "plate",
    "address",
    "name",
]


# What of a verified token may go to a helpdesk, so that a person can reach the customer.
ContactKind = Literal["name", "email", "phone"]


class NoticeRoutes(BaseModel):
    """Where notices to a tenant's knowledge owners go. Without any they are only listed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    webhook_url: str | None = Field(default=None, pattern=r"^(https://|http://(localhost|127\.0\.0\.1)[:/])[^\s]+$")
    webhook_secret_file: str | None = Field(default=None, description="A file with the `whsec_…` the receiver knows")
    email: tuple[str, ...] = Field(default=(), description="Addresses; needs the SMTP settings of knowledge")

    @model_validator(mode="after")
    def _a_webhook_is_signed(self) -> Self:
        if self.webhook_url is not None and self.webhook_secret_file is None:
            raise ValueError("a webhook needs webhook_secret_file: receivers must be able to check who sends")
        return self


# Symmetric algorithms are not among them: whoever can verify could sign.
TokenAlgorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]


class CustomerTokens(BaseModel):
    """Whose tokens prove who a tenant's customers are, and what is read out of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: str = Field(min_length=1, description="The exact `iss` of the tokens")
    audience: str = Field(min_length=1, description="What must be among their `aud`")
    jwks_url: str = Field(pattern=r"^(https://|http://(localhost|127\.0\.0\.1)[:/])[^\s]+$")
    algorithms: tuple[TokenAlgorithm, ...] = Field(default=("RS256",), min_length=1)
    skew_seconds: int = Field(default=30, ge=0, le=300, description="How far the issuer's clock may be off")
    longest_life_seconds: int = Field(default=86_400, ge=60, description="Tokens that are valid for longer are refused")
    tenant_claim: str | None = Field(default=None, description="A claim that must be the tenant's key")
    segments_claim: str | None = Field(default=None, description="A claim with the audience segments of the customer")
    facts_claim: str | None = Field(default=None, description="A claim with business facts: an object of strings")
    facts: tuple[str, ...] | None = Field(
        default=None, description="Which of these facts count and are kept, by their keys; None: each of them"
    )
    channel_claim: str | None = Field(default=None, description="A claim with the channel; else the tenant's first")


class ReviewSampling(BaseModel):
    """Which share of attempts with weak evidence reviewers look at. What failed validation they see anyway."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: float = Field(default=1.0, ge=0, le=1, description="Of answers from evidence of low strength")
    medium: float = Field(default=0.1, ge=0, le=1, description="Of attempts in the middle band, refused ones included")


class Tenant(BaseModel):
    """One company whose policies and customers are kept apart from all others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    time_zone: str = "Asia/Shanghai"
    channels: tuple[str, ...] = ("web",)
    allowed_origins: tuple[str, ...] = Field(default=(), description="Empty: same-origin pages and non-browsers only")
    auto_escalate: tuple[RefusalReason, ...] = ()
    customers: CustomerTokens | None = Field(default=None, description="Without it, all customers are guests")
    retention_days: int | None = Field(
        default=None, ge=1, description="Conversations in which nothing was said for so long are erased; None: never"
    )
    asks_per_minute: int | None = Field(default=None, ge=1, description="Of all its customers together")
    helpdesk: str = Field(default="desk", description="Where its tickets go: a helpdesk that ticketing's settings name")
    masked_in_tickets: tuple[PersonalDataKind, ...] = Field(
        default=("id-card", "bank-card", "iban", "social-security", "passport", "driver-licence"),
        description="What customers' texts lose before they reach a helpdesk; phone, email, address and name stay",
    )
    contact_in_tickets: tuple[ContactKind, ...] = Field(
        default=(), description="What of a customer's token goes to the helpdesk; guests have nothing"
    )
    second_arm: bool = Field(default=True, description="Whether passages also get a second embedder's vectors")
    keep_originals: bool = Field(
        default=True, description="Whether the imported files themselves are kept, encrypted, for owners to fetch"
    )
    past_dates: bool = Field(default=False, description="Whether customers may ask about an earlier day")
    notices: NoticeRoutes = NoticeRoutes()
    review: ReviewSampling = ReviewSampling()
    writer: Literal["extractive", "openai"] = Field(
        default="extractive", description="Who words this tenant's answers; openai where the installation names a model"
    )
    writer_daily_budget: Decimal | None = Field(
        default=None, ge=0, description="What models may cost on a day of the tenant; None: what the installation says"
    )
    second_opinion: bool = Field(
        default=False,
        description="Whether the second model may decide about claims that code cannot, where one is named",
    )
    checker_rate: float = Field(
        default=0, ge=0, le=1, description="Share of answers a second model checks, where the installation names one"
    )


class TenantsFile(BaseModel):
    """The file: tenant key to tenant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenants: dict[str, Tenant]

    @model_validator(mode="after")
    def _a_token_names_one_tenant(self) -> Self:
        trusting = {key: tenant.customers for key, tenant in self.tenants.items() if tenant.customers is not None}
        places = Counter((tokens.issuer, tokens.audience) for tokens in trusting.values())
        for key, tokens in trusting.items():
            if places[tokens.issuer, tokens.audience] > 1 and tokens.tenant_claim is None:
                raise ValueError(f"{key}: shares issuer and audience with another tenant, so it needs tenant_claim")
        return self
