"""Check that a claim denies something where its quotes deny, and nothing where they deny nothing."""

import re

from knowledge.validation.clauses import close_clauses
from knowledge.validation.lexicon import compile_by_start, make_bilingual, sort_alternatives
from knowledge.validation.readings import read_once
from knowledge.validation.stances import Piece, is_negative, may_deny, read_pieces
from knowledge.validation.words import normalise

# Negations that deny nothing: a bound, a choice, an alternative, a figure of speech.
HARMLESS = re.compile(
    r"(?=[不未没是或还非,chmnopw]|.不)(?:不(?:(?<![看找听收拿查用]不)到|足|满(?!意)|少于|低于|多于|高于|超过|超出|晚于|早于|迟于|大于|小于|短于|长于|得(?:少于|低于|超过|多于|高于|晚于|早于)|知道|过(?!期)|好意思)"
    r"|\b(?:costs?|pays?)\s(?:\w+\s)?nothing\b|\bnothing\sextra\b|https?://\S+|未满|不设上限|是否|(.)不\1|不(?:服|满意|认可|赞同)|不同意(?=的?[,，])|(?:或者?|还是)(?:不|未|不予)|没(?=问题|关系|事(?![先前实]))|不(?:要紧|碍事)|无(?:所谓|妨)|(?:别|不用|不必|无需)担心|\bno\s(?:problem|worries)\b|\b(?:doesn't|does\snot|won't)\smatter\b|非因?(?=消费者|商家|经营者|买家|卖家|本人|您|我)"
    r"|(?<![并绝均皆亦决])非(?=[\u4e00-\u9fff])|\bnon-(?!\w+[ai]ble\b)(?=\w)|\b(?:never|not|no|n't)\s(?:\w+\s)?(?:less|more|fewer|later|earlier|sooner|longer(?=\sthan)|shorter|exceed\w*|over|above|below|under|higher|lower|worse|better|smaller|larger|cheaper)\b(?:\sthan)?"
    r"|\bwithout\slosing\b|\bnot,?(?:\s\w+){1,3},\snecessarily\b|\b(?:not|n't)\s(?:\w+\s){0,2}(?:right\saway|straight\saway|immediately|at\sonce|necessarily|always)\b|不(?:会|是)?(?:马上|立即|立刻|一定|总是)"
    r"|\bnot\s(?:only|just|merely)\b|\bor\snot\b|\bno\s(?:matter|problem|longer\sthan)\b|(?:,\s?|\b(?:and|but)\s|^)not\s(?:by|the|a|an|at|on|to|in|from|with|through|during|via|under|within|after|before|until|when|because|just|any|every|your|our|their|its)\b|而(?:不是|非|并非)|不是(?=[^,;。]*,?而是)"
    r"|不(?:能|得|会|可以?|应)比[^,;。]{1,16}?还?(?:少|低|高|多|晚|早|短|长)"
    r"|\b(?:may|can)\sonly\b|[不没未]有?(?:免除|免责|豁免|取消|拒绝|影响|妨碍|排除|限制|例外|问题)"
    r"|\bno\s(?:additional|extra)?\s?(?:charge|cost|fee)s?\b)"
)

# Whoever cannot get round something has to do it: 躲不掉赔偿, "cannot avoid paying".
FORCED = make_bilingual(
    r"(?<!可)[躲逃推赖跑免少避脱]不(?:掉|了|开|过|脱|得)|(?:不[得能许准会可该应]?以?|没法|无法|休想|别想)[^,;。不]{0,4}(?:推脱|推掉|推诿|推卸|推托|躲|逃|赖掉|抵赖|回避|规避)"
    r"|\b(?:can|may|must|could|do|does|will|shall)(?:not|n't|\s(?:not|never))\s(?:\w+\s)?(?:escape|dodge|evade|shirk|avoid|get\sout\sof|opt\sout\sof)\b"
    r"|\bno\s(?:escap|dodg|evad|avoid|getting\sout)\w*"
)

# Two denials in a row demand: 不能推着不办.
_DOUBLED = re.compile(r"不[得能许准可该应]以?[^,;。不也]{1,6}不[^,;。]{1,3}(?=[,;。]|$)")

