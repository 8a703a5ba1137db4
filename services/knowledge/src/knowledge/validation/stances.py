"""Read which acts a text affirms, denies, allows, demands or forbids."""

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from knowledge.validation.concepts import ACTS
from knowledge.validation.lexicon import make_lexicon
from knowledge.validation.opposites import OPPOSITES
from knowledge.validation.readings import read_once
from knowledge.validation.words import is_stop_word, stem

Stance = Literal["plain", "must", "may", "advised", "must_not", "need_not", "not"]

_NEUTRAL = (
    r"不(?:同|足|满(?!意)|超过|少于|低于|多于|高于|大于|小于|早于|晚于|迟于|论|管|过|仅|但|动产|断|可抗力|良|法|完整|限|一定|得超过|得少于|得低于|能超过|得早于|得晚于)"
    r"|未(?:成年|来|必|满|超过)|(?:别|其他)的|无(?:理由|条件|论|障碍|线|人机)|非(?:常|法|营利|现场|经营)|没收|可(?:能性|靠|用性|持续|变|见)|要(?:求|件|素|约|点)"
    r"|应(?:用|急|对|邀|收|付款)|能(?:力|源|量)|得(?:到|知|出|以|分|标)|须知|(?<!没)(?<!没有)必要|必须品|才能够?|才可以?|方[可能]|不妨|允许范围|不可撤销"
    r"|\b(?:nobody|nothing|none|no\sone)\s(?:but|except|other\sthan)\b"
    r"|\bnot\s(?:only|just|merely|limited\sto)\b|\bno\s(?:matter|later|less|fewer|more|sooner|longer\sthan|earlier|additional|extra)\b|\bnot\s(?:more|less|later|fewer|exceed\w*)\b"
    r"|\b(?:must|may|will|shall|do|does)\snot\sexceed\b|\bmay\s\d|\bwithout\sreason\b|\bno\sreason\b"
)
CUES: tuple[tuple[Stance, str], ...] = (
    (
        "need_not",
        (
            r"无须|无需|免除|豁免|不必|不需要|不需|不用|毋须|毋需|用不着|犯不着|没有?必要|没有?义务|不是必须的?|[不非]强制|不消|免予|不要求|不[受在]此限"
            r"|\bneed\s?n[o']t\b|\bneedn't\b|(?:\b(?:is|are|be)\snot|\b(?:isn|aren)'t|\bno\slonger)\s(?:necessary|needed|required|mandatory|compulsory|obligatory|obliged|obligated)\b(?:\sto\b)?|\bno\s(?:obligation|duty)\sto\b|\b(?:do|does|did)(?:\snot|n't)\s(?:need|have)\sto\b|\bnot\srequired\b|\bno\sneed\s(?:to|for)\b|\bwithout\shaving\sto\b|\bnot\shave\sto\b"
            r"|\b(?:do|does)(?:\snot|n't)\s(?:need|require)\b"
        ),
    ),
    (
        "must_not",
        (
            r"(?:不得|不能|不可以|不准|不应)(?:要求|强迫|强制|迫使|逼|让|以(?!上|下|内|外))|不得|不可以|不能够|不能|不准|不许|不允许|禁止|严禁|谢绝|无法|没法|无权|不可|不应当?|退不了|用不了|不了"
            r"|\b(?:must|may|can|shall|should|could)(?:\snot|n't)\b|\bcannot\b|\bcan't\b|\bnot\s(?:be\s)?(?:allowed|permitted|able|entitled|eligible)\b(?:\sto)?"
            r"|\bunable\sto\b|\bprohibited\b|\bforbidden\b|\bno\slonger\s(?:be\s)?able\b(?:\sto)?|\bcan\sno\slonger\b|\bmay\sonly\b|\b(?:won't|will\snot|wouldn't)\sbe\sable\sto\b"
        ),
    ),
    (
        "not",
        (
            r"不会|不予|不再|不属于|不包括|不计|不算|并非所有|并非|没有(?!影响)|尚未|从不|绝不|概不|不(?!影响|妨碍|受[^,;。]{0,4}影响)|未|没(?!有?影响)|非|拒不"
            r"|\b(?:nor|(?:in|under|at|on)\sno\s(?:event|case|circumstances?|time|account|way))\s(?:shall|will|may|can|must|does|do|is|are|should)\b|\b(?:excluded|barred|banned)\sfrom\b|\bno\slonger\b(?!\svalid\b)|\bnever\b|\bnot\s(?:all|every)\b|\bnot\b|\bcan\s?not\b|\b[a-z]+n't\b|\bnothing\b|\bnobody\b|\bneither\b|\bnor\b|\bno\b(?!\slonger\svalid\b)|\bwithout\b|\bnone\b|\bnon(?=-)"
        ),
    ),
    (
        "advised",
        r"建议|推荐|鼓励|最好(?!的)|\bhad\sbetter\b|\b(?:you|they|we)'d\sbetter\b|\bought\sto\b|\bprefer(?:red|able|ably)\b|\brecommend\w*|\badvis\w*|\bencourag\w*|\bsuggest\w*|\bshould\b|\bideally\b",
    ),
    (
        "must",
        (
            r"不[\u4e00-\u9fff]{1,3}不(?:行|可(?!以))|应当|应该|必须|务必|须|一律要|(?<![只主需想])要(?!是|么|不)|理应|(?<![适供反响相效对感答呼])应(?![用急对邀有变聘届征付收])|应(?=付清|付给|收回)|得(?=提前|在|先|向)|(?<![\u4e00-\u9fff])得(?![到知出以分标了奖])|(?<=[您你我他她它们家者方就都也还总又必])得(?![到知出以分标了奖])|有义务"
            r"|\bmust\b|\bshall\b|\b(?:has|have|had)\sto\b|\b(?:is|are|be)\srequired\sto\b|\bneeds?\sto\b|\bgot\sto\b|\bsupposed\sto\b|\bexpected\sto\b|\bobliged\sto\b|\brequires?\b|\bobligat\w+\sto\b|\brequired\b|\bmandatory\b|\bcompulsory\b"
        ),
    ),
    (
        "may",
        (
            r"可以|可(?!能)|能够|能|有权(?!限)|允许|准许|得以|可能|或许|也许|决定是否|视情况|自行决定|酌情"
            r"|\bmay\b|\bconsider\b|\bcan\b|\bcould\b|\bmight\b|\b(?:allowed|permitted|entitled|free|able|welcome|liberty|right)\sto\b|\beligible\b"
        ),
    ),
)
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_LEXICON = make_lexicon(
    (
        ("neutral", _NEUTRAL),
        *CUES,
        *OPPOSITES,
        *ACTS,
        (
            "stop",
            r"(?:but|unless|except|if|when|while|because|although|though|and|or)\b|但|除非|如果|就|则|(?<![随方顺即以])便(?!利|民)",
        ),
        ("will", r"will\b|会"),
    )
)
# What every wording of a negation holds: most texts are done with at this look. Alternatives that begin with a letter
# each let the matcher skip all others.
_NEGATION = re.compile(
    r"不|无|免|毋|禁|谢|没|未|非|n[o']t\b|no(?<![a-z]no)(?:thing|body|r|ne|n)?\b|never\b|neither\b|without\b|unable\b|prohibited\b"
    r"|forbidden\b|excluded\sfrom\b|barred\sfrom\b|banned\sfrom\b|may\sonly\b"
)
_UNDOING = re.compile(make_lexicon(tuple(each for each in (*OPPOSITES, *ACTS) if each[0].startswith("-"))).source)
_MARKS = ",;.!?:，；。！？：、\n"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_PIECE = re.compile(rf"({_LEXICON.source})|([{_MARKS}]|[a-z]+(?:'[a-z]+)?|[{_HAN}]|[\d.,]*\d)")
# 受不受理 asks, it denies nothing.
_CHOICE = re.compile(rf"([{_HAN}])不\1")

