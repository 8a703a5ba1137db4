"""Know what promises and sweeps: guarantees, whole sums, for ever, everyone, without exception."""

import re
from collections.abc import Iterator

from knowledge.validation.closeness import close_sentences
from knowledge.validation.lexicon import compile_by_start, make_bilingual, make_lexicon, name_wordings
from knowledge.validation.words import normalise

# (kind, wordings). A claim may use a kind only when a quote uses the same kind, in whichever language.
_KINDS: tuple[tuple[str, str], ...] = (
    (
        "guarantee",
        r"保证(?!金)|担保(?!人|物|公司)|(?:我们|本店|平台|我方|公司)承诺|包退|包赔|\b(?<!three[-\s])guarant\w*|\bwe\spromis\w*|\bpromised?\b(?=\s(?:to|that|you))|\bassur\w*|\bensur\w*|\bno\smatter\swhat\b|\brest\sassured\b",
    ),
    ("warranty", r"\bwarrant\w*"),
    (
        "certain",
        r"一定(?![下了好完]|程度|期限|期间|范围|条件|数量|金额|比例)|必定|必然|肯定|绝对|务必会|百分之?百|百分百|\bdefinitely\b|\bcertainly\b|\babsolutely\b|\bsurely\b|\bwithout\sfail\b|\b(?:certain|sure)\sto\b",
    ),
    (
        "whole sum",
        (
            r"全额|全款|足额|全部(?:退|返|赔)\w*|完全退款|全数|\bfull(?:y)?[\s-](?:refund\w*|amount|price|credit|compensat\w*|reimburs\w*)|\b(?:refund\w*|reimburs\w*|paid|money|back)\b[^.;]{0,24}\bin\sfull\b"
            r"|\b(?:everything|all\s(?:of\s)?(?:your|the)\smoney)\sback\b|\bevery\s(?:cent|penny)\b|一分不少|\bentire\s(?:amount|price|sum|payment)\b|\bin\sfull\b|100\s?%"
        ),
    ),
    (
        "for ever",
        r"终身|终生|永久|永远|无限期|\bforever\b|\bfor\sever\b|\blifetime\b|\bfor\slife\b|\bpermanent\w*|\bindefinite\w*|\bperpetual\w*",
    ),
    (
        "always",
        r"始终|总是|随时|任何时候|任何时间|什么时候(?=[^,，。;]{0,12}[都也])|\balways\b|\bany\s?time\b|\bat\sall\stimes\b|\bwhenever\b|24/7",
    ),
    (
        "without exception",
        (
            r"一律|无一例外|即使|即便|哪怕|就算(?=[^,，。]{1,16}[也都])|纵使|无条件|没有例外|毫无例外|不管(?!了|用)|不论|无论|概不|\bno\sexceptions?\b|\bwithout\s(?:any\s)?exceptions?\b|\bunconditional\w*|\bregardless\b|\bno\smatter\b|\beven\s(?:if|when|without)\b|\bdespite\b|\bin\sspite\sof\b|\bno\squestions\sasked\b"
            r"|\bunder\sany\scircumstances?\b|任何情况下|\bin\s(?:all|any|every)\scases?\b|\bwhether\sor\snot\b|\bor\snot\b"
        ),
    ),
    (
        "everything",
        r"全部|(?<![家者人方])所有(?![权者])|全体|一切|任何|每(?:个(?!月|星期|季|工作|自然|小时)|位|一(?!年|月|日|天|周)|件|张|笔|种)|凡是?(?![^,;。]*的(?=[,;。]))|各种|\ball\b|\bevery\w*(?!\selse|\s(?:day|week|month|year|hour|business|working))|\bany(?:one|body|thing|where)?\b(?!\selse)|\bnone\sof\b|(?<!谁)都不|均不",
    ),
    (
        "free",
        r"免费|不收费|无需付费|不收取|(?<!-)\bfree(?:\sof\scharge)?\b(?!\s(?:not\s)?to\b|\s(?:from|up|trial|plan|account|tier|version|space|time|choice|hand)s?\b|\sof\s(?!charge|cost))|\bat\sno\s(?:additional\s|extra\s)?(?:cost|charge)\b|\bno\s(?:additional\s|extra\s)?(?:charge|fee|cost)s?\b|\bcosts?\s(?:you\s|them\s)?nothing\b|\bpays?\snothing\b|\bfor\snothing\b|\bnothing\sextra\b|\bwithout\s(?:an?\s|any\s)?(?:fee|charge|cost|payment|penalty)\b|不用花钱|不要钱|全免|\bcomplimentary\b|\bgratis\b",
    ),
    ("unlimited", r"无限(?!期)|不限(?!于)|没有上限|\bunlimited\b|\bno\slimits?\b|\bas\smany\sas\syou\s(?:like|want)\b"),
    (
        "any reason",
        r"\bfor\s(?:any|whatever)\sreason\b|\bwhatever\s(?:the|your|their|his|her)\sreasons?\b|任何(?:理由|原因)(?![^,，。;]{0,12}不)",
    ),
    (
        "whatever",
        r"(?<=,\s)what(?:ever|soever)\b|(?<![\s\S])whatever\b(?=[^,.;]*,)|\bwhatever\s(?:happens|the|(?:your|his|her|its|their)\s(?:reasons?|purpose|age|income|circumstances|situation))\b|\bhowever\s\w+\s(?=(?:you|the|it|they|we|your|their)\b)",
    ),
    (
        "unasked",
        r"\bautomatic\w*|自动(?!售|取|柜|挡|化)|\bof\s(?:its|their)\sown\saccord\b|\bwithout\s(?:you|your|anyone)?\s?(?:having\sto\s|needing\sto\s)?(?:ask|request|apply)\w*|(?:无需|不用|不必)(?:您|你)?(?:申请|提出|提交|操作)",
    ),
    ("no matter", r"也(?:没关系|不要紧|无所谓|没事(?!先)|无妨)"),
    ("including", r"(?<!不)包括|\bincluding\b"),
    ("whole", r"\bwhole\b|\bentire\b"),
    ("exact", r"(?:正好|刚好|恰好)(?![撞赶碰遇是逢])|整整|\bexactly\b|\bprecisely\b"),
)
_COMPILED = tuple((kind, compile_by_start(pattern)) for kind, pattern in _KINDS)

