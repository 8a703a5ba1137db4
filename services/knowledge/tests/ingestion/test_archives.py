"""What comes out of an archive is bounded and named; everything else is refused with a reason."""

import gzip
import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial

import pytest

from knowledge.ingestion import archives
from knowledge.ingestion.archives import Entry, RefusedArchiveError, is_archive, take_entries
from knowledge.ingestion.formats.reading import LARGEST_FILE_BYTES

_ZEROS = b"\0" * (LARGEST_FILE_BYTES + 1)


def _zip(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as opened:
        for name, content in entries:
            opened.writestr(name, content, compress_type=method)
    return held.getvalue()


def _tar(*entries: tuple[str | tarfile.TarInfo, bytes], tar_format: int = tarfile.PAX_FORMAT) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tar_format) as opened:
        for name, content in entries:
            member = tarfile.TarInfo(name) if isinstance(name, str) else name
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content))
    return held.getvalue()


def _tgz(*entries: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    return gzip.compress(_tar(*entries))


def _take(content: bytes, path: str, done: int = 0, unpacked_bytes: int = 0) -> list[Entry]:
    taken = take_entries(io.BytesIO(content), path, size_bytes=len(content), done=done, unpacked_bytes=unpacked_bytes)
    return list(taken)


def _codes(entries: list[Entry]) -> list[str]:
    return [each.problem.code for each in entries if each.problem]


def _files(entries: list[Entry]) -> list[tuple[str, bytes | None]]:
    return [(each.path, each.content) for each in entries if each.content is not None]


@pytest.mark.parametrize(
    ("path", "make"),
    [
        ("a.zip", _zip),
        ("a.zip", partial(_zip, method=zipfile.ZIP_STORED)),
        ("a.tar", _tar),
        ("a.tar", partial(_tar, tar_format=tarfile.GNU_FORMAT)),
        ("a.TAR.GZ", _tgz),
        ("a.tgz", _tgz),
    ],
)
def test_files_of_known_formats_come_out_and_others_stay_inside(path: str, make: Callable[..., bytes]) -> None:
    long = "规则/" + "很" * 80 + ".md"
    wanted = [(long, "运费十元。".encode()), ("b.html", b"<p>b</p>"), ("x/manifest.jsonl", b"{}"), ("empty.md", b"")]
    unwanted = [("README.md", b"read"), ("logo.png", b"png"), (".git/a.md", b"a"), ("__MACOSX/b.md", b"b")]

    entries = _take(make(*wanted, *unwanted), path)

    assert _files(entries) == wanted
    assert (len(entries), _codes(entries)) == (8, [])


@pytest.mark.parametrize("path", ["a.zip", "a.tar.gz"])
def test_taking_goes_on_where_it_stopped(path: str) -> None:
    entries = [(f"{number}.md", b"x" * 700) for number in range(5)]
    content = _zip(*entries) if path == "a.zip" else _tgz(*entries)

    taken = _take(content, path, done=3)

    assert [(each.number, each.path) for each in taken] == [(3, "3.md"), (4, "4.md")]


def _link(kind: bytes) -> bytes:
    member = tarfile.TarInfo("a.md")
    member.type, member.linkname = kind, "/etc/passwd"
    return _tar((member, b""))


def _zip_link() -> bytes:
    entry = zipfile.ZipInfo("a.md")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return _zip((entry, b"/etc/passwd"))


def _encrypted() -> bytes:
    content = bytearray(_zip(("a.md", b"text")))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("a.zip", _zip(("../a.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip(("x/../../a.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip(("..\\a.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip(("/etc/a.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip(("C:/a.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip(("a\x07.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip(("x" * 600 + ".md", b"x")), "UNSAFE_PATH"),
        ("a.tar", _tar(("../a.md", b"x")), "UNSAFE_PATH"),
        ("a.zip", _zip_link(), "LINK"),
        ("a.tar", _link(tarfile.SYMTYPE), "LINK"),
        ("a.tar", _link(tarfile.LNKTYPE), "LINK"),
        ("a.tar", _link(tarfile.CHRTYPE), "LINK"),
        ("a.tar", _link(tarfile.FIFOTYPE), "LINK"),
        ("a.zip", _zip(("inner.zip", b"x")), "NESTED_ARCHIVE"),
        ("a.tar", _tar(("inner.tar.gz", b"x")), "NESTED_ARCHIVE"),
        ("a.zip", _zip(("macro.docm", b"x")), "MACROS"),
        ("a.zip", _zip(("macro.xlsm", b"x")), "MACROS"),
        ("a.zip", _encrypted(), "ENCRYPTED"),
        ("a.zip", _zip(("a.md", b"x"), method=zipfile.ZIP_LZMA), "UNKNOWN_FORMAT"),
        ("a.zip", _zip(("a.md", _ZEROS)), "TOO_LARGE"),
        ("a.tgz", gzip.compress(_tar(("a.md", _ZEROS))), "TOO_LARGE"),
    ],
)
def test_a_dangerous_entry_is_refused_and_its_neighbours_are_not(path: str, content: bytes, code: str) -> None:
    (entry,) = _take(content, path)

    assert (entry.content, _codes([entry])) == (None, [code])


def test_a_size_that_is_declared_too_small_is_not_believed() -> None:
    content = bytearray(_zip(("bomb.md", _ZEROS), ("fine.md", b"fine")))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(mark) + place
        content[at : at + 4] = struct.pack("<I", 10)

    entries = _take(bytes(content), "a.zip")

    assert _codes(entries) == ["DAMAGED"]
    assert _files(entries) == [("fine.md", b"fine")]


def test_a_zip_bomb_is_refused_long_before_its_end() -> None:
    bomb = _zip(*((f"{number}.md", _ZEROS[:-1]) for number in range(20)))
    assert len(bomb) < 250_000

    with pytest.raises(RefusedArchiveError, match="100 times its size") as refused:
        _take(bomb, "a.zip")

    assert refused.value.code == "ARCHIVE_BOMB"


def test_the_bytes_of_earlier_steps_count() -> None:
    with pytest.raises(RefusedArchiveError, match=r"1,000 MB") as refused:
        _take(_zip(("a.md", b"text")), "a.zip", unpacked_bytes=archives.MOST_UNPACKED_BYTES)

    assert refused.value.code == "ARCHIVE_BOMB"


@pytest.mark.parametrize("path", ["a.zip", "a.tar"])
def test_too_many_entries_are_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    entries = [(f"{number}.md", b"x") for number in range(4)]

    with pytest.raises(RefusedArchiveError) as refused:
        _take(_zip(*entries) if path == "a.zip" else _tar(*entries), path)

    assert refused.value.code == "TOO_MANY"


def test_a_directory_made_to_fill_the_memory_is_refused_unread() -> None:
    content = bytearray(_zip(("a.md", b"text")))
    at = content.rindex(b"PK\x05\x06") + 12
    content[at : at + 4] = struct.pack("<I", 0xFFFFFFFF)

    with pytest.raises(RefusedArchiveError) as refused:
        _take(bytes(content), "a.zip")

    assert refused.value.code == "TOO_MANY"


def test_a_long_directory_does_not_hide_behind_a_second_mark_of_its_end() -> None:
    content = bytearray(_zip(("a.md", b"a")))
    end = len(content) - 22
    struct.pack_into("<L", content, end + 12, 1 << 30)
    content[end + 16 : end + 20] = b"PK\x05\x06"

    with pytest.raises(RefusedArchiveError) as refused:
        _take(bytes(content), "a.zip")

    assert refused.value.code == "TOO_MANY"


@pytest.mark.parametrize(("flag", "code"), [(0x20, "UNKNOWN_FORMAT"), (0x40, "ENCRYPTED")])
def test_an_entry_packed_by_a_rare_feature_is_refused_and_its_neighbour_is_not(flag: int, code: str) -> None:
    content = bytearray(_zip(("a.md", b"a"), ("b.md", b"b")))
    struct.pack_into("<H", content, content.find(b"PK\x01\x02") + 8, flag)

    taken = _take(bytes(content), "a.zip")

    assert (_codes(taken), _files(taken)) == ([code], [("b.md", b"b")])


def test_an_archive_of_a_later_format_is_refused_with_the_reason() -> None:
    content = bytearray(_zip(("a.md", b"a")))
    struct.pack_into("<H", content, content.find(b"PK\x01\x02") + 6, 200)

    with pytest.raises(RefusedArchiveError) as refused:
        _take(bytes(content), "a.zip")

    assert refused.value.code == "UNKNOWN_FORMAT"


def test_a_header_made_to_fill_the_memory_is_refused_unread() -> None:
    member = tarfile.TarInfo("x")
    member.type, member.size = tarfile.XHDTYPE, 900_000_000

    with pytest.raises(RefusedArchiveError, match="too long") as refused:
        _take(member.tobuf(), "a.tar")

    assert refused.value.code == "UNSAFE_PATH"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.zip", b"no zip at all"),
        ("a.zip", b""),
        ("a.tar", b"\x01" * 512),
        ("a.tar", _tar(("a.md", b"x" * 2_000))[:1_200]),
        ("a.tgz", gzip.compress(_tar(("a.md", b"x" * 9_000)))[:-40]),
        ("a.tgz", b"no gzip"),
    ],
)
def test_a_damaged_archive_is_refused_as_a_whole(path: str, content: bytes) -> None:
    with pytest.raises(RefusedArchiveError) as refused:
        _take(content, path)

    assert refused.value.code == "DAMAGED"


def test_names_from_a_chinese_windows_are_read() -> None:
    content = _zip(("aaaa.md", b"text")).replace(b"aaaa", "退货".encode("gb18030"))

    assert [each.path for each in _take(content, "a.zip")] == ["退货.md"]


def test_an_archive_is_told_by_its_name() -> None:
    assert [is_archive(name) for name in ("a.zip", "b/A.ZIP", "a.tar.gz", "a.gz", "a.md", "zip")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