# How far a cue reaches: to the next content word in English, over a short adverb in Chinese.
_REACH_WORDS = 2
_REACH_HAN = 7
_REACH_CLAUSE = 99
_REACH_ACT = 5
# "We do not offer refunds" denies the refund.
_LIGHT_ACTS = frozenset({"act:accept", "act:provide", "act:apply", "act:register"})
# "Cannot be returned or exchanged" denies both.
_OR = frozenset({"or", "nor", "或", "、"})
_PREPOSITIONS = frozenset("跟与和对向给把被将由")
_HOLDS_CLAUSE = re.compile(
    r"not\s(?:all|every)|并非所有|不[得能可准应]以?(?:要求|强迫|强制|迫使|逼|让|以)|不[得能]以|决定|视情况|自行|酌情"
)

_ITEM = r"(?:(?!(?:we|you|it|they|he|she|i|is|are|was|will|may|can|must|shall|if|when|unless|but|and|so|or|nor)\b)[a-z'-]+(?:\s|(?=,))){1,4}"
_BETWEEN = re.compile(r",?\s(?:n?or)\b|,(?=\s)")
_LISTED = re.compile(
    rf"\b(?:not|[a-z]+n't|never|cannot|no|without|neither|prohibited\sfrom)\s{_ITEM}(?:,\s{_ITEM})*(?:,\s)?(?<=[\s])(?:or|nor)\b"
)

