"""LEAF's check of a statement: is it supported by the question it answers, read together with what was found?

The prompt as the paper prints it (table 12) lets the question itself support a statement and offers the documents as
help: so a statement without any document is judged, too, and evidence `none` is an ablation that says what retrieval
brings. Section 2.1 reads differently, support must come from the retrieved knowledge: that is `rafe-strict`.

The question matters to either: an answer without one has failed judgements, never a verdict without context. Of a
multiple-choice question the options belong into the question (`fas.text.choices.with_options`).

A verdict stands in square brackets after the reasons: `[Supported]` or `[Not Supported]`.
A search for the words would find them in the reasons, in the question repeated, or in a statement that happens to
hold them. So a label counts only in brackets, and where it stands decides:

| Reply                                                                    | Reading                    |
|--------------------------------------------------------------------------|----------------------------|
| reasons, last line `Final answer: [Supported]` / `[Not Supported]`       | true / false               |
| a label in the reasons, another in a later final line                    | the final line's           |
| `Therefore the statement is [Supported].` and no final line              | true                       |
| two final lines with different labels; two labels in prose, no final line | failure: two verdicts      |
| `[Supported/Not Supported]`, `[label]`, `Supported` without brackets, `[1]` | failure: no verdict        |
| a label only inside the repeated statement                               | failure: no verdict        |
| a label only in quoted lines, fenced blocks, quotations, repeated passages | failure: no verdict       |
| empty, a refusal, withheld, cut off, no reply                            | failure                    |

A final line holds nothing but a label and a heading such as "Final answer:". "Not supported" does not say that
anything contradicts the statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.core.records import Case, Passage
from fas.llm import Reply
from fas.llm.passages import number_passages
from fas.llm.said import extract_answer_text, is_refusal
from fas.text.time_limit import read_in_time
from fas.verify.llm import LlmVerifier, list_shown_texts
from fas.verify.llm_verdict import Truth, VerdictReading
from fas.verify.own_words import is_repeated, strip_quotations

_MARKS = re.compile(r"[*_`\"“”]+|\\(?:boxed|text\w*)\b")
_LABEL = re.compile(r"\[\s*(?P<label>(?P<negated>not\s+|un)?supported)\s*[.!]?\s*\]", re.IGNORECASE)
_HEADING = (
    r"(?:[-•>#]\s*)?(?:\d+[.)]\s*)?(?:(?:so|therefore|thus|hence|in conclusion),?\s+)?(?:(?:my|the)\s+)?"
    r"(?:(?:final|overall)\s+)?(?:answer|verdict|decision|label|conclusion|judge?ment|result|determination)"
    r"(?:\s+is)?\s*[:=–—-]*\s*"
)
_FINAL = re.compile(rf"^\s*(?:{_HEADING})?{_LABEL.pattern}\s*[.!]?\s*$", re.IGNORECASE)
_RESTATED = re.compile(
    r"^\s*(?:[-•>#]\s*)?(?:\d+[.)]\s*)?(?:the\s+)?(?:restated\s+)?statement\s*(?::|is\s*:)", re.IGNORECASE
)


@read_in_time(lambda why: VerdictReading(None, why))
def read_bracketed(reply: Reply, *, statement: str = "", shown: Sequence[str] = ()) -> VerdictReading:
    """The verdict of *reply*, or why there is none; the module's table has every case.

    Brackets within a repetition of *statement* are no label, nor is one in a line repeated of what the model was
    *shown*.
    """
    spoken = extract_answer_text(reply)
    if spoken.failure is not None:
        return VerdictReading(None, spoken.failure)
    text = spoken.text
    given = "\n".join(shown)
    lines = [
        _MARKS.sub("", line)
        for line in _strip_repetitions(strip_quotations(text), statement).splitlines()
        if not ("[" in line and is_repeated(line, given))
    ]
    final = [match for line in lines if (match := _FINAL.match(line))]
    # The prompt has the label last. Without a line of its own it may end the reasons.
    labels = final or [match for line in lines if not _RESTATED.match(line) for match in _LABEL.finditer(line)]
    found: set[Truth] = {"false" if match["negated"] else "true" for match in labels}
    if len(found) == 1:
        return VerdictReading(found.pop())
    if found:
        return VerdictReading(None, f"the reply states two verdicts: {_format(text)}")
    if is_refusal(text):
        return VerdictReading(None, f"the model refused: {_format(text)}")
    return VerdictReading(None, f"the reply states no verdict in square brackets: {_format(text)}")


def _strip_repetitions(text: str, statement: str) -> str:
    """*text* without the repetitions of *statement*, if brackets in it could be taken for a label."""
    if "[" not in statement:
        return text
    pattern = r"\s+".join(map(re.escape, statement.split()))
    return re.sub(pattern, " ", text, flags=re.IGNORECASE)


def _format(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else f"...{line[-80:]}")


class RafeVerifier(LlmVerifier):
    """Judges each statement in the context of its question, with all documents found for it in one request.

    *prompt* is `rafe`, `rafe-strict`, or a file of your own (.toml), which offers two labels; else a ValueError. The
    reply holds reasons; one that is cut off at *max_tokens* is a failed judgement.
    """

    name = "rafe"
    by_word = False
    needs_evidence = False
    offers = 2
    room = 1024  # reasons first, so that there must be room for them
    fixed = ("labels", "judge", "order", "probabilities")

    def _find_lack(self, case: Case) -> str | None:
        return None if (case.question or "").strip() else "no question: the answer comes without its context"

    def _read(self, reply: Reply, case: Case) -> VerdictReading:
        return read_bracketed(reply, statement=case.claim.text, shown=list_shown_texts(case))

    def _show_passages(self, passages: Sequence[Passage]) -> str | None:
        return number_passages(passages)


class StrictRafeVerifier(RafeVerifier):
    """`rafe` in the reading of LEAF's section 2.1: what was retrieved must support the statement."""

    name = "rafe-strict"
