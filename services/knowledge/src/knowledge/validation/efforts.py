"""Check that a claim tells no result where its quotes only tell that somebody sees to the matter."""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.validation.denials import HARMLESS, SUPPOSED, first_denial
from knowledge.validation.lexicon import sort_alternatives
from knowledge.validation.words import normalise

# (wordings that tell a result, further wordings that have it in mind).
_RESULTS: Final[tuple[tuple[str, str], ...]] = (
    (
        (
            r"\b(?:fix(?:es|ed|ing)?|solv(?:e|es|ed)|resolv\w+|repair\w*|stopped|eliminat\w*|restor\w*|recover\w*|retriev\w*|sort(?:ed)?\s(?:\w+\s)?out|put\s(?:\w+\s){0,2}right|remed(?:y|ied))\b"
            r"|(?<!自己)(?<!自行)解决|修好|修复|办[好妥成]|搞定|找回|追回|挡下|排除"
        ),
        r"恢复|修|改正|纠正|\b(?:cur(?:e|es|ed|ing)|correct|rectif|amend|redress)",
    ),
    (
        r"\b(?:refund(?:s|ed)?|reimburs\w*|compensat\w*|money\sback|pay(?:s|ing)?\s(?:(?:\w+\s){0,4}back|you|out)|paid\sout)\b|退款|退[还钱费给回]|返还|赔(?:偿|付|给|钱|款)|补偿|到账",
        r"退|赔|\b(?:refund|payment|payout)",
    ),
    (
        r"\b(?:approv\w*|grant(?:s|ed)?|award(?:s|ed)?|in\syour\sfavou?r)\b|批准|批下|发放|胜诉|获批|通过(?=审|申)",
        r"同意|许可|批|授权|准予|\b(?:agree|allow|permi|authori|consent|entitle)",
    ),
    (
        r"\b(?:revers(?:e|es|ed)|overturn\w*|overrul\w*|reinstat\w*)\b|推翻|撤销|改判|解封",
        r"\brestor|恢复|取消",
    ),
    (
        r"\b(?:replac(?:e|es|ed)|(?:get|gets|receive|receives|give|gives|send|sends)\s(?:\w+\s){0,3}brand[-\s]new)\b|换新|换货|更换",
        r"换|\bexchang",
    ),
)
_TOLD: Final = tuple((re.compile(told), re.compile(f"{told}|{named}")) for told, named in _RESULTS)
_ANY: Final = re.compile(sort_alternatives("|".join(told for told, _ in _RESULTS)))
# What somebody does about a matter without saying how it ends.
_EFFORT: Final = re.compile(
    r"\b(?:respon(?:d|ds|se)|repl(?:y|ies)|acknowledg\w*|review\w*|consider\w*|look\sinto|investigat\w*|work\swith|tr(?:y|ies)|aims?|endeavou?r\w*|help\w*|assist\w*|decid\w*|decision|determin\w*|process\w*|handl\w*|forward\w*"
    r"|pass\w*\son|attempt\w*|effort\w*|striv\w*|contact\w*|notify|get\sback|check\w*|evaluat\w*|seek\w*)\b"
    r"|答复|回复|受理|核实|审核|审查|决定|处理|协助|配合|努力|尽量|尽力|争取|转交|转送|移送|调解|告知|通知|联系|跟进|协调|办理|登记|检查|鉴定|评估|查询"
)
# What may come about is promised to nobody.
_HEDGED: Final = re.compile(r"\b(?:might|perhaps|chance)\b|也许|或许")


def find_results(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the results that a claim tells and no quote has in mind, where the quotes tell what is done about a matter."""
    said = normalise(claim)
    if _ANY.search(said) is None:
        return
    told, text = SUPPOSED.sub(" ", HARMLESS.sub(" ", said)), "\n".join(map(normalise, quotes))
    if said in text or _EFFORT.search(text) is None or first_denial(told) is not None or _HEDGED.search(told):
        return
    for result, named in _TOLD:
        found = result.search(told)
        if found is not None and named.search(text) is None:
            yield found.group()
