"""Tell statements from questions and from talk about the conversation: only a statement can be a claim."""

import re
from collections.abc import Iterator

from knowledge.answering.folding import asks as is_question
from knowledge.ingestion.sentences import split_sentences
from knowledge.validation.folding import fold
from knowledge.validation.readings import read_once
from knowledge.validation.words import normalise

_TALK = re.compile(
    r"(?:hello|hi|hey|thanks|sure|of\scourse|certainly|absolutely|sorry|ok(?:ay)?)(?:\sthere)?\s?(?:[,!.~-]|$)|(?:thank\syou|great\squestion|good\squestion|unfortunately,?\si)\b"
    r"|you(?:\sjust|\shave|'ve)?\sasked\b|you(?:'re|\sare)\s(?:asking|wondering|inquiring)\b|you\s(?:ask\swhether|ask\sif|wanted?\sto\sknow|wondered|inquired)\b"
    r"|your\s(?:question|request|message|inquiry)\b|(?:this|that)\s(?:question|answers\syour)\b|to\sanswer\syour\b"
    r"|(?:based\son|according\sto|from|in)\s(?:the|your|these|my)\s(?:given\s|above\s|provided\s|retrieved\s)?(?:passages?|contexts?|documents?\sprovided|information\s(?:provided|given)|sources?|excerpts?|quotes?|instructions?)\b"
    r"|(?:the|these)\s(?:given\s|above\s|provided\s)?(?:passages?|excerpts?|contexts?|quotes?)\s(?:say|state|mention|do(?:es)?|show|above|provided)"
    r"|i(?:'m|'ve|'d|'ll|\sam|\shave|\swould|\scan(?:'t|not)?(?=\s(?:help|see|understand|tell|confirm|assist|find|look|check|explain|answer|offer|say|certainly|surely|also\shelp)\b)|\sfound|\sthink|\sbelieve|\shope|\sunderstand|\swill|\sdon't|\ssee)\b"
    r"|let\sme\b|here(?:'s|\sis|\sare)\b|hope\s(?:this|that)\b|feel\sfree(?:$|[,.!]|\sto\s(?:ask|contact|reach|let|get\sin\stouch|share)\b)|please\slet\s(?:me|us)\sknow\b|is\sthere\sanything\selse\b"
    r"|as\s(?:an\sai|a\slanguage\smodel|you\s(?:mentioned|said|asked)|i\s(?:said|mentioned))\b|if\syou\shave\s(?:any\s)?(?:other|more|further)\squestions\b"
    r"|(?:您好|你好|好的|嗨|哈喽|谢谢|感谢|抱歉|对不起|当然可以|没问题)(?:[,!.。~]|$)|感谢(?:您|你)"
    r"|(?:您|你)(?:刚才|刚刚|是)?(?:问(?!题)|询问|咨询|提问|想(?:问|知道|了解))|(?:您|你)的(?:问题|提问|咨询|疑问)|关于(?:您|你)(?:的(?:问题|提问|咨询|疑问)|所|提)"
    r"|(?:根据|按照|基于|从)(?:您|你|以上|上述|上面|所|已)?(?:提供的?|给出的?|检索到的?)?(?:资料|上下文|段落|片段|文档|信息|内容|引文|对话)(?:来看|可知|显示|，|,)"
    r"|(?:以上|上述|这些)(?:资料|段落|片段|内容)|我(?:认为|觉得|理解|查到|找到|可以帮|帮您|来为|是)|我们?来看|让我|以下是|下面是|综上|希望(?:这|以上|能|对)"
    r"|(?:如果|如|若)?(?:您|你)?还有(?:其他|别的|什么)|请随时|很高兴(?:为|能)|作为(?:一个|一名)?(?:ai|人工智能|语言模型|助手)"
)

# Regret before a rule is manners: what follows is the statement.
_REGRET = re.compile(
    r"(?:(?:we\sare\s|we're\s|i'm\s)?(?:very\s)?sorry|i'm\safraid|unfortunately)(?:,\s(?:but\s)?|\s(?:but|that)\s|\s(?=we\b|you\b|the\b))|(?:很|非常|实在)?(?:抱歉|遗憾|不好意思)[,:]"
)
# What somebody is told, or has to say, asks nothing: "告诉您为什么".
_REPORTED = re.compile(
    r"(?<=[说讲明白释知诉清楚述道])(?:您|你|他|客户|用户|对方|申请人|消费者)?(?:是|到底)?(?:为什么|为何|是什么|怎么)(?=[。.!！]?$)"
)


def is_statement(sentence: str) -> bool:
    """Tell whether a sentence states something, rather than asks or speaks of the conversation itself."""
    said = normalise(sentence).strip(" \n\t\"'“”‘’*_>-")
    said = _REGRET.sub("", said, count=1) if _REGRET.match(said) else said
    return not asks(sentence) and _TALK.match(said) is None


@read_once
def asks(sentence: str) -> bool:
    """Tell whether a sentence is a question."""
    return is_question(_REPORTED.sub("", normalise(sentence)))


def split_claims(text: str) -> Iterator[str]:
    """Yield the claims of a text, one a sentence; a question that the next sentence answers belongs to it.

    "No receipt? Then you get store credit." names a case and the rule for it; the question alone claims nothing.
    """
    spans = split_sentences(text)
    start: int | None = None
    for number, span in enumerate(spans):
        begun = span.start if start is None else start
        is_last = number == len(spans) - 1
        if asks(text[span.start : span.end]) and not is_last:
            start = begun
            continue
        yield text[begun : span.end]
        start = None


def echoes(claim: str, questions: tuple[str, ...]) -> bool:
    """Tell whether a claim begins by repeating a question that was asked; words that only name a matter ask nothing."""
    said = fold(claim)
    return any(_begins_with(said, fold(question)) for question in questions if asks(question))


def _begins_with(said: str, question: str) -> bool:
    bare = question.rstrip("?？!！。. ")
    return bool(bare) and said.startswith(bare) and not said[len(bare) : len(bare) + 1].isalnum()
