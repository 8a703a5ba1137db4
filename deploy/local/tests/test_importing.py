"""An import sends everything, waits for its end, and shows each problem with file and field."""

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel

from youju.http import checked
from youju.importing import import_material
from youju.manifest import with_manifest
from youju.material import gather_file, gather_folder
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_PROBLEM: dict[str, object] = {
    "path": "a.md",
    "field": "effective_from",
    "code": "DATE",
    "sentence": "This is not a date.",
}


class Sent(BaseModel):
    files: list[dict[str, object]]


class FakeKnowledge:
    """The staff API of imports, remembering what it was sent."""

    def __init__(self) -> None:
        self.received: list[dict[str, object]] = []
        self.started = False
        self.fails = False
        self.faulty: list[dict[str, object]] = []
        self.wishes: list[str] = []
        self.parts: list[tuple[str, str, bytes]] = []

    def state(self) -> dict[str, object]:
        status = "RECEIVING" if not self.started else "FAILED" if self.fails else "STAGED"
        return {
            "importId": "job_1",
            "status": status,
            "filesTotal": len(self.received),
            "filesDone": len(self.received),
            "passages": 5,
            "vectors": 5,
            "problems": [_PROBLEM] if self.fails else self.faulty,
            "problemsTotal": 1 if self.fails else len(self.faulty),
            "version": None if self.fails else 4,
            "addedLater": True,
        }

    def answer(self, request: httpx.Request) -> httpx.Response:  # noqa: PLR0911 - one for each path
        """Serve one request, as a transport would."""
        path = request.url.path.removeprefix("/v1/staff/")
        match (request.method, path):
            case ("POST", "imports"):
                self.wishes.append(request.content.decode())
                return httpx.Response(201, json={"importId": "job_1"})
            case ("POST", "imports/job_1/files"):
                self.received.extend(Sent.model_validate_json(request.content).files)
                return httpx.Response(200)
            case ("PUT", _) if path.startswith("imports/job_1/archives/"):
                self.parts.append((path.rpartition("/")[2], request.url.params["path"], request.content))
                return httpx.Response(200)
            case ("POST", "imports/job_1/start"):
                self.started = True
                return httpx.Response(202)
            case ("GET", "imports/job_1"):
                return httpx.Response(200, json=self.state())
            case ("GET", "elsewhere"):
                return httpx.Response(404, text="no such page")
            case _:
                return httpx.Response(404, json={"detail": "There is nothing here.", "errors": []})


@pytest.fixture
def knowledge() -> FakeKnowledge:
    return FakeKnowledge()


@pytest.fixture
def client(knowledge: FakeKnowledge) -> Iterator[httpx.Client]:
    transport = httpx.MockTransport(knowledge.answer)
    with httpx.Client(transport=transport, base_url="http://knowledge") as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# 退货\n", encoding="utf-8")
    return tmp_path


def test_an_import_sends_the_very_bytes_and_returns_the_version(
    knowledge: FakeKnowledge, client: httpx.Client, folder: Path
) -> None:
    seen: list[str] = []

    state = import_material(client, gather_folder(folder), lambda each: seen.append(each.status))

    assert state.version == 4
    assert seen == ["STAGED"]
    sent = knowledge.received[0]
    assert sent["path"] == "a.md"
    assert sent["header"] is None
    assert base64.b64decode(str(sent["contentBase64"])) == (folder / "a.md").read_bytes()


def test_a_failed_import_shows_each_problem_with_file_and_field(
    knowledge: FakeKnowledge, client: httpx.Client, folder: Path
) -> None:
    knowledge.fails = True

    with pytest.raises(Trouble, match="nothing of it is kept") as failed:
        import_material(client, gather_folder(folder), lambda _: None)

    assert failed.value.details == ("a.md: effective_from: This is not a date.",)


def test_what_could_not_be_sent_is_listed_before_what_knowledge_left_out(
    knowledge: FakeKnowledge, client: httpx.Client, folder: Path
) -> None:
    knowledge.faulty = [_PROBLEM]
    with (folder / "huge.md").open("wb") as huge:
        huge.truncate(11 * 1024 * 1024)

    state = import_material(client, gather_folder(folder), lambda _: None)

    assert [each.path for each in state.problems] == ["huge.md", "a.md"]
    assert (state.problems_total, state.version) == (2, 4)
    assert '"faulty":"leave_out"' in knowledge.wishes[0]


def test_a_file_of_a_known_document_that_cannot_be_sent_is_sent_empty_and_told_once(
    knowledge: FakeKnowledge, client: httpx.Client, folder: Path
) -> None:
    knowledge.faulty = [_PROBLEM | {"path": "gone.md"}]
    row = '{"doc_id": "law", "version": 1, "title": "T", "lang": "zh", "path": "gone.md"}'
    (folder / "manifest.jsonl").write_text(row, encoding="utf-8")

    state = import_material(client, with_manifest(gather_folder(folder), folder), lambda _: None)

    sent = {str(each["path"]): each["contentBase64"] for each in knowledge.received}
    assert (sent["gone.md"], list(sent)) == ("", ["a.md", "gone.md"])
    assert ([(each.path, each.code) for each in state.problems], state.problems_total) == ([("gone.md", "UNSENT")], 1)


def test_an_import_that_refuses_faulty_files_says_so(
    knowledge: FakeKnowledge, client: httpx.Client, folder: Path
) -> None:
    with (folder / "huge.md").open("wb") as huge:
        huge.truncate(11 * 1024 * 1024)

    with pytest.raises(Trouble, match="Nothing is imported") as refused:
        import_material(client, gather_folder(folder), lambda _: None, refuse_faulty=True)

    assert refused.value.details[0].startswith("huge.md: file: It is not sent: it has 11.5 MB")
    assert ('"faulty":"refuse"' in knowledge.wishes[0], knowledge.started) == (True, False)


def test_an_archive_travels_in_numbered_parts(knowledge: FakeKnowledge, client: httpx.Client, tmp_path: Path) -> None:
    archive = tmp_path / "policies.zip"
    content = bytes(range(256)) * 40_000
    archive.write_bytes(content)

    import_material(client, gather_file(archive), lambda _: None)

    assert [part[:2] for part in knowledge.parts] == [("0", "policies.zip"), ("1", "policies.zip")]
    assert b"".join(part[2] for part in knowledge.parts) == content


def test_an_answer_that_is_no_problem_document_is_shown_by_its_status(client: httpx.Client) -> None:
    with pytest.raises(Trouble, match="status 404"):
        checked(client.get("/v1/staff/elsewhere"))
