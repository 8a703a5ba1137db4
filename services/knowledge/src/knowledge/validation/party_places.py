"""Tell from the words around it whether the name of a party names somebody there: a "customer account" is no customer."""

import re
from typing import Final

# What may stand behind a subject or an object; behind one person a verb ends in -s or -ed, so that other words go
# together with the name: the developer of a "developer programme" does nothing.
_FOLLOWERS: Final = re.compile(
    r"\s(?:\w*(?:s|ed|ing|ly)|[a-z]{1,3}"
    r"|can(?:not)?|could|may|might|shall|should|will|would|must|have|been|does|need|ought|dare"
    r"|about|above|across|after|against|along|alongside|among|around|before|behind|below|beside|between|beyond|despite|down|during"
    r"|except|from|inside|instead|into|like|near|onto|outside|over|past|rather|since|than|through|till|toward|under|until|upon|when|where"
    r"|whether|while|with|within|without|because|even|though|although|once|that|then|them|they|their|this|these|those|here|there|what"
    r"|which|whose|whom|your|yours|ours|itself|himself|herself|yourself|each|every|some|both|either|neither|more|most|much|many|none|else"
    r"|also|again|alone|already|always|ever|first|just|later|more|next|never|often|soon|still|together|today|tomorrow|twice|well|yet"
    r"|sent|gave|kept|lost|made|took|left|told|chose|held|paid|found|bought|sold|went|came|broke|wrote|brought|felt|meant|knew|became|began|built"
    r"|concerned|responsible|liable|entitled|free|able|unable|due|available"
    # What a party has of these, he does.
    r"|consent|approval|permission|signature|expense|cost|pocket|responsibility|duty|decision|discretion|choice|option|fault|side|end|warranty"
    r"|guarantee|property|ownership)\b"
)
# Behind these a party has a verb without an ending.
_BARE: Final = re.compile(
    r"\b(?:should|shall|will|would|may|can|could|might|must|do|does|did|let|lets|help|helps|make|makes|made|have|has|had|that|lest|and|or)(?:n't)?"
    r"(?:\s(?:the|a|an|any|your|our|their))?\s$"
)
_MANY: Final = frozenset(
    {
        "you",
        "we",
        "i",
        "us",
        "me",
        "our",
        "your",
        "my",
        "ourself",
        "yourself",
        "police",
        "law enforcement",
        "staff",
        "family",
    }
    | {"third party", "third-party"}
)
# "To host it yourself", "they police their own": what is done to something is no party.
_DOING: Final = re.compile(r"\b(?:to|you|we|they|i|can|may|must|shall|should|will|would|could|not|who)\s$")
_TO_SOMETHING: Final = re.compile(
    r"\s(?:it|them|the|an?|your|our|their|its|his|her|my|yourself|yourselves|ourselves|themselves|any|all)\b"
)
# Without an article these are no party: who goes to court, is at school or in hospital.
_IDIOM: Final = re.compile(r"\b(?:to|in|at|from|out\sof|before|after|into|for)\s$")
_PLACES: Final = frozenset({"court", "school", "hospital", "university"})
_SIGHT: Final = 24
_NO_SUBJECT = frozenset({"us", "our", "ours", "your", "yours", "me", "my"})
_OBJECT_OF = re.compile(
    r"\b(?:find|give|offer|send|tell|notif|inform|charge|refund|ask|let|help|allow|provide|contact|invoice|bill|grant|owe|cost|reach|entitle|enable|require|remind|pay|reimburse|compensate)(?:y|s|es|ies|d|ed|ing)?\s(?:the\s|our\s)?$"
)
_SAYS_WHICH = re.compile(r"(?!应|可|须|要|能|得|会|将|不|就|对|在|按)[\u4e00-\u9fff]{2}的[\u4e00-\u9fff]")
# Behind these stands whom harm or care is done to.
_HARMED = ("害", "侵犯", "欺骗", "误导", "保护")


def names_somebody(text: str, found: re.Match[str]) -> bool:
    """Tell whether the name of a party stands for somebody, and for no verb, place or kind of thing."""
    name = found.group()
    if not name.isascii():
        return True
    near = max(0, found.start() - _SIGHT)
    if name in _PLACES and _IDIOM.search(text, near, found.start()) is not None:
        return False
    if _TO_SOMETHING.match(text, found.end()) is not None and _DOING.search(text, near, found.start()) is not None:
        return False
    return not _says_which(text, found, near)


def _says_which(text: str, found: re.Match[str], near: int) -> bool:
    """Tell whether a name only says which thing or person the word behind it is."""
    name = found.group()
    if name.endswith("s") or name in _MANY or not text[found.end() : found.end() + 2].strip().isalpha():
        return False
    if _FOLLOWERS.match(text, found.end()) is not None:
        return False
    return _BARE.search(text, near, found.start()) is None


def is_owner(text: str, party: re.Match[str]) -> bool:
    """Tell whether a party is named as an owner, or as oneself."""
    return party.group() in _NO_SUBJECT or text.startswith(("'s", "s'", "的", "自"), party.end())


def is_object(text: str, party: re.Match[str]) -> bool:
    """Tell whether a party is named as an owner or as whom something is done to, so that it acts nowhere."""
    return (
        party.group() in _NO_SUBJECT
        or text.startswith(("'s", "s'", "的"), party.end())
        or _OBJECT_OF.search(text, max(0, party.start() - _SIGHT), party.start()) is not None
        or text.endswith(_HARMED, 0, party.start())
        or (_SAYS_WHICH.match(text, party.end()) is not None and not text.endswith("被", 0, party.start()))
    )
