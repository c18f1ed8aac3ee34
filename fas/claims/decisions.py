"""A bare decision (`Yes.`, `The answer is B. no.`, `Not usually.`) and what it says of a yes/no question.

Behind other sentences a plain yes or no is read only where the words of the question give the statement by themselves:
one question that begins with its auxiliary, whose subject stands right behind it and is no pronoun, and that asks for
no choice. Everything else is left without a claim there; where it is the whole answer see `fas.claims.short_answers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims.clause import finished
from fas.claims.frames import opening
from fas.claims.qa2d import Decided, subject_end
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import NEGATIONS

if TYPE_CHECKING:
    from spacy.language import Language

_MOST_WORDS = 40
# With other auxiliaries behind other sentences, what yes means has not been read often enough to be trusted.
_TRUSTED = frozenset("is are was were can could should will may has have do does did".split())


@dataclass(frozen=True, slots=True)
class Decision:
    """A bare answer to a yes/no question.

    Attributes:
        yes: Whether it agrees.
        hedge: The adverb that weakens it (`probably`, `usually`); empty for a plain yes or no.
    """

    yes: bool
    hedge: str = ""


# What decides, longest first within an alternative; what it means stands beside it.
_SAID: dict[str, Decision] = {
    "yes|yeah|yep|correct|true|right|affirmative": Decision(True),
    "definitely|certainly|absolutely|of course|sure|indeed|always": Decision(True),
    "no|nope|incorrect|false|wrong|negative|never|not at all": Decision(False),
    "definitely not|certainly not|absolutely not|of course not": Decision(False),
    "maybe|perhaps|possibly|it depends|that depends|depends|could be|uncertain|unclear": Decision(True, "possibly"),
    "probably|likely|most likely|very likely|i think so|i believe so|i guess so": Decision(True, "probably"),
    "probably not|unlikely|likely not|not likely|most likely not|i don't think so|i do not think so|"
    "i don't believe so|i do not believe so|i doubt it": Decision(False, "probably"),
    "usually|generally|typically|mostly|often|in most cases": Decision(True, "usually"),
    "not usually|usually not|not typically|not generally|generally not|typically not|rarely|"
    "seldom|hardly ever|not often": Decision(False, "usually"),
    "sometimes|occasionally|in some cases": Decision(True, "sometimes"),
    "not always|not necessarily|not in all cases": Decision(False, "always"),
    "not really": Decision(False),
}
_MEANS = {said: meant for several, meant in _SAID.items() for said in several.split("|")}
DECISIONS = patterns_of(__file__, SAID="|".join(sorted(map(re.escape, _MEANS), key=len, reverse=True)))


def bare_decision(text: str) -> Decision | None:
    """The decision that *text* is, and nothing else; None for anything more.

    >>> bare_decision("Yes, there is."), bare_decision("Not usually.")
    (Decision(yes=True, hedge=''), Decision(yes=False, hedge='usually'))
    >>> bare_decision("I don't think so."), bare_decision("Yes. It works in adults.")
    (Decision(yes=False, hedge='probably'), None)
    """
    text = " ".join(re.sub(r"[*_`]+", "", text.replace("’", "'")).split())
    match = DECISIONS.decides.match(text)
    if match is None:
        return None
    meant = _MEANS[match.group(1).lower()]
    rest = text[match.end() :].strip(" .,!;:–—-\"')*")
    if not rest:
        return meant
    if DECISIONS.echo.fullmatch(rest):
        denied = DECISIONS.denied.search(rest) is not None
        return meant if denied != meant.yes or meant.hedge else None  # "No, they are.": of what else was asked?
    further = DECISIONS.decides.fullmatch(rest)
    if further is not None and (also := _MEANS[further.group(1).lower()]).yes == meant.yes:
        return Decision(meant.yes, meant.hedge or also.hedge)
    return None


def decision(text: str) -> bool | None:
    """Whether *text*, or what is behind its opening, says no more than yes (True) or no (False); None for more.

    >>> decision("The answer is B. no."), decision("Overall, yes!"), decision("Yes, it helps.")
    (False, True, None)
    >>> decision("No, it does not."), decision("No, they are."), decision("Yes, you can!"), decision("Definitely.")
    (False, None, True, None)
    """
    for part in (text.strip(), text[opening(text) :].strip()):
        found = bare_decision(part)
        if found is not None:
            return found.yes if found in (_PLAIN_YES, _PLAIN_NO) and DECISIONS.yes_or_no.search(part) else None
    return None


_PLAIN_YES, _PLAIN_NO = Decision(True), Decision(False)


def decided(question: str | None, answer: bool, nlp: Language) -> str | None:
    """What *answer* to *question* states; None where no simple rule is safe.

    Args:
        question: What was asked.
        answer: True for yes.
        nlp: The parser.
    """
    text = " ".join((question or "").split())
    words = text.split()
    if not text.endswith("?") or text.count("?") > 1 or not 3 <= len(words) <= _MOST_WORDS:
        return None
    if words[0].lower() not in _TRUSTED or DECISIONS.unsafe.search(text):
        return None
    auxiliary, *rest = text.rstrip("? ").split(" ")
    if set(map(str.lower, rest)) & NEGATIONS:
        return None  # "Is aspirin not safe?": what yes means is not safe to say
    auxiliary = auxiliary.lower()
    if rest[0].lower() == "there":
        end = 1 if auxiliary in {"is", "are", "was", "were"} and len(rest) > 2 else None
        rest[0] = "there"
    else:
        end = subject_end(auxiliary, rest, nlp)
    return (
        None
        if end is None
        else finished(Decided(" ".join(rest[:end]), auxiliary, " ".join(rest[end:])).stated(yes=answer))
    )


class Said:
    """What an answer states, found by its words: 1 MB of it can decide thousands of questions.

    >>> Said(["Aspirin is indeed effective in gout.", "It is cheap."]).again("Aspirin is effective in gout.")
    True
    >>> Said(["Aspirin is not effective in gout."]).again("Aspirin is effective in gout.")
    False
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._with: dict[bool, dict[str, set[int]]] = {True: {}, False: {}}
        for i, text in enumerate(dict.fromkeys(texts)):
            words, denied = _words(text)
            for word in words:
                self._with[denied].setdefault(word, set()).add(i)

    def again(self, statement: str) -> bool:
        """Whether a text has all words of *statement* and is denied or not like it; False if all are little words."""
        words, denied = _words(statement)
        found = sorted((self._with[denied].get(word, set()) for word in words), key=len)
        return bool(found) and bool(found[0].intersection(*found[1:]))


def _words(text: str) -> tuple[frozenset[str], bool]:
    words = frozenset(re.findall(r"[^\W_]+", text.lower()))
    return frozenset(word.rstrip("s") for word in words - _LITTLE), bool(words & NEGATIONS or "n't" in text)


_LITTLE = (
    frozenset("a an the is are was were do does did of in for to with on by be been can has have".split()) | NEGATIONS
)
