"""Check one claim against its quotes: rule 3, as far as offline code can decide it."""

from dataclasses import dataclass
from typing import Final

from knowledge.validation.additions import find_added
from knowledge.validation.anchors import find_other_starts
from knowledge.validation.attachment import find_misattached
from knowledge.validation.branches import find_swapped_branches
from knowledge.validation.commitments import find_promises
from knowledge.validation.conditions import drops_exception, find_cut_out
from knowledge.validation.contrasts import find_other_sides
from knowledge.validation.crossing import find_crossed
from knowledge.validation.efforts import find_results
from knowledge.validation.exceptions import find_let_in, find_waived
from knowledge.validation.facts import find_uncovered
from knowledge.validation.folding import fold
from knowledge.validation.history import find_rewritten
from knowledge.validation.inclusions import find_taken_in, find_told_of_all
from knowledge.validation.means import find_absent_ways
from knowledge.validation.occasions import find_other_occasions
from knowledge.validation.parties import find_swaps
from knowledge.validation.polarity import find_contradictions
from knowledge.validation.portions import find_whole_for_share
from knowledge.validation.sequences import find_reversed
from knowledge.validation.statements import asks, is_statement
from knowledge.validation.sufficiency import find_left_out
from knowledge.validation.support import matters_shared, overlap
from knowledge.validation.verdict import FaultCode
from knowledge.validation.words import is_chinese, normal_sentences

# What 99 of 100 true claims reach with a quote in the other language, and two of 100 with one of another document: the
# cosine of the built-in embedder, and a little for each matter that both languages name alike.
_LEAST_AGREEMENT: Final = 0.33
_WEIGHT_OF_MATTERS: Final = 0.1
# In one language words in common and agreement add up: both together reach the floor and this. Of true claims 996 of 1000
# do, of claims beside another document's quotes one of ten; the floor of words alone loses twice as many true ones for it.
_MEANT: Final = 0.2


@dataclass(frozen=True, slots=True)
class ClaimFault:
    """One reason why the quotes do not support a claim."""

    code: FaultCode
    detail: str
    is_undecidable: bool = False


def check_claim(
    claim: str,
    quotes: tuple[str, ...],
    *,
    claim_overlap: float,
    agreement: float | None = None,
) -> tuple[ClaimFault, ...]:
    """List the reasons why a claim is not supported by its quotes; none means that it is.

    `agreement` is the embedders' cosine of claim and quotes. It decides instead of common words when the two are
    written in different languages, and together with them where they are few; without it words alone reach the floor,
    or the claim is rejected.
    """
    return (
        *_check_form(claim, quotes),
        *_check_words(claim, quotes, claim_overlap, agreement),
        *_check_figures(claim, quotes),
        *_check_stances(claim, quotes),
        *_check_parties(claim, quotes),
        *_check_sides(claim, quotes),
        *_check_crossings(claim, quotes),
        *_check_promises(claim, quotes),
        *_check_exceptions(claim, quotes),
    )


def leaves_words_open(claim: str, quotes: tuple[str, ...], *, claim_overlap: float) -> bool:
    """Tell whether the embedders have a say in whether quotes carry a claim: its words are of another language, or others."""
    enough = claim_overlap + _MEANT
    return speaks_another_language(claim, quotes) or overlap(claim, quotes, enough=enough) < enough