# What a sentence supposes it does not deny: "if it was not used, …", 未按期发货的，….
SUPPOSED = make_bilingual(
    r"(?:^|[,，;；:：。])[^,，;；:：。]*(?:的(?=[,，])|(?:没有?|未|不)[^,，;；:：。]*[,，](?=[^,，;；:：。]*就)|(?:没有?|未|不(?![得能会可予再用必准许]))[^,，;；:：。]*[,，](?![也且并更还又而])(?=[^,，;；:：。]*(?:不|没))|(?:没有?|未|不)[^,，;；:：。]{1,10}就|(?:没|未)[^,，;；:：。]{1,8}?(?=同样|照样|仍然?可|也可以|也能))|(?:如果|如|若|倘若|未经)[^,，;；。]*[,，]"
    r"|(?:^|(?<=[.;!?]))[^.;!?,]*(?:,[^.;!?,]*)?\?(?=\s?\w)|(?:不论|无论|不管)[^,;。]*|\b(?:whether|regardless\sof)\b[^,;.]*|\b(?:if|when|where|once|unless|in\scase|should|without|even\sthough)\b[^,;.]*|(?:^|(?<=[.;]\s))(?:although|though)\b[^,;.]*|(?:^|(?<=[.;]\s))(?:as|since|now\sthat|given\sthat|seeing\sthat)\b[^.;]*,(?=\s(?:you|we|i|it|they|the|your|our|there)\b)|(?:虽然|虽|尽管|即使|即便|哪怕|就算)[^,;。]*,|[^,;。:]*(?:没关系|不要紧|没事|无所谓|无妨)(?=,)"
)

# Words that deny without a negation.
_DENYING = (
    r"\b(?:only|solely(?!\sresponsible)|nothing|none|nobody|neither|unless|except\w*|exclu\w+|refus\w*|reject\w*|declin\w*|den(?:y|ies|ied)|fail\w*|final|void\w*|"
    r"los(?:e|es|ing|t)|stop\w*|forfeit\w*|fixed|off\sthe\stable|out\sof\sthe\squestion|rul(?:ed|es)\sout|no[-\s]go|off[-\s]limits|too\slate|invalid\w*|lapse\w*|prohibit\w*|forbid\w*|forbidden|ban(?:s|ned)?|ineligib\w*|unable|"
    r"impossible|non|without|instead|rather|apart|gone|block\w*|prevent\w*|cease\w*|cut\w*|expir\w+|stay(?:s|ed)?|remain\w*|comes?\soff|lack\w*|miss(?:es|ing)|withh\w+|"
    r"waive\w*|un(?:available|able|authori[sz]ed|permitted|changed|affected|refundable)\w*|in(?:accessible|sufficient|complete|correct|eligible|adequate)\w*|"
    r"non\w+able|on\stop\sof|ends?|ended|wo|out\sof|extra|yourself|delet\w*|remov\w*|eras\w*|purg\w*|closed?|cancel\w*|free\sof)\b"
    r"|免谈|没戏|别想|休想|行不通|没门|白搭|泡汤|落空|仅|只(?!要)|除|拒|停|禁|失效|作废|终止|才|否则|自理|[得要须需]自[己行]|删|清除|取消|免(?!费)|丧失|失去|为限|另|无|缺|放弃|驳回|归零|清零|截止|别(?!的|人)|难"
)
DENYING_WORD = re.compile(sort_alternatives(_DENYING))

# What a quote may say for a claim to deny: any limit or failure.
_LIMITING = re.compile(
    r"\b(?:only|solely|nothing|none|unless|except\w*|exclu\w+|refus\w*|reject\w*|declin\w*|fail\w*|final|void\w*|los(?:e|es|t)|forfeit\w*|invalid\w*|"
    r"prohibit\w*|forbid\w*|ineligib\w*|unable|non|without|instead|rather|lack\w*|limit\w*|beyond|exceed\w*|other\sthan|otherwise|in\w+ible|exempt\w*|free|"
    r"fixed|stop\w*|end(?:s|ed)?|cease\w*|clos\w+|delet\w*|remov\w*|gone)\b"
    r"|仅|只|除|拒|禁|失效|作废|否则|免|丧失|为限|无|缺|外|限|过期|超|逾|反|违|受|非|停|终止|取消|清零|删"
)
# "At the office, not at the museum" denies, though nothing of the rule.
_CONTRASTS = re.compile(r",\s?not\s|[,而]不是")
# "Also" and "still" carry a rule on to a case that the quotes shut out.
_ALSO = re.compile(
    r"也(?:可以?|能|会|要|得|算|适用|有效|在)|仍|照样|同样|依然|\b(?:also|still|even(?!\s(?:one|an?|the\s(?:first|slightest)|part|a\ssingle)\b)|anyway|nevertheless|too)\b"
)
SUCH = compile_by_start(
    r"(?:没有?|未|不(?![再会能得予可应需用必])|无(?![法权需须论]))(?:[a-z0-9. -]+|[^,，;；。]){1,12}的|\bor\sno\b|\bwith\sno\s\w+|\bwithout\s(?:an?\s|the\s)?\w+"
)

# What is supposed to be wanting.
_LACKS = re.compile(
    r"\b(?:without|missing|lack\w*|fail\w*|un\w{4,}|in(?:complete|correct|sufficient)|miss(?:es)?|refus\w*|late|outside|except\w*)\b|缺|逾|拒|无|失败|除"
)
_NEEDS = re.compile(
    r"\b(?:must|needs?|requir\w*|ha(?:s|ve)\sto)\b|^(?!.*\b(?:can|may|could)\b).*?\b(?:before|until)\b|须|需|应|得|要|必须|才"
)
_UNLESS = re.compile(r"\b(?:without|unless|until|before)\b|未经|除非|没有")
_DEMANDS = re.compile(
    r"\b(?:must|needs?|requir\w*|has\sto|have\sto|shall|only|provided|as\slong\sas|if)\b|须|需|应当?|必须|凭|才|只有|方可|如果|的[,，]|且"
)

