"""What a language model's reply to "is this claim true?" says, by a small grammar.

Looking for the letters "true" anywhere in a reply reads "not true" as true, and reads an empty reply
as whatever the default is. Here a reply is cut into sentences, and a sentence counts only if the
whole of it states a verdict:

    statement  = [ bullet ] { connective } [ "yes" | "no" ] [ subject ] [ "not" ] label end
    connective = "so" | "therefore" | "overall" | "in conclusion" | ...
    subject    = "answer:" | "the verdict is" | "the claim is" | "the claim that ... is" | "it is" | ...
    label      = "true" | "supported"                                            for
               | "false" | "untrue" | "contradicted" | "refuted"                 against
               | "unsupported"                                                   not for
               | "unclear" | "inconclusive" | "not enough evidence" | ...        neither
    end        = end of the sentence | ( "," | ":" | "-" | "because" | ... ) reason

Marks of emphasis, quotes and case do not matter. What a reasoning model writes between <think> tags
is not part of its reply. All statements of a reply must agree.

| Reply                                                      | Two labels     | Three labels   |
|------------------------------------------------------------|----------------|----------------|
| True. / **Supported** / The claim is true because ...      | true           | true           |
| False. / Answer: untrue / It is contradicted by ...        | false          | false          |
| not true / The claim isn't true.                           | false          | false          |
| unsupported / not supported                                | false          | unclear        |
| unclear / Not enough evidence.                             | unclear        | unclear        |
| True or False? True (the question, then one answer)        | true           | true           |
| not false / not contradicted / not unclear                 | failure: negated       | the same |
| empty, or white space only                                 | failure: empty         | the same |
| I'm sorry, I cannot help with that.                        | failure: refusal       | the same |
| True. ... False. / True, not false / Yes, it is false      | failure: two verdicts  | the same |
| True, but only for adults / True, in mice / Partly true     | failure: qualified     | the same |
| Probably. / Neither true nor false / True or false / Maybe | failure: no verdict    | the same |
| any reply that was cut off (also within <think>)           | failure: cut off       | the same |
| a reply that the server's content filter withheld          | failure: content filter | the same |
| no reply (network, time-out, ...)                          | failure: the client's  | the same |

With two labels "false" means *not supported*: the prompts of FActScore, MedScore and DnDScore ask for
False also where the evidence is silent, so it is no statement that anything contradicts the claim.
With three labels "false" means *contradicted*, and "unclear" that the evidence settles nothing.
A failure makes the claim `unverified`: it is never true, and never false either.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from fas.llm.messages import Reply

Truth = Literal["true", "false", "unclear"]

_TWO = "the reply states two verdicts"


class Reading(NamedTuple):
    """What a reply says; exactly one of the two is not None."""

    truth: Truth | None
    failure: str | None = None


_END_OF_THINKING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OPEN_THINKING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_MARKS = re.compile(r"[*_`\"“”«»#~\[\]{}]+")
# A sentence ends at its mark or at the line; "0.9" and "e.g.," do not matter, as no statement goes on behind them.
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=\?)")

_POSITIVE = r"true|supported"
_NEGATIVE = r"false|untrue|contradicted|refuted"
_WITHOUT = r"unsupported"
_NEITHER = (
    r"unclear|inconclusive|undetermined|unverifiable|uncertain|not sure|unsure|"
    r"(?:not enough|insufficient) (?:information|evidence|context)|cannot be determined"
)
_LABEL = rf"(?P<label>{_NEITHER}|{_NEGATIVE}|{_WITHOUT}|{_POSITIVE})(?![\w/])(?!-\w)"
_NOT = r"(?P<negated>not\s+|n't\s+)?"
_CONNECTIVE = (
    r"(?:so|thus|hence|therefore|consequently|actually|overall|finally|in (?:conclusion|summary|short|sum)|"
    r"to (?:conclude|summarize|summarise)|based on (?:this|that|the (?:context|text|passages?|evidence))|ok|okay|sure)"
    r"\s*[,:]?\s+"
)
_NOUN = (
    r"(?:answer|verdict|output|label|judge?ment|conclusion|result|response|claim|sub-?claim|statement|sentence|fact|"
    r"input)"
)
_SUBJECT = (
    rf"(?:(?:the|this|that|my|a)\s+)?(?:(?:final|correct|given|above)\s+)?{_NOUN}\s*(?:that\s.+\s)?"
    rf"(?:(?:is|was)(?=n't|\s)|:|=|-+>|→)\s*|(?:it|this|that)(?:\s+(?:is|was)(?=n't|\s)|'s)\s*"
)
_STATEMENT = re.compile(
    rf"^(?:[-•>]\s*)?(?:{_CONNECTIVE})*(?:(?P<polarity>yes|no)\s*,\s*)?(?:{_SUBJECT})?{_NOT}{_LABEL}(?P<rest>.*)$",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    rf"^(?:[-•>]\s*)?(?:{_CONNECTIVE})*(?:{_SUBJECT})?"
    rf"(?:(?:only|at least|in)\s+)?(?:partly|partially|part|mostly|largely|mainly|half|somewhat|sometimes|generally|"
    rf"technically|almost|nearly|not entirely|not completely|not always)[\s-]+{_LABEL}",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(rf"\(\s*((?:not\s+)?{_LABEL}[.!]?)\s*\)", re.IGNORECASE)
# "By the passages", "in the second trial": where it says so, and no limit to what is said.
_SOURCE = (
    r"(?:(?:the|this|that|these|those|both|all|given|provided|retrieved|reference|first|second|third|last)\s+)*"
    r"(?:texts?|passages?|contexts?|evidence|documents?|sources?|references?|abstracts?|articles?|stud(?:y|ies)|trials?)\b"
)
_END = re.compile(
    r"^\s*[.!?;]*\s*$|^\s*(?:[,:;–—(]|-+\s)\s*(?P<clause>.*)$|^\s+(?P<reason>(?:because\b|since\b(?!\s+\d)|"
    rf"as\b(?!\s+(?:of|long|far)\b)|given\s+that\b|(?:based on|according to|by|in|from|given)\s+{_SOURCE}).*)$",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\b(?:but|however|although|though|only|except|unless|if|when|partly|partially|in part|mostly|largely|somewhat|"
    r"depending|depends|to some extent|to a degree|with (?:caveats|reservations|exceptions))\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(rf"^(?:in|for|among|within|under|at|on|with|during|as of)\s+(?!{_SOURCE})", re.IGNORECASE)
_MENTION = re.compile(
    rf"(?<![\w-])(?:(?P<negated>not|n't|never|isn't)\s+)?(?P<label>{_NEITHER}|{_NEGATIVE}|{_WITHOUT}|{_POSITIVE})(?![\w-])",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:i'?m (?:very |so )?sorry|sorry|i apologi[sz]e|unfortunately|as an ai\b|i(?: am|'m) (?:not able|unable)|"
    r"i (?:can ?not|can't|won't|will not|do not|don't|must decline))",
    re.IGNORECASE,
)


def read_verdict(reply: Reply, *, labels: int = 2) -> Reading:
    """The verdict of *reply*, or why there is none; the module's table has every case.

    Args:
        reply: What came back.
        labels: 2 or 3: whether the prompt told "contradicted" from "not supported".
    """
    if reply.failure is not None:
        return Reading(None, reply.failure)
    if reply.finish == "length":
        return Reading(None, f"the reply was cut off (raise max_tokens): {_shown(reply.text)}")
    if reply.finish == "content_filter":
        return Reading(None, "the server's content filter withheld the reply")
    text = _END_OF_THINKING.split(reply.text)[-1]
    if _OPEN_THINKING.search(text):
        return Reading(None, f"the reply was cut off while the model was thinking: {_shown(reply.text)}")
    if not text.strip():
        return Reading(None, "the reply is empty")
    if reply.finish == "refusal":
        return Reading(None, f"the model refused: {_shown(text)}")
    found: set[Truth] = set()
    for sentence in _sentences(text):
        reading = _read_sentence(sentence, labels)
        if reading is None:
            continue
        if reading.truth is None:
            return Reading(None, f"{reading.failure}: {_shown(text)}")
        found.add(reading.truth)
    if len(found) == 1:
        return Reading(found.pop())
    if found:
        return Reading(None, f"{_TWO}: {_shown(text)}")
    if _REFUSAL.search(text.replace("’", "'")):
        return Reading(None, f"the model refused: {_shown(text)}")
    return Reading(None, f"the reply states no verdict: {_shown(text)}")


def _sentences(text: str) -> list[str]:
    plain = _MARKS.sub("", text.replace("’", "'"))
    plain = _IN_BRACKETS.sub(r"\1", plain)
    parts = (part.strip(" \t\r'") for part in _SENTENCES.split(plain) if part)
    # "True or False?" and "True?" ask, they do not state.
    return [part for part in parts if part and not part.endswith("?")]


def _read_sentence(sentence: str, labels: int) -> Reading | None:
    """The verdict a sentence states, a failure if it states one with reservations, None if it states none."""
    if _HEDGED.match(sentence):
        return Reading(None, "the verdict is qualified")
    match = _STATEMENT.match(sentence)
    end = _END.match(match["rest"]) if match else None
    if match is None or end is None:
        return None
    truth = _truth(match["label"], negated=match["negated"] is not None, labels=labels)
    if truth is None:
        return Reading(None, "the verdict is negated and says nothing")
    if match["polarity"] and (match["polarity"].lower() == "yes") != (truth == "true"):
        return Reading(None, _TWO)
    rest = end["clause"] or end["reason"] or ""
    if _QUALIFIED.search(rest) or _LIMITED.match(rest):
        return Reading(None, "the verdict is qualified")
    if truth == "unclear":
        # What is unclear may be named ("unclear: nothing says whether it is true"), but not be decided.
        further = _read_sentence(rest, labels) if rest else None
        return Reading(truth) if further is None or further.truth == truth else Reading(None, _TWO)
    others = {_truth(m["label"], negated=m["negated"] is not None, labels=labels) for m in _MENTION.finditer(rest)}
    return Reading(None, _TWO) if others - {truth} else Reading(truth)


def _truth(label: str, *, negated: bool, labels: int) -> Truth | None:
    word = label.lower()
    if re.fullmatch(_POSITIVE, word):
        if not negated:
            return "true"
        # That a claim is not supported does not say that anything contradicts it.
        return "unclear" if word == "supported" and labels == 3 else "false"
    if negated:
        return None
    if re.fullmatch(_NEGATIVE, word):
        return "false"
    if re.fullmatch(_WITHOUT, word):
        return "unclear" if labels == 3 else "false"
    return "unclear"


def _shown(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= most else f"{line[:most]}...")
