"""Which state of a version follows which: the whole way from a draft to an answer and back."""

from typing import Final, Literal, get_args

from contracts.errors import ConflictError

VersionState = Literal["DRAFT", "STAGED", "EVALUATED", "APPROVED", "PUBLISHED", "RETIRED", "FAILED", "DISCARDED"]
Move = Literal["stage", "fail", "evaluate", "approve", "publish", "retire", "discard"]

SERVABLE: Final[tuple[VersionState, ...]] = ("STAGED", "EVALUATED", "APPROVED", "PUBLISHED", "RETIRED")
"""What is built: staff may ask it, and an evaluation may be attached to it."""

# A version that is current or was keeps its state when it is evaluated: an evaluation is a fact about it, not a step.
_TRANSITIONS: Final[dict[Move, dict[VersionState, VersionState]]] = {
    "stage": {"DRAFT": "STAGED"},
    "fail": {"DRAFT": "FAILED"},
    "evaluate": {
        "STAGED": "EVALUATED",
        "EVALUATED": "EVALUATED",
        "APPROVED": "APPROVED",
        "PUBLISHED": "PUBLISHED",
        "RETIRED": "RETIRED",
    },
    "approve": {"STAGED": "APPROVED", "EVALUATED": "APPROVED"},
    "publish": {"APPROVED": "PUBLISHED", "RETIRED": "PUBLISHED"},
    "retire": {"PUBLISHED": "RETIRED"},
    "discard": {"STAGED": "DISCARDED", "EVALUATED": "DISCARDED", "APPROVED": "DISCARDED"},
}

_NEEDED: Final[dict[Move, str]] = {
    "stage": "a draft can be staged",
    "fail": "a draft can fail",
    "evaluate": "a version that is built can be evaluated",
    "approve": "a staged or evaluated version can be approved",
    "publish": "an approved version, or one that was published before, can be published",
    "retire": "the published version can be retired",
    "discard": "a version that waits to be published can be discarded",
}


class NotPublishableError(ConflictError):
    """This version is not approved, so it cannot be published."""

    code = "NOT_PUBLISHABLE"


class VersionStateError(ConflictError):
    """The state of this version does not allow that."""

    code = "VERSION_STATE"


def following(state: VersionState, move: Move, *, number: int) -> VersionState:
    """Give the state a version has after a move. Errors: NotPublishableError, VersionStateError."""
    after = _TRANSITIONS[move].get(state)
    if after is not None:
        return after
    sentence = f"Version {number} is {state}; only {_NEEDED[move]}."
    raise NotPublishableError(sentence) if move == "publish" else VersionStateError(sentence)


def states_before(move: Move) -> tuple[VersionState, ...]:
    """List the states a move starts from, in the order of a version's life."""
    return tuple(state for state in get_args(VersionState) if state in _TRANSITIONS[move])
