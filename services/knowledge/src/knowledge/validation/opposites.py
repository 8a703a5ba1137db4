"""Know the states of which a policy says one or the other: free or charged, kept or lost, renewed or ended."""

# (state, wordings of it, wordings of its opposite), in the form of `concepts.ACTS`. They stand before acts, which they may hold.
_OPPOSITES: tuple[tuple[str, str, str | None], ...] = (
    ("pay", r"交(?=[^,。;]{0,4}[费钱])", None),
    (
        "charge",
        r"\bcosts?\s(?=(?:\w+\s)?[£$€\d])|收费|付费|付钱|掏钱|(?<!代)收(?=[^,;。]{0,4}费)|要钱|花钱|计费|有偿|\b(?:fees?|charges?|surcharges?)\s(?:appl(?:y|ies)|(?:is|are)\s(?:payable|due|charged|added|levied))\b|\bthere(?:'s|\sis|\sare)\s(?:an?\s)(?:\w+\s)?(?:fee|charge)s?\b|\bsubject\sto\s(?:an?\s)(?:\w+\s)?(?:fee|charge)\b",
        r"免费|包邮|免(?:收|运费|邮费|邮|除费用|(?=[^,;。免]{0,3}费))|无偿|\bfree\sof\scharge\b|\bfor\s(?:free|nothing)\b|\b(?:is|are|be|travel|travels|ride|rides|ship|ships|it|them)\sfree\b(?!\s(?:to|of)\b)|\bcomplimentary\b|\bat\sno\s(?:additional\s|extra\s)?(?:cost|charge)\b|\bwaive[sd]?\b",
    ),
    (
        "last",
        r"结转|顺延|累计到|留到|还在(?=$|[,;。了])|仍可(?:以)?(?:继续)?(?:使用|享)|仍能(?:继续)?使用|还能(?:接着|继续)?用|\bstill\s(?:be\s)?(?:valid|usable|good|used)\b|不影响|不妨碍|不受[^,;。]{0,4}影响|没有?影响|\b(?:do|does|will|shall)(?:n't|\snot)\saffect\b|\b(?:has|have)\sno\s(?:effect|impact|bearing)\son\b|\b(?:carr(?:y|ies|ied)|roll(?:s|ed)?)\s(?:over|forward)\b|\b(?:remains?|stays?)\s(?:valid|in\sforce|available|on\s(?:your|the)\saccount)\b",
        r"清零|归零|作废|失效|过期|没了|丧失|失去|\bno\slonger\svalid\b|\b(?:expir(?:e|es|ed|y)|laps(?:e|es|ed)|forfeit(?:s|ed|ure)?|los(?:e|es|ing|t)|void(?:s|ed)?)\b",
    ),
    (
        "renew",
        r"续期|续约|续订|(?<!手)续费|续租|再续|\brenew(?:s|ed|al|ing)?\b",
        r"到期(?:后|时|就|即)?(?:自动)?(?:终止|结束|失效)|自动(?:终止|结束)|\bends?\s(?:by\sitself|automatically|on\sits\sown)\b",
    ),
    (
        "include",
        r"包含|包括|含有|含(?=税|运|邮|早|餐|服|关|保|安|配)|已含|\binclud(?:e|es|ed|ing)\b|\bcomes?\swith\b|\bpart\sof\sthe\sprice\b",
        r"另(?:外)?(?:付|收|交|算|计|购)|另需(?:支)?付|\bon\stop\sof\b|\bextra\sfor\b|\bseparately\b|\bexclud(?:e|es|ed|ing)\b(?!\sfrom)|\bexclusive\sof\b",
    ),
    (
        "combine",
        r"叠加|同享|同时使用|一起使用|一起用|合并使用|\b(?:combin(?:e|es|ed|ing)|stack(?:s|ed|ing)?|together\swith|in\sconjunction\swith)\b",
        r"单独使用|只能用一个|\bone\sat\sa\stime\b",
    ),
    (
        "refund",
        r"(?:(?<=[费金款钱])|(?<=[费金款钱][不可会能全])|(?<=[费金款钱]可以)|(?<=[费金款钱]概不)|(?<=[费金款钱]也不会)|(?<=[费金款钱]不会)|(?<=[费金款钱]也会)|(?<=[费金款钱]也不)|(?<=[费金款钱]都不))退(?![货出订房换票])|\bget(?:s|ting)?(?=\s(?:[a-z'£$€\d.]+\s){0,5}?(?:back|refunded|reimbursed)\b(?!\sto\b))|\b(?:returned|credited|paid\sback|goes\sback)\sto\s(?:the|your)\s(?:\w+\s)?(?:account|card)\b",
        r"\b(?:non-?refundable|no\srefunds?)\b",
    ),
    (
        "deliver",
        r"照常(?:发货|配送|送货)",
        r"(?:暂停|停止|不再)(?:发货|配送|送货)",
    ),
    (
        "accompany",
        r"陪同|陪伴|\baccompan(?:y|ies|ied)\b",
        r"\balone\b|\bon\s(?:your|their|his|her)\sown\b|\bunaccompanied\b|独自|一个人|单独(?=[入乘前参进])",
    ),
    (
        "return",
        r"交还|归还",
        r"\bkeep\s(?=(?:the\s\w+|it|them)\s)|留着",
    ),
    (
        "interest",
        r"计息|付息|利息|\bwith\sinterest\b|\bbears?\sinterest\b",
        r"无息|免息|\b(?:interest-free|without\sinterest)\b",
    ),
    (
        "share",
        r"共享|提供给|分享给|\bshar(?:e|es|ed|ing)\b|\bpass(?:es|ed|ing)?\s(?:\w+\s)?on\b|\bhand(?:s|ed|ing)?\s(?:\w+\s)?over\b",
        r"保密|不外传|\bconfidential\b|\b(?:stays?|remains?|kept)\s(?:with\sus|private|secret|between\sus)\b",
    ),
)
OPPOSITES: tuple[tuple[str, str], ...] = tuple(
    (f"{sign}act:{state}", pattern)
    for state, held, lost in _OPPOSITES
    for sign, pattern in (("+", held), ("-", lost))
    if pattern is not None
)
"""Wordings by state; the sign in front of the name says whether a wording holds it or its opposite."""
