"""What an installation says about each tenant: one reviewed file, read by knowledge and bff."""

from pydantic import BaseModel, ConfigDict, Field

from contracts.reasons import RefusalReason


class Tenant(BaseModel):
    """One company whose policies and customers are kept apart from all others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    time_zone: str = "Asia/Shanghai"
    channels: tuple[str, ...] = ("web",)
    allowed_origins: tuple[str, ...] = Field(default=(), description="Empty: same-origin pages and non-browsers only")
    auto_escalate: tuple[RefusalReason, ...] = ()
    past_dates: bool = Field(default=False, description="Whether customers may ask about an earlier day")


class TenantsFile(BaseModel):
    """The file: tenant key to tenant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenants: dict[str, Tenant]
