"""Leaves out what a customer says only to begin: "I just want to know …", "请问一下……". Nobody searches for it."""

import re
from typing import Final

from knowledge.answering.folding import has_words

_GREETS_EN: Final = r"(?:(?:hi|hello|hey|sorry|please|so|but|and|ok|okay|well|thanks|there)\b[,!. ]*)*"
_ASKS_EN: Final = (
    r"(?:i|we)(?:'d| would|'m| am)? (?:(?:just|only|simply|really|also) )*(?:want(?:ed)?|like|need|wish|trying) to (?:know|ask|find out|understand|check|learn)"
    r"|(?:i|we)(?:'m| am| was)? (?:(?:just|only) )*(?:wonder(?:ing|ed)?)"
    r"|(?:(?:can|could|would|will) you )?(?:(?:please|just|simply|kindly) )*(?:tell|explain to) (?:me|us)"
    r"|(?:may|can|could) (?:i|we) (?:just )?ask|do you know|(?:just |only )?(?:a )?(?:quick |short )?question about"
)
_BEGINS_EN: Final = re.compile(rf"^{_GREETS_EN}(?:{_ASKS_EN})\b(?: about)?[,: ]+(?:(?:if|whether) )?", re.IGNORECASE)
_BEGINS_ZH: Final = re.compile(
    r"^(?:你好|您好|嗨|哈[喽啰]|在吗|[啊呀哦，,。!！ ])*"
    r"(?:(?:我|就|只|是|直接|想|要|先|来|麻烦|请|您|你|能不能|能|可以|帮忙?|跟)*"
    r"(?:请问|问问|请教|咨询|了解|知道(?!了)|告诉我|问(?!题))(?:一下|下)?(?:关于)?)[，,：: ]*"
)
_SMALLEST: Final = 2


def without_lead_in(question: str) -> str:
    """Give a question without the words that only begin it; one that holds hardly more stays as it is."""
    rest = _BEGINS_ZH.sub("", _BEGINS_EN.sub("", question.replace("’", "'"))).strip()
    return rest if len(rest) >= _SMALLEST and has_words(rest) else question
