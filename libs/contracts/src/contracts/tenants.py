"""What an installation says about each tenant: one reviewed file, read by all services."""

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
    helpdesk: str = Field(default="desk", description="Where its tickets go: a helpdesk that ticketing's settings name")
    masked_in_tickets: tuple[PersonalDataKind, ...] = Field(
        default=("id-card", "bank-card", "iban", "social-security", "passport", "driver-licence"),
        description="What customers' texts lose before they reach a helpdesk; phone, email, address and name stay",
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


class TenantsFile(BaseModel):
    """The file: tenant key to tenant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenants: dict[str, Tenant]