_LEXICON = make_lexicon(_KINDS, figures="12")
_PROMISE = re.compile(_LEXICON.source)

# Under a negation or a condition "any" sweeps nothing.
_HARMLESS_ANY = make_bilingual(
    r"\bfree\snot\sto\b(?:[^,.;]*?\bany\w*)?|\bat\sall\b(?!\stimes)|\ball\s(?:you|we|they|i|he|she|it)\s[a-z]+\b|\bany\s(?:\w+\s){0,2}(?:isn't|aren't|is\snot|are\snot|can't|cannot|won't|isn't)\b|\b(?:after|first\sof|in|above|that's|is)\sall\b(?=[,.;]|$)|\ball\s(?:told|at\sonce|in\sone|in\sall|together|along|set|right|the\s(?:way|same|while|more))\b|\bany\s(?:more|longer|further|sooner|later|earlier|way)\b|[和及与跟、两三四双各][^,;。]{1,16}[都均]不|(?:n't|\b(?:not|never|if|nor|unless|whether|hold\soff|avoid|refrain|refuses?|before))\b[^,.;]*?\bany\w*|\b(?:no|without)\s(?:\w+\s)?any\w*|\b(?:if|unless|where|when|or)\s(?:\w+\s){0,2}none\b|(?:n't|\bnot)\sautomatic\w*|不(?:会|是|用|能)?(?:交给|由|靠|被)?自动|任何(?!情况|时候)(?=[^,。;]{0,12}不)"
)

# What is denied is not promised ("no guarantee", 不是所有), and who asks for all of something asks for more, not for less:
# "once everything is paid".
_WEAKENED = make_bilingual(
    r"(?:n't|\b(?:not|never|nor|hardly|no|without|far\sfrom))\s(?:(?:be|been|a|an|the|any|to|make|give|really|quite|is|are|was|were)\s)*(?:guarant\w*|promis\w*|assur\w*|ensur\w*|all|every\w*|automatic\w*|for(?:ever|\sever|\slife)|permanent\w*|lifetime|unlimited|in\sfull|fully|whole|entire|exactly|precisely)\b"
    r"|\b(?:if|once(?!\severy\s)|when|until|unless|as\slong\sas|provided(?:\sthat)?|after|before)\s(?:all|every\w*|the\s(?:whole|entire))\b"
    r"|[不没未非无别勿](?:(?:是|会|能|得|可|敢|再|作出?|做出?|提供|属于|算|等于|代表|意味着|见得|需|必|要|准|许|有|对|给|用)以?)*(?:保证|担保|承诺|永久|终身|全额|全款|全部|所有|每|无限)"
    r"|(?:只要|如果|等到?|待|除非|只有|直到|一旦)(?:是|您|你)?(?:全部|所有|全体|一切)"
)

