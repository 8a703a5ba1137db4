"""Run all test stages in order and print what each took; `python -m tests.support.stages` is most of `make test`."""

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

_PYTEST: Final = (sys.executable, "-m", "pytest", "-q")
_ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDERS: Final = ("clients", "libs", "services", "deploy/local", "tests")
_CONTRACTS: Final = "tests/contracts"
_COUNTED: Final = ("tests", "failures", "errors", "skipped")


@dataclass(frozen=True)
class Stage:
    """One part of the tests: what a marker marks, what no marker of another stage does, or what `arguments` say.

    `shares` begin the paths of files whose tests run side by side, each share with servers of its own; a file belongs to the
    first that fits.
    """

    name: str
    mark: str | None = None
    arguments: tuple[str, ...] = ()
    shares: tuple[str, ...] = ("",)

    def commands(self) -> list[tuple[str, ...]]:
        """Give the arguments of each share. A file that does not name the marker is not even read: most do not."""
        if self.arguments:
            return [self.arguments]
        chosen: dict[str, list[str]] = {share: [] for share in self.shares}
        for file in files_of(self.mark):
            chosen[next(share for share in self.shares if file.startswith(share))].append(file)
        return [("-m", self.mark or _UNMARKED, *chosen[share]) for share in self.shares]


_UNMARKED: Final = "not store and not journey and not fault and not browser"
# Nothing waits here: two processes for the two cores that everybody has.
UNIT: Final = Stage("unit", shares=("services/knowledge/", ""))
# A store test mostly waits for its server, so four processes are done much sooner than one.
_STORES: Final = ("services/knowledge/tests/store/", "services/knowledge/", "services/bff/", "")
# The terminal and the supervisor are tested on installations of their own.
_JOURNEYS: Final = ("deploy/", "")
# A fault mostly waits until somebody notices it.
_FAULTS: Final = ("tests/faults/test_boundaries.py", "tests/", "")
LATER: Final = (
    Stage("stores", mark="store", shares=_STORES),
    Stage("contracts", arguments=(_CONTRACTS,)),
    Stage("journeys", mark="journey", shares=_JOURNEYS),
    Stage("faults", mark="fault", shares=_FAULTS),
    Stage("browser", mark="browser"),
)


def files_of(mark: str | None) -> list[str]:
    """List the test files that name a marker, or all of them; contract tests apart, which have a stage of their own."""
    wanted = re.compile(rf"\bmark\.{mark}\b" if mark else "")
    files = (file for folder in _FOLDERS for file in sorted((_ROOT / folder).rglob("test_*.py")))
    named = [file.relative_to(_ROOT).as_posix() for file in files if wanted.search(file.read_text(encoding="utf-8"))]
    return [file for file in named if not file.startswith(f"{_CONTRACTS}/")]


@dataclass(frozen=True)
class Result:
    """How a stage went."""

    stage: str
    seconds: float
    passed: bool
    counts: Counter[str]


def run_stage(stage: Stage, folder: Path) -> Result:
    """Run one stage; a share without tests has failed, for then something is missing."""
    print(f"\n── {stage.name} ──", flush=True)
    started = time.monotonic()
    commands = stage.commands()
    reports = [folder / f"{stage.name}-{number}.xml" for number in range(len(commands))]
    running = [
        subprocess.Popen([*_PYTEST, *command, f"--junitxml={report}"])
        for command, report in zip(commands, reports, strict=True)
    ]
    endings = [each.wait() for each in running]
    counts = sum((counted(report) for report in reports), Counter[str]())
    return Result(stage=stage.name, seconds=time.monotonic() - started, passed=not any(endings), counts=counts)


def counted(report: Path) -> Counter[str]:
    """Read how many tests a report counts as what."""
    if not report.exists():
        return Counter()
    suites = ET.parse(report).getroot().iter("testsuite")  # noqa: S314 - written by our own pytest
    return sum((Counter({key: int(suite.get(key, "0")) for key in _COUNTED}) for suite in suites), Counter[str]())


def summary(results: list[Result]) -> str:
    """Give a line for each stage, and a closing line in pytest's form."""
    lines = [f"  {'✓' if each.passed else '✗'} {each.stage:<12}{each.seconds:8.1f} s" for each in results]
    counts = sum((each.counts for each in results), Counter[str]())
    bad = counts["failures"] + counts["errors"]
    passed = counts["tests"] - bad - counts["skipped"]
    seconds = sum(each.seconds for each in results)
    words = (
        [f"{bad} failed"] * bool(bad)
        + [f"{passed} passed"]
        + [f"{counts['skipped']} skipped"] * bool(counts["skipped"])
    )
    return "\n".join(["", *lines, f"==== {', '.join(words)} in {seconds:.2f}s ===="])


def main(names: list[str]) -> int:
    """Run the named stages, or all of them, and return 1 when any failed."""
    wanted = [each for each in (UNIT, *LATER) if not names or each.name in names]
    with tempfile.TemporaryDirectory() as folder:
        results = [run_stage(each, Path(folder)) for each in wanted]
    print(summary(results), flush=True)
    return 0 if all(each.passed for each in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