# Beyond a limit, and within it.
BEYOND = compile_by_start(
    r"超过|逾|以后|之后|[\d日天周月年时]后|不到|不足|未满|没到|前|过了?|\b(?:after|before|beyond|past|outside|later|over|under|once|more\sthan|less\sthan)\b"
)
WITHIN = re.compile(
    r"以内|之内|内|期间|以前|之前|前|不超过|最多|\b(?:within|before|until|till|up\sto|at\smost|during|no\smore\sthan|by)\b"
)

PREFIXED = re.compile(r"\b(?:un|non-?)(?!\w*(?:ment|tion|ance|ence)\b)([a-z]{4,})\b")
_BEHIND = 7


def find_ungranted(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what every close rule of the quotes denies and a claim does not; None if there is nothing."""
    said = normalise(claim)
    if _answers_denial(said) or not any(may_deny(normalise(quote)) for quote in quotes):
        return None
    clauses = close_clauses(claim, quotes)
    theirs = tuple(first_denial(SUCH.sub(" ", SUPPOSED.sub(" ", clause))) for clause in clauses)
    if not theirs or None in theirs:
        return None
    # "Not without consent" and "consent is needed" say the same.
    asks = _NEEDS.search(said) is not None and any(map(_UNLESS.search, clauses))
    return None if asks else theirs[0]


def find_undenied(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what a claim denies where its quotes limit and deny nothing; None if there is nothing."""
    said = normalise(claim)
    mine = _denial_of_rule(said)
    if mine is None or any(map(_limits, quotes)):
        return None
    is_beyond = BEYOND.search(said) is not None and any(WITHIN.search(normalise(quote)) for quote in quotes)
    return None if is_beyond or turns_demand(said, quotes) or _spells_out(said, quotes) else mine


def _spells_out(said: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether a claim denies with a word what its quotes deny with a prefix: "not worn" for "unworn"."""
    return any(word in said for quote in quotes for word in PREFIXED.findall(normalise(quote)))


def says_bare(word: str, text: str) -> bool:
    """Tell whether a text has a word without a prefix."""
    return (
        re.search(rf"(?<![a-z-])(?<!not\s)(?<!not been\s)(?<!n't been\s)(?<!n't\s)(?<!never\s){word}\b", text)
        is not None
    )


def turns_demand(said: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether a claim denies the consequence of a case it denies: "without proof no claim" says that proof is needed."""
    if not (may_deny(said) or _LACKS.search(said)):
        return False
    cases = (*SUPPOSED.findall(said), *SUCH.findall(said))
    denied = any(first_denial(case) is not None or _LACKS.search(case) for case in cases)
    return denied and any(_DEMANDS.search(normalise(quote)) for quote in quotes)


def _denial_of_rule(said: str) -> str | None:
    """Give what a claim denies beyond describing a case: 没穿过的 describes."""
    if not may_deny(said):
        return None
    return first_denial(SUCH.sub(" ", SUPPOSED.sub(" ", _DOUBLED.sub(" ", FORCED.sub(" ", said)))))


def _answers_denial(said: str) -> bool:
    """Tell whether a claim denies anything itself, beyond describing a case that it then lets in."""
    if _ALSO.search(said):
        return _denial_of_rule(said) is not None
    return denies(said) or _CONTRASTS.search(said) is not None


# What is not waived stays as it is.
_KEPT = re.compile(r"[不没未]有?(?:免除|免责|豁免|取消|拒绝|影响|妨碍|排除|限制|例外)")


def _limits(quote: str) -> bool:
    said = _KEPT.sub(" ", normalise(quote))
    return first_denial(said) is not None or _LIMITING.search(said) is not None


def denies(said: str) -> bool:
    """Tell whether a text in normal form denies anything, with a negation or without."""
    return first_denial(said) is not None or DENYING_WORD.search(said) is not None


@read_once
def first_denial(text: str) -> str | None:
    """Give the first word of a text in normal form that denies something; None if it denies nothing."""
    if not may_deny(text):
        return None
    pieces = read_pieces(HARMLESS.sub(" ", text))
    return next((piece.key for at, piece in enumerate(pieces) if _denies(pieces, at)), None)


def _denies(pieces: tuple[Piece, ...], at: int) -> bool:
    """Tell whether a piece is a negation that no undoing word behind it takes back: "will not remove" keeps."""
    stance = pieces[at].stance
    if stance is None or not is_negative(stance):
        return False
    behind = [piece for piece in pieces[at + 1 : at + _BEHIND] if not piece.is_light]
    return not any(piece.sign < 0 for piece in behind[:3])
