"""Run all test stages in order and print what each took; `python -m tests.support.stages` is most of `make test`."""

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
_CONTRACTS: Final = "tests/contracts"
_COUNTED: Final = ("tests", "failures", "errors", "skipped")


@dataclass(frozen=True)
class Stage:
    """One part of the tests, chosen by marker or folder. `shares` run side by side, each with servers of its own."""

    name: str
    arguments: tuple[str, ...]
    shares: tuple[tuple[str, ...], ...] = ((),)


UNIT: Final = Stage("unit", ("-m", "not store and not journey and not fault and not browser", f"--ignore={_CONTRACTS}"))
# A store test mostly waits for its server, so four processes are done much sooner than one.
_INDEX: Final = "services/knowledge/tests/store"
_SHARES: Final = ((_INDEX,), ("services/knowledge", f"--ignore={_INDEX}"), ("services/bff",))
_REST: Final = ("--ignore=services/knowledge", "--ignore=services/bff")
LATER: Final = (
    Stage(
        "stores",
        ("-m", "store", f"--ignore={_CONTRACTS}"),
        (*_SHARES, _REST),
    ),
    Stage("contracts", (_CONTRACTS,)),
    Stage("journeys", ("-m", "journey", f"--ignore={_CONTRACTS}")),
    Stage("faults", ("-m", "fault", f"--ignore={_CONTRACTS}")),
    Stage("browser", ("-m", "browser", f"--ignore={_CONTRACTS}")),
)


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
    reports = [folder / f"{stage.name}-{number}.xml" for number in range(len(stage.shares))]
    running = [
        subprocess.Popen([*_PYTEST, *stage.arguments, *share, f"--junitxml={report}"])
        for share, report in zip(stage.shares, reports, strict=True)
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
