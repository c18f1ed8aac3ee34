"""What a question becomes once it is answered: a statement with a gap, or one that yes or no decides.

The field calls it QA2D (Demszky, Guu and Liang 2018, arXiv:1809.02922). How a question is taken apart is told by
`fas.claims.question_shapes`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims.clause import third_person
from fas.reading.mapped import Mapped
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import Sentence, parse

if TYPE_CHECKING:
    from spacy.language import Language

PREPOSITIONS = frozenset(
    "for by to with in of from on at into through against as about under between during after before among via".split()
)
QA2D = patterns_of(__file__)


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement with a gap.

    Attributes:
        before: What stands before the gap.
        after: What stands behind it; begins with the verb where the gap is the subject.
        verb: Singular and plural of the verb that agrees with what fills the gap, the first word of `after`.
        several: Whether more than one thing is asked for.
    """

    before: str
    after: str = ""
    verb: tuple[str, str] | None = None
    several: bool = False

    def filled(self, phrase: str) -> str:
        """The statement that *phrase* makes of it, without capital and full stop."""
        after = self.after
        if self.verb is not None:
            after = " ".join([self.verb[_looks_plural(phrase)], *after.split()[1:]])
        return " ".join(f"{self.before} {phrase} {after}".split()).replace(" ,", ",")


@dataclass(frozen=True, slots=True)
class Decided:
    """A question that asks for yes or no, as the words before and behind the place of the auxiliary."""

    subject: str
    auxiliary: str
    rest: str

    def stated(self, *, yes: bool) -> str:
        """What yes or no says, without capital and full stop."""
        words = self.rest.split()
        if self.subject == "there" and not yes and words[:1] and words[0].lower() in {"a", "an", "any"}:
            return f"there {self.auxiliary} no {' '.join(words[1:])}"
        rest = self.rest
        if yes:
            rest = re.sub(r"(?<![\w-])any(?=\s)", "some", rest)
            if QA2D.negated.search(rest):
                return ""  # "Is aspirin not safe?": what yes means is not safe to say
            if self.auxiliary == "do":
                return f"{self.subject} {rest}"
            if self.auxiliary == "does" and words:
                return f"{self.subject} {third_person(words[0])} {' '.join(rest.split()[1:])}"
            return f"{self.subject} {self.auxiliary} {rest}"
        if QA2D.negated.search(rest):
            return ""
        denied = "cannot" if self.auxiliary == "can" else f"{self.auxiliary} not"
        return f"{self.subject} {denied} {rest}"


def _looks_plural(phrase: str) -> bool:
    head = re.split(r"\s(?:of|in|with|for|from|that|which|on|by)\s|\(", phrase)[0].strip()
    last = head.split()[-1] if head else ""
    return " and " in head or (last.endswith("s") and not last.endswith(("ss", "us", "is")) and last[:-1].islower())


_NOMINAL = frozenset({"NOUN", "PROPN", "NUM"})
# What can follow a subject: with another tag, the parser did not see where the subject ends.
_BEHIND_BE = frozenset({"VBN", "VBG", "VBD", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "DT"})
_BEHIND = dict.fromkeys(("is", "are", "was", "were"), _BEHIND_BE) | dict.fromkeys(
    ("can", "could", "should", "will", "may"), frozenset({"VB"})
)
_BEHIND |= dict.fromkeys(("has", "have"), frozenset({"VBN"})) | dict.fromkeys(
    ("do", "does", "did"), frozenset({"VB", "VBP"})
)


def subject_end(auxiliary: str, words: list[str], nlp: Language) -> int | None:
    """How many of *words* are the subject, found by trying.

    Parsers are trained on few questions. Each place that the auxiliary of the statement may have gives a text; the
    one place at which the parser finds all before it to be the subject is taken, none if there are several.
    """
    ends = range(1, len(words))
    texts = [Mapped.whole(" ".join([*words[:end], auxiliary, *words[end:]]) + ".") for end in ends]
    fitting: dict[int, str | None] = {}
    for end, sentences in zip(ends, parse(texts, nlp), strict=True):
        tag = _behind(sentences[0], len(texts[end - 1].text), " ".join(words[:end])) if len(sentences) == 1 else None
        # Behind `would`, `might` and `must` stands what stands behind `will`.
        if tag in _BEHIND.get(auxiliary, _BEHIND["will"]):
            fitting[end] = tag
    if len(fitting) > 1:  # an article right behind a noun begins something else
        fitting = {end: tag for end, tag in fitting.items() if tag == "DT"}
    return next(iter(fitting)) if len(fitting) == 1 else None


def _behind(sentence: Sentence, length: int, subject: str) -> str | None:
    """Tag of the word behind the auxiliary, if all before the auxiliary is the subject of the sentence's predicate."""
    tokens = sentence.tokens
    place = next((token.i for token in tokens if token.start == len(subject) + 1), None)
    noun = sentence.child(sentence.root, "nsubj", "csubj")
    if place is None or noun is None or tokens[-1].end != length or place + 2 >= len(tokens):
        return None
    if (
        noun.pos not in {"NOUN", "PROPN"}
        or tokens[place - 1].pos not in _NOMINAL
        or sentence.subtree(noun.i) != set(range(place))
    ):
        return None
    helps = tokens[place].head == sentence.root and tokens[place].dep.split(":")[0] in {"aux", "cop"}
    return tokens[place + 1].tag if helps else None