# These deny the next word and nothing behind it: "without insurance", "no fee".
_REACH_ONE = frozenset({"without", "no", "non", "neither"})

_ALONE: dict[Stance, frozenset[Stance]] = {stance: frozenset({stance}) for stance in get_args(Stance)}
_NEGATIVE: frozenset[Stance] = frozenset({"must_not", "need_not", "not"})
_STANCES: dict[str, Stance] = {stance: stance for stance, _ in CUES}
_FITS: dict[Stance, frozenset[Stance]] = {
    "plain": frozenset({"plain", "must", "may", "advised"}),
    "must": frozenset({"must", "plain"}),
    "may": frozenset({"may", "plain", "advised"}),
    "advised": frozenset({"advised", "plain", "may"}),
    "must_not": frozenset({"must_not", "not"}),
    "need_not": frozenset({"need_not", "not"}),
    "not": frozenset({"not", "must_not", "need_not"}),
}


class Piece(NamedTuple):
    """A word, act or cue of a text: `stance` is set on cues alone."""

    key: str
    stance: Stance | None
    sign: int = 1
    ends_clause: bool = False
    is_light: bool = False
    """Whether it stands between a cue and what it speaks of without being it."""
    is_act: bool = False
    reach: int = 0
    """How far a cue reaches, and how much of that a word or act takes up."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The stances a text takes to each act or word, which of them stand right behind a cue, and which are acts."""

    stances: dict[str, frozenset[Stance]]
    heads: frozenset[str]
    acts: frozenset[str]


def is_negative(stance: Stance) -> bool:
    """Tell whether a stance denies what it speaks of."""
    return stance in _NEGATIVE


@read_once
def may_deny(text: str) -> bool:
    """Tell at one look whether a text in normal form may hold a negation."""
    return _NEGATION.search(text) is not None


def may_undo(text: str) -> bool:
    """Tell at one look whether a text in normal form may hold the opposite of an act."""
    return _UNDOING.search(text) is not None


def fits(claimed: Stance, quoted: Stance) -> bool:
    """Tell whether a claim may take a stance where the quote takes another."""
    return quoted in _FITS[claimed]


_MOST_KNOWN: Final = 16384


class _Pieces(dict[tuple[str, str], Piece]):
    """Pieces by what the two groups of `_PIECE` matched: most are met again and again."""

    def __missing__(self, found: tuple[str, str]) -> Piece:
        """Make the piece of a word; which concept a phrase belongs to, only its place tells."""
        phrase, word = found
        if phrase:
            raise KeyError(phrase)
        return self.keep(found, _word(word))

    def keep(self, found: tuple[str, str], piece: Piece) -> Piece:
        """Keep a piece for the next time."""
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[found] = piece
        return piece


_KNOWN = _Pieces()


@read_once
def read_pieces(text: str) -> tuple[Piece, ...]:
    """Cut a text in the normal form of `words.normalise` into words, acts and cues."""
    asked = _CHOICE.sub(r"\1", text) if "不" in text else text
    try:
        return tuple([_KNOWN[found] for found in _PIECE.findall(asked)])
    except KeyError:
        return tuple(map(_learn, _PIECE.finditer(asked)))


