"""A local installation begins with the tenants of the container stack and keeps what is added."""

from pathlib import Path

import pytest

from contracts.tenants import Tenant
from runtime.tenants import read_tenants
from youju.home import CHECKOUT
from youju.tenants import DEMO, add_tenant, known_tenants, make_tenants_file
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


def test_a_new_installation_has_the_tenants_of_the_container_stack(tmp_path: Path) -> None:
    make_tenants_file(tmp_path / "tenants.yaml")

    of_containers = read_tenants(CHECKOUT / "deploy/images/tenants.yaml").tenants
    assert known_tenants(tmp_path / "tenants.yaml") == of_containers
    assert DEMO in of_containers


def test_a_file_that_cannot_be_written_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "closed").touch()

    with pytest.raises(Trouble, match="cannot be written"):
        add_tenant(tmp_path / "closed/tenants.yaml", "other", Tenant(name="Other"))


def test_a_tenant_that_was_added_stays_at_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "tenants.yaml"
    make_tenants_file(file)
    add_tenant(file, "other", Tenant(name="Other"))

    make_tenants_file(file)

    assert set(known_tenants(file)) == {DEMO, "other"}