# "Some" and "any" are close in English; sweeping wordings imply one another.
_IMPLIED_BY = {"everything": ("everything", "whole", "without exception", "always", "whole sum"), "always": ("always", "without exception"),
               "certain": ("certain", "guarantee"), "without exception": ("without exception",), "no matter": ("no matter", "without exception"),
               "whatever": ("whatever", "without exception", "everything", "always")}  # fmt: skip

# What holds each time holds whenever it comes about.
_WHENEVER = re.compile(
    r"\bwhenever\b(?!\s(?:(?:you|they|we)\s)?(?:like|want|wish|need|please|choose|feel))|\bevery\s(?:single\s)?time\b"
)
_EACH_TIME = re.compile(r"\b(?:each|every|any)\s(?:\w+\s)?(?:time|occasion|case|instance)s?\b|每一?次|每当|凡")

# Who or what a rule is about is no sweep: "anyone ordering more than …", "anything beyond that".
_DESCRIBED = re.compile(
    r"\bany(?:one|body|thing)\s(?=(?:who|that|over|beyond|above|under|below|within|with|in|on|at|from)\b|\w+ing\b|(?!you\b|we\b)\w+ed\b)"
)

# What comes about by itself needs nobody's asking.
_BY_ITSELF = re.compile(
    r"\b(?:itself|themselves|renews?|expires?|lapses?|deemed|without|regarded|considered)\b|视为|自然|无需|不需要?|直接|即行"
)

# What is not charged, is included, or is paid by somebody else is free.
_NOT_CHARGED = re.compile(
    r"(?:n't|\bnot|\bnever)\s(?:be\s)?(?:charged|billed)\b|\bincluded\b|\bnothing\b|(?<!may\s)\bwaive[sd]?\b|\bwe\s(?:bear|pay|cover)\s(?:for\s)?(?:the\s|all\s)?(?:\w+\s)?(?:costs?|shipping|postage|fees?|charges?)\b|(?:n't|\bnot)\scost\b|(?:n't|\bnot)\s(?:have|need)\sto\spay\b|\bat\s(?:our|its)\sown?\s?(?:cost|expense)\b|免(?:收|除|运费|邮|费|交|缴|付)|包邮|不(?:再|另|加|予)?(?:另|加|额外)?(?:收|计费)|(?:无需|不用|不必|无须|不需要?)[^,;。]{0,6}(?:支付|付|交|缴|出|承担)|无偿|不承担[^,;。]{0,8}(?:费|款)|\bwithout\s(?:\w+\s){0,2}(?:charge|cost|fee|payment)|\bno\s(?:\w+\s){0,2}(?:charge|cost|fee|payment)|\bfree\b|不(?:[得应能可许准会予]以?)[^,;。]{0,10}收|\b(?:not|never|cannot|can't|n't)\s(?:\w+\s)?(?:charge|bill|pay)\b|由(?!您|你|用户|消费者|旅客|买家|顾客|客户|业主|寄件|收件|投诉人|申请人)[^,;。]{1,12}(?:承担|负担|支付|出)|\b(?:borne|paid|covered|met)\sby\s(?!you\b|the\s(?:customer|buyer|user|guest|tenant|owner|passenger))|\bcovers?\s(?:\w+\s){0,3}costs?\b|赠送|附赠|[£$€¥]0\b|(?<!\d)0元|\bfees?\s(?:is|are)\s(?:waived|not)|由(?:商家|卖家|平台|厂家|经营者|我们|我方|本店)承担"
)

# What holds for each one holds for every one.
_EACH = re.compile(
    r"\b(?:per|each|both|public(?:ly)?|(?:any|every)(?:one|body|thing)\selse)\b|公[开示布众]|共同|共有|\btimes\sthe\snumber\b|乘以|每|各|均|单(?:件|笔|个|次|张|人)"
)