def _learn(found: re.Match[str]) -> Piece:
    phrase, word = found.groups("")
    return _KNOWN.keep((phrase, word), _phrase(phrase, _LEXICON.name(found)) if phrase else _word(word))


def _phrase(wording: str, name: str) -> Piece:
    if name[0] in "+-":
        return _weighed(Piece(name[1:], None, 1 if name[0] == "+" else -1))
    return _weighed(Piece(wording, _STANCES.get(name), ends_clause=name in ("stop", "will")))


def _word(wording: str) -> Piece:
    key = stem(wording) if wording[0] in _LETTERS else wording
    return _weighed(Piece(key, None, ends_clause=key in _MARKS or key == "的"))


def _weighed(piece: Piece) -> Piece:
    is_light = piece.ends_clause or is_stop_word(piece.key) or piece.key.endswith(("ly", "automat"))
    reach = _weight(piece.key) if piece.stance is None else _reach(piece.key)
    return piece._replace(is_light=is_light, is_act=piece.key.startswith("act:"), reach=reach)


@read_once
def read_stances(text: str) -> Reading:
    """Collect the stance of every act and word of a text in the normal form of `words.normalise`."""
    stances: dict[str, frozenset[Stance]] = {}
    heads: set[str] = set()
    cue: Stance = "plain"
    left, joined, far, is_fresh, before = 0, 0, 0, False, ""
    for key, force, sign, ends_clause, is_light, is_act, reach in read_pieces(join_list(text)):
        if force is not None:
            cue = _combine(cue, force) if is_fresh else force
            left, joined, is_fresh = reach, reach, True
            far = 0 if reach <= 1 else _REACH_ACT
            continue
        if key in _OR and before.startswith("act:"):
            left = joined
        elif ends_clause:
            left, joined, far, is_fresh = 0, 0, 0, False
        if is_light:
            if key == "to" and cue == "need_not" and left < joined:
                # What nobody needs a thing for is not denied: "you need no receipt to exchange it".
                left, far = 0, 0
            continue
        is_fresh = False
        # In 不需要为恢复供电支付 the denial passes over what is done for.
        is_aim = is_act and before == "为"
        stance = cue if not is_aim and (left > 0 or (is_act and far > 0)) else "plain"
        far = 0 if is_act else far - 1
        if sign < 0:
            _take(stances, f"{key} undone", stance)
            heads.update((key, f"{key} undone"))
        _take(stances, key, stance if sign > 0 else _opposite(stance))
        if left > 0 and stance != "plain":
            heads.add(key)
        before = key
        left = 0 if is_act and not is_aim and key not in _LIGHT_ACTS else left - reach
    return Reading(stances, frozenset(heads), frozenset([key for key in stances if key.startswith("act:")]))


def join_list(text: str) -> str:
    """Put "nor" between all that one denial denies: "not sell, rent or share"."""
    if ", " not in text or not (" or " in text or " nor " in text):
        return text
    return _LISTED.sub(lambda found: _BETWEEN.sub(" nor ", found.group()), text)


def _take(stances: dict[str, frozenset[Stance]], key: str, stance: Stance) -> None:
    taken = stances.get(key)
    if taken is None:
        stances[key] = _ALONE[stance]
    elif stance not in taken:
        stances[key] = taken | _ALONE[stance]


def _weight(key: str) -> int:
    """Give how much of a cue's reach a word takes up."""
    if key.startswith("act:"):
        return 2
    if key.isascii():
        return _REACH_HAN // _REACH_WORDS + 1
    return 0 if key in _PREPOSITIONS else min(len(key), 2)


def _reach(cue: str) -> int:
    if cue in _REACH_ONE:
        return 1
    return _REACH_CLAUSE if _HOLDS_CLAUSE.match(cue) else _REACH_HAN


def _combine(first: Stance, second: Stance) -> Stance:
    """Join two cues in a row: a negation of a permission forbids, two negations affirm."""
    if first == "plain":
        return second
    if is_negative(first) and is_negative(second):
        return "plain"
    return first if is_negative(first) else second


def _opposite(stance: Stance) -> Stance:
    return "plain" if is_negative(stance) else "not"
