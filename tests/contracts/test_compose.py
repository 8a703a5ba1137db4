"""The container files describe the same system as the local installation, and carry no secret."""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Final, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from bff.settings import BffSettings
from knowledge.settings import WorkerSettings
from runtime.settings import ServiceSettings
from ticketing.settings import TicketingSettings
from youju.embedded.postgres import configuration
from youju.table import SYSTEM

pytestmark = pytest.mark.unit

CHECKOUT: Final = Path(__file__).resolve().parents[2]
COMPOSE: Final = (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8")
DOCKERFILE: Final = (CHECKOUT / "Dockerfile").read_text(encoding="utf-8")
EXAMPLE: Final = (CHECKOUT / ".env.example").read_text(encoding="utf-8")

_UNREACHABLE: Final = "it listens on loopback, which nobody outside of a container reaches"
NOT_OF_ONE_SERVICE: Final = {
    "YOUJU_READY_FILE",
    "YOUJU_PROBE_URL",
    "YOUJU_ADMIN_DATABASE_URL",
    "YOUJU_SECRETS_DIRECTORY",
    "YOUJU_HOME",
    "POSTGRES_PASSWORD",
    "REDISCLI_AUTH",
    "FORWARDED_ALLOW_IPS",
    "YOUJU_CONFIG",
    "YOUJU_KNOWLEDGE_URL",
    "YOUJU_BFF_URL",
    "YOUJU_TICKETING_URL",
}
# What users of the containers cannot set, and why.
LEFT_OUT: Final = {
    "YOUJU_BFF_PAGE_DIRECTORY": "the image has the page and says where",
    "YOUJU_BFF_PULSE_METRICS_PORT": _UNREACHABLE,
    "YOUJU_KNOWLEDGE_HEAD_FILE": "containers write no files; heads go to YOUJU_KNOWLEDGE_HEAD_URL",
    "YOUJU_KNOWLEDGE_PULSE_METRICS_PORT": _UNREACHABLE,
    "YOUJU_TICKETING_PULSE_METRICS_PORT": _UNREACHABLE,
    "YOUJU_TICKETING_WORKER_METRICS_PORT": _UNREACHABLE,
}


class Dependency(BaseModel):
    model_config = ConfigDict(extra="forbid")

    condition: Literal["service_healthy", "service_completed_successfully"]


class Build(BaseModel):
    model_config = ConfigDict(extra="forbid")

    context: str
    args: dict[str, str]


class Mount(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str
    target: str


class Service(BaseModel):
    """What we use of a service; an unknown key is a slip."""

    model_config = ConfigDict(extra="forbid")

    image: str
    build: Build | None = None
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    network_mode: str = ""
    environment: dict[str, str | None] = Field(default_factory=dict)
    depends_on: dict[str, Dependency] = Field(default_factory=dict)
    configs: tuple[Mount, ...] = ()
    volumes: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    healthcheck: dict[str, object] = Field(default_factory=dict)
    restart: str
    stop_grace_period: str = ""
    shm_size: str = ""
    init: bool = False
    read_only: bool = False
    tmpfs: tuple[str, ...] = ()
    cap_drop: tuple[str, ...] = ()
    security_opt: tuple[str, ...] = ()

    @property
    def is_healthy_at_some_time(self) -> bool:
        return "test" in self.healthcheck or (self.build is not None and "disable" not in self.healthcheck)


class Stack(BaseModel):
    name: str
    services: dict[str, Service]
    configs: dict[str, dict[str, str]]
    volumes: dict[str, None]
    networks: dict[str, dict[str, bool]]


class _StrictLoader(yaml.SafeLoader):
    """Refuses a mapping that says the same key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:  # noqa: FBT001, FBT002
        written = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        doubled = {key for key in written if written.count(key) > 1}
        assert not doubled, f"{doubled} is written twice near line {node.start_mark.line + 1}"
        return super().construct_mapping(node, deep=deep)


@pytest.fixture(scope="module")
def stack() -> Stack:
    return Stack.model_validate(yaml.load(COMPOSE, Loader=_StrictLoader))  # noqa: S506 - a subclass of the safe loader


def test_every_process_of_the_system_is_a_container(stack: Stack) -> None:
    commands = {name: service.command for name, service in stack.services.items()}

    assert {part.name: ("python", "-m", part.module) for part in SYSTEM.parts}.items() <= commands.items()
    assert {("python", "-m", module) for module in SYSTEM.migrations} <= set(commands.values())


def test_every_reference_names_something_that_is_declared(stack: Stack) -> None:
    services = stack.services.values()

    assert {name for each in services for name in each.depends_on} <= set(stack.services)
    assert {mount.source for each in services for mount in each.configs} == set(stack.configs)
    mounted = {volume.partition(":")[0] for each in services for volume in each.volumes}
    assert {source for source in mounted if not source.startswith(("./", "${"))} == set(stack.volumes)
    assert {each.network_mode.removeprefix("service:") for each in services} - {""} <= set(stack.services)
    assert {name for each in services for name in each.networks} == set(stack.networks) | {"default"}


def test_a_container_waits_only_for_what_can_come_true(stack: Stack) -> None:
    for service in stack.services.values():
        for name, dependency in service.depends_on.items():
            awaited = stack.services[name]
            if dependency.condition == "service_healthy":
                assert awaited.is_healthy_at_some_time, name
            else:
                assert awaited.restart == "no", name


def test_everything_that_stays_up_has_a_health_check(stack: Stack) -> None:
    running = {name for name, service in stack.services.items() if service.restart != "no"}

    assert {name for name in running if not stack.services[name].is_healthy_at_some_time} == set()


def test_every_process_says_how_it_is_probed(stack: Stack) -> None:
    for part in SYSTEM.parts:
        wanted = "YOUJU_PROBE_URL" if part.port_setting else "YOUJU_READY_FILE"

        assert wanted in stack.services[part.name].environment, part.name


def test_our_containers_run_without_rights(stack: Stack) -> None:
    for name, service in stack.services.items():
        if service.build is not None:
            assert service.read_only, name
            assert service.cap_drop == ("ALL",), name
            assert service.security_opt == ("no-new-privileges:true",), name


def test_ports_are_published_on_this_machine_only(stack: Stack) -> None:
    published = [port for service in stack.services.values() for port in service.ports]

    assert len(published) == 3
    assert all(port.startswith("127.0.0.1:") for port in published)


def _names(kind: type[ServiceSettings]) -> set[str]:
    prefix = str(kind.model_config.get("env_prefix"))
    fields = kind.model_fields.items()
    return {str(field.validation_alias or f"{prefix}{name}".upper()) for name, field in fields}


def test_every_variable_is_a_setting_that_somebody_reads(stack: Stack) -> None:
    known = _names(WorkerSettings) | _names(BffSettings) | _names(TicketingSettings) | NOT_OF_ONE_SERVICE

    given = {name for service in stack.services.values() for name in service.environment}

    assert {name for name in given if name.removesuffix("_FILE") not in known and name not in known} == set()


@pytest.mark.parametrize(
    ("service", "kind"), [("knowledge", WorkerSettings), ("bff", BffSettings), ("ticketing", TicketingSettings)]
)
def test_every_setting_reaches_every_process_or_is_left_out_with_a_reason(
    stack: Stack, service: str, kind: type[ServiceSettings]
) -> None:
    processes = [f"{service}-migrations", *(part.name for part in SYSTEM.parts if part.name.startswith(service))]
    said = [set(stack.services[each].environment) for each in processes]
    given = [names | {name.removesuffix("_FILE") for name in names} for names in said]
    of_one_process = {f"YOUJU_{service}_{name}".upper() for name in ("host", "port", "owner_database_url")}

    assert _names(kind) - set.intersection(*given) - of_one_process - LEFT_OUT.keys() == set()
    assert of_one_process <= set.union(*given)
    assert set.union(*given).isdisjoint(LEFT_OUT)


def test_what_is_left_out_is_a_setting() -> None:
    assert _names(WorkerSettings) | _names(BffSettings) | _names(TicketingSettings) >= LEFT_OUT.keys()


@pytest.mark.parametrize("service", ["knowledge", "bff", "ticketing"])
def test_every_service_has_a_settings_file_of_its_own(stack: Stack, service: str) -> None:
    for name in (f"{service}-migrations", *(part.name for part in SYSTEM.parts if part.name.startswith(service))):
        process = stack.services[name]
        files = {mount.target: mount.source for mount in process.configs}

        assert files[process.environment["YOUJU_CONFIG"] or ""] == service


def test_the_operator_reaches_every_service(stack: Stack) -> None:
    said = stack.services["operator"].environment

    for name, port in (("knowledge", "8101"), ("bff", "8100"), ("ticketing", "8102")):
        assert said[f"YOUJU_{name.upper()}_URL"] == f"http://{name}:{port}"
        assert stack.services[name].environment[f"YOUJU_{name.upper()}_PORT"] == port


def test_customers_behind_a_proxy_can_be_told_apart(stack: Stack) -> None:
    assert "${YOUJU_TRUSTED_PROXIES" in (stack.services["bff"].environment["FORWARDED_ALLOW_IPS"] or "")


def test_only_migrations_see_the_owner_of_a_database(stack: Stack) -> None:
    allowed = {"prepare", "knowledge-migrations", "bff-migrations", "ticketing-migrations"}

    seeing = {name for name, service in stack.services.items() if "migrations-secrets" in str(service.volumes)}

    assert seeing == allowed


def test_every_password_is_required_and_none_is_committed(stack: Stack) -> None:
    required = set(re.findall(r"\$\{(YOUJU_\w+):\?", COMPOSE))
    plain = set(re.findall(r"\$\{(YOUJU_\w+)\}", COMPOSE))
    secret = [f"{name}={text}" for each in stack.services.values() for name, text in each.environment.items() if text]

    assert plain <= required == {"YOUJU_POSTGRES_PASSWORD", "YOUJU_VALKEY_PASSWORD"}
    assert [line for line in secret if re.search(r"PASSWORD=|AUTH=|://.*@", line) and "${YOUJU_" not in line] == []


def test_no_process_is_given_a_secret_as_an_argument(stack: Stack) -> None:
    said = {name: " ".join((*each.entrypoint, *each.command)) for name, each in stack.services.items()}

    assert {name for name, words in said.items() if "PASSWORD" in words} == set()


def test_the_example_names_every_variable_of_the_stack_and_gives_no_secret(stack: Stack) -> None:
    written = set(re.findall(r"\$\{(YOUJU_\w+)", COMPOSE))
    passed_on = {name for each in stack.services.values() for name, text in each.environment.items() if text is None}

    assert written <= set(re.findall(r"(?m)^(?:# )?(YOUJU_\w+)=", EXAMPLE)) <= written | passed_on
    assert re.findall(r"(?m)^\w*PASSWORD=(.+)$", EXAMPLE) == []


def test_every_image_is_a_stage_of_the_dockerfile(stack: Stack) -> None:
    stages = set(re.findall(r"(?m)^FROM \S+ AS (\w+)$", DOCKERFILE))

    assert {service.build.args["SERVICE"] for service in stack.services.values() if service.build} <= stages


def test_postgres_plans_as_that_of_a_checkout_does(stack: Stack) -> None:
    said = dict(word.split("=") for word in stack.services["postgres"].command if "=" in word)

    assert {"max_connections", "work_mem", "random_page_cost", "jit"} <= said.keys()
    assert said.items() <= configuration(Path()).items()


def test_the_dockerfile_keeps_to_the_classic_builder() -> None:
    assert re.findall(r"(?m)^# *syntax|<<|--mount|--link|--chmod", DOCKERFILE) == []


def test_the_image_is_built_from_hashes_and_runs_without_root() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]

    assert "--require-hashes --requirement requirements/run.lock" in DOCKERFILE
    assert all(
        "PIP_NO_INDEX=1" in DOCKERFILE.partition(install)[0]
        for install in re.findall(r"pip install [^\n]+", DOCKERFILE)
    )
    assert re.findall(r"(?m)^USER (\w+)$", final) == ["10001"]
    assert "\nHEALTHCHECK " in final


def test_what_the_dockerfile_copies_exists_and_is_not_ignored() -> None:
    ignored = (CHECKOUT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = tuple(line.removeprefix("!") for line in ignored if line.startswith("!"))
    copied = [source for line in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", DOCKERFILE) for source in line.split()]

    assert [source for source in copied if not (CHECKOUT / source).exists()] == []
    assert [source for source in copied if not source.startswith(allowed)] == []