def speaks_another_language(claim: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether no sentence of the quotes is in the language of a claim."""
    sentences = tuple(sentence for quote in quotes for sentence in normal_sentences(quote))
    spoken = is_chinese(claim)
    return bool(sentences) and all(is_chinese(sentence) != spoken for sentence in sentences)


def _check_form(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    """Refuse what states nothing; what a policy says in just these words is no talk about the conversation."""
    if asks(claim) or not (is_statement(claim) or any(fold(claim) in fold(quote) for quote in quotes)):
        return (ClaimFault(FaultCode.NOT_A_STATEMENT, "The sentence asks, or speaks of the conversation."),)
    return ()


def _check_words(claim: str, quotes: tuple[str, ...], floor: float, agreement: float | None) -> tuple[ClaimFault, ...]:
    if speaks_another_language(claim, quotes):
        return _check_agreement(claim, quotes, agreement)
    share = overlap(claim, quotes, enough=floor + _MEANT)
    needed = floor if agreement is None else floor + _MEANT - agreement
    if share >= needed:
        return ()
    return (_doubt(FaultCode.UNSUPPORTED_WORDS, f"The quotes carry {share:.2f} of the claim, {needed:.2f} is needed."),)


def _check_agreement(claim: str, quotes: tuple[str, ...], cosine: float | None) -> tuple[ClaimFault, ...]:
    if cosine is None:
        sentence = "Claim and quotes differ in language and nothing compares them."
        return (_doubt(FaultCode.UNSUPPORTED_WORDS, sentence),)
    agreement = _agreed(claim, quotes, cosine)
    if agreement >= _LEAST_AGREEMENT:
        return ()
    sentence = f"Claim and quotes agree by {agreement:.2f}, {_LEAST_AGREEMENT:.2f} is needed."
    return (_doubt(FaultCode.UNSUPPORTED_WORDS, sentence),)


def _agreed(claim: str, quotes: tuple[str, ...], cosine: float) -> float:
    return cosine + _WEIGHT_OF_MATTERS * matters_shared(claim, quotes)


def _check_figures(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    return (
        tuple(
            ClaimFault(
                FaultCode.DATE_NOT_IN_QUOTE if figure.is_moment else FaultCode.NUMBER_NOT_IN_QUOTE,
                f"{figure.said!r} follows from no quote.",
            )
            for figure in find_uncovered(claim, quotes)
        )
        + tuple(
            ClaimFault(FaultCode.NUMBER_NOT_IN_QUOTE, f"The quotes give {said!r} to another matter.")
            for said in find_misattached(claim, quotes)
        )
        + tuple(
            ClaimFault(FaultCode.DATE_NOT_IN_QUOTE, f"The quotes count {said!r} from another event.")
            for said in find_other_starts(claim, quotes)
        )
        + tuple(
            ClaimFault(FaultCode.DATE_NOT_IN_QUOTE, f"The quotes look at {said!r} from another side, or not at all.")
            for said in find_other_occasions(claim, quotes)
        )
        + _check_order(claim, quotes)
    )


def _check_order(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    turned = find_reversed(claim, quotes)
    found = () if turned is None else (f"The quotes put {turned!r} the other way round.",)
    found += tuple(f"The quotes do not tell {said!r} so of before or now." for said in find_rewritten(claim, quotes))
    return tuple(ClaimFault(FaultCode.DATE_NOT_IN_QUOTE, sentence) for sentence in found)


def _check_stances(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    return tuple(
        ClaimFault(
            FaultCode.POLARITY_DIFFERS if found.is_negation else FaultCode.MODALITY_DIFFERS,
            f"Claim and quotes take different stances to {found.said!r}.",
        )
        for found in find_contradictions(claim, quotes)
    )


def _check_parties(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    return tuple(
        ClaimFault(FaultCode.PARTY_DIFFERS, f"No quote names the {swap.party}{f' to {swap.act}' if swap.act else ''}.")
        for swap in find_swaps(claim, quotes)
    )


def _check_sides(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    told_of_all = find_told_of_all(claim, quotes) or find_whole_for_share(claim, quotes)
    sentences = (
        *(f"The quotes name another side than {said!r}." for said in find_other_sides(claim, quotes)),
        *(f"No quote has {said!r} in mind." for said in find_absent_ways(claim, quotes)),
        *(f"No quote has {said!r} in mind." for said in find_added(claim, quotes)),
        *(f"The quotes take {said!r} in nowhere." for said in find_taken_in(claim, quotes)),
        *(() if told_of_all is None else (f"The quotes tell of a part what {told_of_all!r} tells of all.",)),
    )
    return tuple(ClaimFault(FaultCode.UNSUPPORTED_WORDS, sentence) for sentence in sentences)


def _check_crossings(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    swapped = find_swapped_branches(claim, quotes)
    return tuple(
        ClaimFault(FaultCode.UNSUPPORTED_WORDS, f"The quotes tie {said!r} to another case.")
        for said in (*find_crossed(claim, quotes), *(() if swapped is None else (swapped,)))
    )


def _check_promises(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    return tuple(
        ClaimFault(FaultCode.OVER_PROMISE, f"No quote promises {said!r}.")
        for said in (*find_promises(claim, quotes), *find_results(claim, quotes))
    )


def _check_exceptions(claim: str, quotes: tuple[str, ...]) -> tuple[ClaimFault, ...]:
    case, waived = find_let_in(claim, quotes), find_waived(claim, quotes)
    if case is not None:
        return (ClaimFault(FaultCode.POLARITY_DIFFERS, f"The quotes except {case!r}."),)
    if waived is not None:
        return (ClaimFault(FaultCode.POLARITY_DIFFERS, f"The quotes ask for what {waived!r} waives."),)
    if drops_exception(claim, quotes):
        return (_doubt(FaultCode.CONDITION_DROPPED, "The quotes make an exception, the claim makes none."),)
    left_out = find_left_out(claim, quotes) or find_cut_out(claim, quotes)
    if left_out is not None:
        return (_doubt(FaultCode.CONDITION_DROPPED, f"The claim leaves no room for {left_out!r}."),)
    return ()


def _doubt(code: FaultCode, detail: str) -> ClaimFault:
    """Make a fault of what code cannot decide: it rejects rather than guesses."""
    return ClaimFault(code, detail, is_undecidable=True)