# What else a quote may say that makes a promise, by its kind.
_OTHERWISE: dict[str, re.Pattern[str]] = {
    "free": _NOT_CHARGED,
    "everything": _EACH,
    "unasked": _BY_ITSELF,
    "certain": re.compile(r"\bnot\snecessarily\b|不必然"),
    "without exception": re.compile(
        r"(?:所有|各种?|任何|一切)[^,;。]{0,4}(?:情况|情形)|\b(?:all|any|every)\s(?:\w+\s)?(?:cases?|circumstances|events?)\b"
    ),
    "no matter": re.compile(r"[未没][^,;。]{1,8}的,|不影响"),
    "including": re.compile(r"含|包括|等|以及|和|、|及|或|\b(?:includ\w*|such\sas|like|and|or|all)\b"),
    "whole": re.compile(r"(?<!of\sthe\s)\b(?:total|full(?:y)?|all|every|through\w*|complete(?:ly)?)\b|总|整|全|所有"),
    "whole sum": re.compile(
        r"全部(?=的?(?:款|费|金额|价款|押金|定金|订金|保证金|学费|团费|保费))|全数"
        r"|(?<!of\sthe\s)\btotal\b|总额|\b(?:entire|whole|full|all\s(?:of\s)?(?:the|your))\s(?:\w+\s)?(?:amount|price|sum|payment|fee|deposit|cost|money)s?\b"
    ),
    "for ever": re.compile(r"\b(?:never|not|no)\s(?:\w+\s)?expir\w*|n't\sexpire|不(?:会)?过期|长期有效|永不"),
    "unlimited": re.compile(
        r"(?:n't|\bnot)\s(?:be\s)?(?:limited|capped|restricted)\b|\bno\s(?:cap|maximum|upper\slimit|restriction)|不设|不限|没有限制"
    ),
    "warranty": re.compile(r"\bguarant\w*|\bcover(?:s|ed|age)?\b|保修|质保|三包"),
    "any reason": re.compile(
        r"\bno\sreasons?\b|\bwithout\s(?:\w+\s){0,2}reasons?\b|无理由|无条件|无需(?:说明)?理由|不论|无论|\bregardless\b|\bany\sreason\b"
    ),
}

# Who names all cases of a kind excepts none of them: "with or without notice", "whether sold, lent or given away".
_ALL_NAMED = re.compile(
    r"\bwith\sor\swithout\b|\bwhether\b[^.;]*?\bor\b|\bor\sotherwise\b|\bany\sor\sno\b|\balways\b|始终|总是|凡是?|或者?(?:以|通过|因)?其他(?:任何)?(?:方式|途径|原因)"
)

# "Even if it only might happen": so say quotes that hold for what happens or may happen.
_EVEN_MAYBE = re.compile(
    r"(?:即使|即便|哪怕|就算)(?:只是|仅仅)?有?可能|\beven\s(?:if|when)\s[^,.;]*\b(?:may|might|could|possible)\b"
)
_OR_MAYBE = re.compile(r"或者?(?:有)?可能|\bor\s(?:may|might|could)\b|可能|\b(?:suspect|potential)\w*")


def find_promises(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the promises of a claim that none of its quotes makes."""
    said = _WEAKENED.sub(" ", _DESCRIBED.sub(" ", _HARMLESS_ANY.sub(" ", normalise(claim))))
    texts = tuple(map(normalise, quotes))
    for kind, wording in dict(name_wordings(_LEXICON, _PROMISE, said)).items():
        if not any(_promises(text, kind) for text in texts) and not _names_case(
            said, close_sentences(claim, quotes), kind
        ):
            yield wording


def _names_case(said: str, texts: tuple[str, ...], kind: str) -> bool:
    """Tell whether the quotes hold for all cases that a claim sweeps together: for each that comes about, or may."""
    if kind == "always" and _WHENEVER.search(said):
        return any(map(_EACH_TIME.search, texts))
    if kind != "without exception":
        return False
    all_named = _OR_MAYBE if _EVEN_MAYBE.search(said) else _ALL_NAMED
    return any(map(all_named.search, texts))


def _promises(text: str, kind: str) -> bool:
    otherwise = _OTHERWISE.get(kind)
    if otherwise is not None and otherwise.search(text):
        return True
    kinds = _IMPLIED_BY.get(kind, (kind,))
    return any(pattern.search(text) for name, pattern in _COMPILED if name in kinds)
