r"""What a language model's reply to "is this claim true?" says, by a small grammar.

Looking for the letters "true" anywhere in a reply reads "not true" as true, and reads an empty reply
as whatever the default is. Here a reply is cut into sentences, and a sentence counts only if the
whole of it states a verdict:

    statement  = [ bullet ] { connective } [ heading { connective } ] [ "yes" | "no" ] [ subject ] [ "not" ] label end
    connective = "so" | "therefore" | "in conclusion" | "based on the passages" | "however" | "no, wait" | ...
    heading    = "answer:" | "the answer is:" | "verdict -" | ...
    subject    = "the verdict is" | "the claim is" [ "therefore" ] | "the claim that ... is" | "it is" | ...
    label      = "true" | "supported" | "correct" | "accurate" | "right"          for
               | "false" | "untrue" | "contradicted" | "refuted" | "incorrect" | "wrong" | ...   against
               | "unsupported"                                                   not for
               | "unclear" | "inconclusive" | "not enough evidence" | ...        neither
    end        = end of the sentence | ( "," | ":" | "-" | "because" | ... ) reason

A reply without any such statement may say the same with the evidence as its subject ("The passage supports the
statement by naming the dose", "The passages do not support it"; `fas.verify.llm_active`).

Quotations, quoted lines, fenced blocks and what the model repeats of its prompt are no statements of its own
(`fas.verify.own_words`). Marks of emphasis, quotes around a label, LaTeX's \boxed{} and case do not matter. Reasoning
is no part of a reply (`fas.llm.said`). All statements of a reply must agree.

"Yes" and "no" are verdicts as the first or the last sentence, or behind a heading; what they go on to say counts for
more ("No, the passages do not mention it"). With three labels a "no" that goes on to say something else is a failure:
it does not tell whether anything contradicts the claim.

A sentence that states nothing itself takes "true" back in part if it stands right behind it and begins with
but, however, although, though, only, except or unless. Only that one: further on, "however" belongs to the
explanation, as in "True. The passages report it. However, they are old." What limits a claim makes it no less false:
"False. However, it holds in mice" is false.

| Reply                                                      | Two labels     | Three labels   |
|------------------------------------------------------------|----------------|----------------|
| True. / **Supported** / The claim is true because ...      | true           | true           |
| False. / Answer: untrue / It is contradicted by ...        | false          | false          |
| not true / The claim isn't true.                           | false          | false          |
| Correct. / Yes. / Yes, the trial reports it.               | true           | true           |
| Incorrect. / Wrong. / No.                                  | false          | false          |
| No, the passages do not mention it.                        | unclear        | unclear        |
| No, it was 20 mg.                                          | false          | failure: negated |
| False: this only holds in mice.                            | false          | false          |
| a fenced block that holds the verdict and nothing beside it | as without the fence | the same |
| The passage supports the statement by naming the dose.     | true           | true           |
| The passages do not support the claim.                     | false          | unclear        |
| The second passage contradicts it.                         | false          | false          |
| The text does not mention it. / neither supports nor ...   | unclear        | unclear        |
| unsupported / not supported                                | false          | unclear        |
| unclear / Not enough evidence.                             | unclear        | unclear        |
| True or False? True (the question, then one answer)        | true           | true           |
| not false / not contradicted / not unclear                 | failure: negated       | the same |
| empty, or white space only                                 | failure: empty         | the same |
| I'm sorry, I cannot help with that.                        | failure: refusal       | the same |
| True. ... False. / True, not false / Yes, it is false      | failure: two verdicts  | the same |
| Supported by the first passage; contradicted by the second | failure: two verdicts  | the same |
| True, but only for adults / True, in mice / Partly true     | failure: qualified     | the same |
| True. However, this only holds in adults.                  | failure: qualified     | the same |
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
from collections.abc import Sequence

from fas.llm.messages import Reply
from fas.llm.said import extract_answer_text, is_refusal, shorten_reply
from fas.text.time_limit import read_in_time
from fas.verify.llm_active import NEGATED, QUALIFIED, TWO_VERDICTS, Truth, VerdictReading, read_active
from fas.verify.own_words import select_own_sentences

__all__ = ["Truth", "VerdictReading", "read_verdict"]

_LATEX = re.compile(r"\\(?:(?:boxed|fbox|text\w*|math\w+)\b|[()\[\]])|\$")
_MARKS = re.compile(r"[*_`\"“”«»#~\[\]{}]+")
# A sentence ends at its mark or at the line; "0.9" and "e.g.," do not matter, as no statement goes on behind them.
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=\?)")

_POSITIVE = r"true|supported"
_NEGATIVE = r"false|untrue|contradicted|refuted"
# Labels where a sentence states them; in a reason ("the correct dose is 5 mg") they are words like others.
_RIGHT = r"correct|accurate|right"
_WRONG = r"incorrect|inaccurate|wrong"
_WITHOUT = r"unsupported"
_NEITHER = (
    r"unclear|inconclusive|undetermined|unverifiable|uncertain|not sure|unsure|"
    r"(?:not enough|insufficient) (?:information|evidence|context)|cannot be determined"
)
_ANY = rf"(?:{_NEITHER}|{_NEGATIVE}|{_WITHOUT}|{_POSITIVE})"
_LABEL = rf"(?P<label>{_ANY}|{_RIGHT}|{_WRONG})(?![\w/])(?!-\w)"
_NOT = r"(?P<negated>not |n't )?"
# Every repetition of words has an end: "from text from text ..." can be read as one source or as two, so without an end
# the ways to read a row of them double with each.
# "By the passages", "in the second trial": where it says so, and no limit to what is said. "By the second" alone names
# a passage only where nothing it could belong to follows, as in "the second trimester".
_NTH = r"(?:first|second|third|fourth|fifth|last|former|latter|other)"
_SOURCE = (
    rf"(?:(?:the|this|that|these|those|both|all|given|provided|retrieved|above|reference|and|or|{_NTH}),? ){{0,8}}"
    r"(?:(?:texts?|passages?|contexts?|evidence|information|documents?|sources?|references?|abstracts?|articles?|"
    r"stud(?:y|ies)|trials?)\b|"
    rf"{_NTH}(?: one)?(?= ?(?:[.;:!?)]|$)|,? (?:because|since|which)\b|"
    rf",? (?:(?:and|but|while|whereas|it|is|not) )*{_ANY}\b))"
)
_CITED = (
    rf"{_SOURCE}(?: (?:in|from) {_SOURCE})?"
    r"(?:,? (?:and )?\d+\b| (?:above|below|provided|given|retrieved)\b){0,30}"
)
_CONNECTIVE = (
    r"(?:so|thus|hence|therefore|consequently|accordingly|actually|overall|finally|but|however|nevertheless|"
    r"in (?:conclusion|summary|short|sum)|to (?:conclude|summarize|summarise)|based on (?:this|that)|"
    rf"(?:based on|according to|judging by|considering|given|from) {_CITED}|ok|okay|sure|"
    r"(?:(?:no|yes|oh|hm+) ?,? )?wait|correction|on second thoughts?|on reflection) ?(?:[,:]|-+(?= )|[–—])? "
)
_NOUN = (
    r"(?:answer|verdict|output|label|judge?ment|conclusion|result|response|claim|sub-?claim|statement|sentence|fact|"
    r"input)"
)
_NAMED = rf"(?:(?:the|this|that|my|a) )?(?:(?:final|correct|given|above|overall) )?{_NOUN}"
_HEADING = rf"{_NAMED}(?: (?:is|was))?(?: ?(?::|=|-+>|→|[–—]) ?| -+ )"
_ADVERB = r"(?:,? (?:therefore|thus|hence|consequently|accordingly|indeed|actually|clearly|in fact)\b,?)"
_IS = r"(?:is|was)(?=n't|[ ,:])"
_SUBJECT = (
    rf"(?:{_NAMED} ?(?:that .+ )?(?:{_IS}{_ADVERB}{{0,2}} ?:?|:|=|-+>|→) ?|"
    rf"(?:it|this|that)(?: {_IS}|'s){_ADVERB}{{0,2}} ?)"
)
_LEAD = (
    rf"^(?:[-•>] ?)?(?:{_CONNECTIVE}){{0,4}}(?:{_HEADING}(?:{_CONNECTIVE}){{0,4}})?"
    rf"(?:(?P<polarity>yes|no)(?: ?[,:–—] ?| -+ ))?(?:{_SUBJECT})?"
)
_STATEMENT = re.compile(rf"{_LEAD}{_NOT}{_LABEL}(?P<rest>.*)$", re.IGNORECASE)
_POLAR = re.compile(
    rf"^(?:[-•>] ?)?(?:{_CONNECTIVE}){{0,4}}(?:{_HEADING}(?:{_CONNECTIVE}){{0,4}})?"
    r"(?P<polarity>yes|no)\b(?! ?,? ?wait\b)(?P<rest>.*)$",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    rf"{_LEAD}"
    rf"(?:(?:only|at least|in) )?(?:partly|partially|part|mostly|largely|mainly|half|somewhat|sometimes|generally|"
    rf"technically|almost|nearly|not entirely|not completely|not always)[ -]+{_LABEL}",
    re.IGNORECASE,
)
_RESERVATION = re.compile(r"^(?:[-•>] ?)?(?:but|however|although|though|only|except|unless)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(rf"\(\s*((?:not\s+)?{_LABEL}[.!]?)\s*\)", re.IGNORECASE)
_END = re.compile(
    r"^ ?[.!?;]* ?$|^ ?(?:[,:;–—(]|-+ ) ?(?P<clause>.*)$|^ (?P<reason>(?:because\b|since\b(?! \d)|"
    rf"as\b(?! (?:of|long|far)\b)|given that\b|(?:based on|according to|by|in|from|given) {_SOURCE}).*)$",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\b(?:but|however|although|though|only|except|unless|(?P<condition>if|when)|partly|partially|in part|mostly|"
    r"largely|somewhat|depending|depends|to some extent|to a degree|with (?:caveats|reservations|exceptions))\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(rf"^(?:in|for|among|within|under|at|on|with|during|as of) (?!{_SOURCE})", re.IGNORECASE)
_MENTION = re.compile(rf"(?<![\w-])(?:(?P<negated>not|n't|never|isn't) )?(?P<label>{_ANY})(?![\w-])", re.IGNORECASE)


@read_in_time(lambda why: VerdictReading(None, why))
def read_verdict(reply: Reply, *, labels: int = 2, shown: Sequence[str] = (), instructions: str = "") -> VerdictReading:
    """The verdict of *reply*, or why there is none; the module's table has every case.

    With 3 *labels* the prompt told "contradicted" from "not supported". What the reply repeats of what the model was
    *shown* or of the *instructions* is no verdict (`fas.verify.own_words`).
    """
    spoken = extract_answer_text(reply)
    if spoken.failure is not None:
        return VerdictReading(None, spoken.failure)
    reading = _read_text(spoken.text, labels, shown, instructions)
    if reading.failure is None:
        return reading
    return VerdictReading(None, f"{reading.failure}: {shorten_reply(spoken.text)}")


def _read_text(text: str, labels: int, shown: Sequence[str], instructions: str) -> VerdictReading:
    """The verdict of a whole reply."""
    found: set[Truth] = set()
    behind_a_verdict = False
    sentences = select_own_sentences(text, shown, instructions, _split_sentences)
    own = [i for i, sentence in enumerate(sentences) if sentence]
    outermost = {*own[:1], *own[-1:]}
    polar: VerdictReading | None = None
    for i, sentence in enumerate(sentences):
        # "True or False?" and "True?" ask, they do not state.
        reading = None if sentence.endswith("?") else _read_sentence(sentence, labels)
        if reading is None and behind_a_verdict and _RESERVATION.match(sentence):
            reading = QUALIFIED
        if reading is None and i in outermost and not sentence.endswith("?"):
            said_so = _read_polarity(sentence, labels)
            if said_so is not None and polar is not None and said_so != polar:
                return TWO_VERDICTS
            polar = polar or said_so
            behind_a_verdict = said_so is not None and said_so.truth == "true"
            continue
        behind_a_verdict = reading is not None and reading.truth == "true"
        if reading is None:
            continue
        if reading.truth is None:
            return reading
        found.add(reading.truth)
    if polar is not None and (not found or (polar.truth == "true") != ("true" in found)):
        active = None if found else _read_evidence(sentences, labels)
        if found or (active is not None and (polar.truth == "true") != (active.truth == "true")):
            return TWO_VERDICTS
        return active or polar
    if len(found) == 1:
        return VerdictReading(found.pop())
    if found:
        return TWO_VERDICTS
    if is_refusal(text):
        return VerdictReading(None, "the model refused")
    return _read_evidence(sentences, labels) or VerdictReading(None, "the reply states no verdict")


def _read_polarity(sentence: str, labels: int) -> VerdictReading | None:
    """What a sentence says that begins with yes or no; None for any other."""
    match = _POLAR.match(sentence)
    end = _END.match(match["rest"]) if match else None
    if match is None or end is None:
        return None
    yes, clause = match["polarity"].lower() == "yes", end["clause"] or end["reason"] or ""
    if not clause:
        return VerdictReading("true" if yes else "false")
    further = _read_sentence(clause, labels) or _read_evidence([clause], labels)
    if further is not None:
        agrees = further.truth is None or (further.truth == "true") == yes
        return further if agrees else TWO_VERDICTS
    if yes:
        return QUALIFIED if _LIMITED.match(clause) or _QUALIFIED.search(clause) else VerdictReading("true")
    return VerdictReading("false") if labels == 2 else NEGATED


def _read_evidence(sentences: Sequence[str], labels: int) -> VerdictReading | None:
    """What those of *sentences* whose subject is the evidence say together; None if there is none."""
    found: set[Truth] = set()
    behind_a_verdict = False
    for sentence in sentences:
        active = None if sentence.endswith("?") else read_active(sentence, labels)
        if active is None and behind_a_verdict and _RESERVATION.match(sentence):
            return QUALIFIED
        behind_a_verdict = active is not None
        if active is None:
            continue
        if active.truth is None:
            return active
        found.add(active.truth)
    if len(found) > 1:
        return TWO_VERDICTS
    return VerdictReading(found.pop()) if found else None


def _split_sentences(text: str) -> list[str]:
    plain = _MARKS.sub("", _LATEX.sub(" ", text.replace("’", "'")))
    plain = _IN_BRACKETS.sub(r"\1", plain)
    # One blank at a time: the patterns would try every way to share out a long row of them.
    parts = (" ".join(part.split()).strip("' ") for part in _SENTENCES.split(plain))
    return [part for part in parts if part]


def _read_sentence(sentence: str, labels: int, *, within: bool = False) -> VerdictReading | None:
    """The verdict a sentence states, a failure if it states one with reservations, None if it states none.

    *within*: it is what stands behind "unclear" in another.
    """
    if _HEDGED.match(sentence):
        return QUALIFIED
    match = _STATEMENT.match(sentence)
    end = _END.match(match["rest"]) if match else None
    if match is None or end is None:
        return None
    truth = _read_label(match["label"], negated=match["negated"] is not None, labels=labels)
    if truth is None:
        return NEGATED
    if match["polarity"] and (match["polarity"].lower() == "yes") != (truth == "true"):
        return TWO_VERDICTS
    rest = end["clause"] or end["reason"] or ""
    # With "unclear", the conditions are indirect questions: "the text does not say if it is true".
    limited = _LIMITED.match(rest) or any(truth != "unclear" or not m["condition"] for m in _QUALIFIED.finditer(rest))
    if limited and truth != "false":
        return QUALIFIED
    if truth == "unclear":
        # What is unclear may be named ("unclear: nothing says whether it is true"), but not be decided.
        further = None if within or not rest else _read_sentence(rest, labels, within=True)
        return VerdictReading(truth) if further is None or further.truth == truth else TWO_VERDICTS
    others = {_read_label(m["label"], negated=m["negated"] is not None, labels=labels) for m in _MENTION.finditer(rest)}
    return TWO_VERDICTS if others - {truth} else VerdictReading(truth)


def _read_label(label: str, *, negated: bool, labels: int) -> Truth | None:
    word = label.lower()
    if re.fullmatch(f"{_POSITIVE}|{_RIGHT}", word):
        if not negated:
            return "true"
        # That a claim is not supported does not say that anything contradicts it.
        return "unclear" if word == "supported" and labels == 3 else "false"
    if negated:
        return None
    if re.fullmatch(f"{_NEGATIVE}|{_WRONG}", word):
        return "false"
    if re.fullmatch(_WITHOUT, word):
        return "unclear" if labels == 3 else "false"
    return "unclear"
