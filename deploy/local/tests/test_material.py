"""What is to be imported is gathered completely, and faults name file and field."""

import json
from datetime import date
from pathlib import Path

import pytest

from knowledge.ingestion.formats import reading
from knowledge.ingestion.formats.reading import FORMATS
from knowledge.ingestion.manifest import Row
from youju.manifest import gather_manifest, header_of, with_manifest
from youju.material import (
    ENDINGS,
    FILES_A_BATCH,
    LARGEST_FILE_BYTES,
    Material,
    SourceFile,
    combined,
    gather_file,
    gather_folder,
    in_batches,
    in_parts,
)
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


def write(folder: Path, *names: str, text: str = "# A policy\n") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def row(**changes: object) -> str:
    body: dict[str, object] = {
        "doc_id": "shop/returns",
        "version": 2,
        "title": "Returns",
        "lang": "en",
        "path": "corpora/shop/returns.md",
        "valid_from": "2024-01-10",
        "valid_to": None,
        "effective_date": None,
        "licence": "unknown to us",
    }
    return json.dumps(body | changes)


def manifest(folder: Path, *rows: str) -> Path:
    write(folder, "corpora/shop/returns.md")
    file = folder / "corpora" / "manifest.jsonl"
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


def test_a_folder_gives_its_files_in_order_and_its_routing_policy(tmp_path: Path) -> None:
    write(tmp_path, "returns/b.md", "returns/a.TXT", "photo.png", "README.md")
    write(tmp_path, "routing-policy.yaml", text="topics: []\n")

    material = gather_folder(tmp_path)

    assert [file.path for file in material.files] == ["returns/a.TXT", "returns/b.md"]
    assert material.routing_policy == "topics: []\n"


def test_a_file_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"policy\.exe is no folder, ends in none of \.md, "):
        gather_file(tmp_path / "policy.exe")


def test_every_format_that_knowledge_reads_is_gathered() -> None:
    assert tuple(FORMATS) == ENDINGS


def test_a_file_is_sent_when_knowledge_would_read_it() -> None:
    assert LARGEST_FILE_BYTES == reading.LARGEST_FILE_BYTES


def test_nothing_to_import_is_said(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="no file to import"):
        combined([gather_folder(tmp_path)])


def test_two_routing_policies_are_refused() -> None:
    with pytest.raises(Trouble, match="More than one"):
        combined([Material(files=(), routing_policy="a"), Material(files=(), routing_policy="b")])


@pytest.mark.parametrize("name", ["returns.md", "returns.zip"])
def test_two_files_with_one_path_are_refused_and_one_given_twice_is_not(tmp_path: Path, name: str) -> None:
    for folder in ("eu", "us"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(folder)
    eu, us = (gather_file(tmp_path / folder / name) for folder in ("eu", "us"))

    with pytest.raises(Trouble, match=f"would both be {name}"):
        combined([eu, us])

    combined([eu, eu])


def test_a_manifest_row_becomes_a_header_and_keeps_its_path(tmp_path: Path) -> None:
    material = gather_manifest(manifest(tmp_path, row()))

    file = material.files[0]
    assert file.place == tmp_path / "corpora" / "shop" / "returns.md"
    assert file.header is not None
    assert (file.header.slug, file.header.label, file.header.language) == ("shop/returns", "2", "en")


@pytest.mark.parametrize(
    ("valid_from", "effective_date", "expected"),
    [
        (None, None, None),
        (date(2020, 1, 1), None, date(2020, 1, 1)),
        (None, date(2020, 3, 1), date(2020, 3, 1)),
        (date(2020, 1, 1), date(2020, 3, 1), date(2020, 3, 1)),
        (date(2020, 5, 1), date(2020, 3, 1), date(2020, 5, 1)),
    ],
)
def test_a_text_is_in_force_from_the_later_of_its_dates(
    valid_from: date | None, effective_date: date | None, expected: date | None
) -> None:
    parsed = Row.model_validate_json(row()).model_copy(
        update={"valid_from": valid_from, "effective_date": effective_date}
    )

    assert header_of(parsed).effective_from == expected


def test_a_text_is_in_force_until_the_day_before_the_next(tmp_path: Path) -> None:
    material = gather_manifest(manifest(tmp_path, row(valid_to="2024-03-01")))

    assert material.files[0].header is not None
    assert material.files[0].header.effective_to == date(2024, 2, 29)


def test_a_prefix_chooses_rows_and_other_kinds_are_counted(tmp_path: Path) -> None:
    rows = (row(), row(path="corpora/shop/flow.svg"), row(doc_id="other/returns"))

    material = gather_manifest(manifest(tmp_path, *rows), only="shop/")

    assert len(material.files) == 1
    assert material.left_out == 1


def test_a_prefix_that_matches_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="begins with 'elsewhere/'"):
        gather_manifest(manifest(tmp_path, row()), only="elsewhere/")


def test_a_malformed_row_names_line_and_field(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"manifest\.jsonl line 2: valid_from:"):
        gather_manifest(manifest(tmp_path, row(), row(valid_from="2024-13-01")))


def test_a_manifest_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    file = manifest(tmp_path, row())
    file.write_bytes(b"\xff\xfe")

    with pytest.raises(Trouble, match=r"manifest\.jsonl is not UTF-8 text"):
        gather_manifest(file)


def refuse(file: SourceFile, reason: str) -> None:
    raise AssertionError(file, reason)


def test_files_travel_in_batches_below_the_limit(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "c.md", text="x" * 40)

    batches = list(in_batches(gather_folder(tmp_path).files, limit_bytes=100, refuse=refuse))

    assert [[file.path for file, _ in batch] for batch in batches] == [["a.md", "b.md"], ["c.md"]]


def test_a_batch_has_no_more_files_than_a_request_may(tmp_path: Path) -> None:
    write(tmp_path, *(f"{place}.md" for place in range(FILES_A_BATCH + 1)), text="x")

    batches = list(in_batches(gather_folder(tmp_path).files, limit_bytes=10_000, refuse=refuse))

    assert [len(batch) for batch in batches] == [FILES_A_BATCH, 1]


def test_a_file_that_cannot_be_sent_is_told_and_the_others_travel(tmp_path: Path) -> None:
    write(tmp_path, "huge.md", text="x" * 2_000_000)
    write(tmp_path, "small.md", text="x")
    gone = SourceFile(path="gone.md", place=tmp_path / "gone.md")
    told: dict[str, str] = {}

    batches = list(
        in_batches(
            [gone, *gather_folder(tmp_path).files],
            limit_bytes=1_000_000,
            refuse=lambda file, reason: told.update({file.path: reason}),
        )
    )

    assert [[file.path for file, _ in batch] for batch in batches] == [["small.md"]]
    assert told["huge.md"] == "it has 2.0 MB, a file may have 1 MB"
    assert told["gone.md"].startswith("it cannot be read: ")


def test_symbolic_links_are_counted_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "folder/a.md")
    (tmp_path / "folder" / "b.md").symlink_to(tmp_path / "outside" / "secret.md")
    (tmp_path / "folder" / "linked").symlink_to(tmp_path / "outside", target_is_directory=True)

    material = gather_folder(tmp_path / "folder")

    assert ([file.path for file in material.files], material.links) == (["a.md"], 1)


def test_an_archive_is_sent_as_it_is(tmp_path: Path) -> None:
    archive = tmp_path / "policies.TAR.GZ"
    archive.write_bytes(b"packed bytes")

    material = combined([gather_file(archive)])

    assert (material.files, material.archives) == ((), (archive,))
    assert list(in_parts(archive, limit_bytes=5)) == [b"packe", b"d byt", b"es"]


def test_a_document_with_macros_is_sent_for_knowledge_to_say_why_it_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.docm", "b.exe")

    assert [file.path for file in gather_folder(tmp_path).files] == ["a.docm"]


def test_a_manifest_may_name_its_paths_from_its_own_folder(tmp_path: Path) -> None:
    write(tmp_path, "set/a.md")
    (tmp_path / "set" / "manifest.jsonl").write_text(row(path="a.md", lang="zh-Hant"), encoding="utf-8")

    (file,) = gather_manifest(tmp_path / "set" / "manifest.jsonl").files

    assert (file.place, file.header and file.header.language) == (tmp_path / "set" / "a.md", "zh")


def test_a_manifest_in_a_folder_gives_its_files_their_headers(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    (tmp_path / "manifest.jsonl").write_text(row(path="a.md"), encoding="utf-8")

    material = with_manifest(gather_folder(tmp_path), tmp_path)

    assert [(file.path, file.header and file.header.slug) for file in material.files] == [
        ("a.md", "shop/returns"),
        ("b.md", None),
    ]


def test_a_manifest_in_a_folder_may_name_its_paths_from_above_it(tmp_path: Path) -> None:
    write(tmp_path, "shop/a.md")
    (tmp_path / "shop" / "manifest.jsonl").write_text("\ufeff" + row(path="shop/a.md"), encoding="utf-8")

    (file,) = with_manifest(gather_folder(tmp_path / "shop"), tmp_path / "shop").files

    assert (file.path, file.header and file.header.slug) == ("a.md", "shop/returns")


def test_a_file_that_a_manifest_names_and_that_is_not_there_is_listed(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "manifest.jsonl").write_text(row(path="a.md") + "\n" + row(path="gone.md"), encoding="utf-8")

    material = with_manifest(gather_folder(tmp_path), tmp_path)

    assert [(file.path, file.place.exists()) for file in material.files] == [("a.md", True), ("gone.md", False)]


def test_a_manifest_says_of_a_file_what_its_front_matter_could(tmp_path: Path) -> None:
    write(tmp_path, "a.pdf")
    told = json.loads(row(path="a.pdf")) | {"header": {"audience": ["vip"], "review_date": "2026-12-31"}}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(told), encoding="utf-8")

    (file,) = gather_manifest(tmp_path / "manifest.jsonl").files

    assert file.header is not None
    sent = file.header.model_dump(mode="json")
    assert (sent["audience"], sent["review_date"], sent["slug"]) == (["vip"], "2026-12-31", told["doc_id"])


def test_a_manifest_that_names_no_day_is_told_by_file_and_field(tmp_path: Path) -> None:
    write(tmp_path, "a.pdf")
    told = json.loads(row(path="a.pdf")) | {"header": {"effective_from": "soon"}}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(told), encoding="utf-8")

    with pytest.raises(Trouble, match=r"a\.pdf.*effective_from"):
        gather_manifest(tmp_path / "manifest.jsonl")
