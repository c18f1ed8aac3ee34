"""A question as a statement with a gap, from its tags (QA2D: Demszky, Guu and Liang 2018, arXiv:1809.02922).

Four shapes are told apart, by which word asks and what stands behind it:

    decision    Is X used for Y?             X is used for Y.
    subject     Which gene causes X?         GAP causes X.
    copula      What is the cause of X?      The cause of X is GAP.
    command     List symptoms of X.          Symptoms of X include GAP.

What fits none (`Which gene does X inhibit?`) gives no frame, and the caller falls back on the pair itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims.clause import third_person
from fas.claims.qa2d import PREPOSITIONS, Decided, Frame, subject_end
from fas.reading.mapped import Mapped
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import Token, parse

if TYPE_CHECKING:
    from spacy.language import Language

MOST_TOKENS = 60

_BE = frozenset("is are was were".split())
_DO = frozenset("do does did".split())
_HAVE = frozenset("has have had".split())
_MODAL = frozenset("can could should will would may might must".split())
_AUXILIARIES = _BE | _DO | _HAVE | _MODAL
_ASKING = frozenset("what which who whom whose where when why how".split())
_NOMINAL = frozenset("NN NNS NNP NNPS CD FW".split())
_ADVERBS = frozenset("RB RBR RBS".split())
_AGREEING = {word: pair for pair in (("is", "are"), ("was", "were"), ("has", "have")) for word in pair}
_KINDS = frozenset("type kind class sort category".split())
_PLURAL = frozenset({"NNS", "NNPS"})
QUESTION_SHAPES = patterns_of(__file__)
_STOPS = frozenset("? . ! , : ;".split())


def read_question(question: str, nlp: Language) -> Frame | Decided | None:
    """The frame of *question*; None where it has none of the shapes.

    Args:
        question: What was asked, or the command that was given; one sentence.
        nlp: The parser.
    """
    text = " ".join(question.replace("’", "'").split()).strip(" ?.!:\"'")
    text = QUESTION_SHAPES.sentences.split(text)[-1]
    text = re.sub(r"^(?:so|and|but|well|hi|hello|please)\b,? (?=\w)", "", text, flags=re.IGNORECASE)
    if not text:
        return None
    command = _command(text)
    if command is not None:
        return command
    sentences = parse([Mapped.whole(text + "?")], nlp)[0]
    tokens = [token for sentence in sentences for token in sentence.tokens]
    while tokens and tokens[-1].text in _STOPS:
        tokens.pop()
    if not 2 <= len(tokens) <= MOST_TOKENS:
        return None
    reading = _Reading(text, tokens, nlp)
    return reading.gapped() if tokens[0].lower in {"what", "which", "who"} else reading.decision()


def _command(text: str) -> Frame | None:
    """`List symptoms of X` as `Symptoms of X include GAP`."""
    match = QUESTION_SHAPES.command.match(text)
    if match is None:
        return None
    asked = text[match.end() :].strip(" :.")
    many = QUESTION_SHAPES.as_many.match(asked) or QUESTION_SHAPES.as_many.match(
        text[match.start() :].split(" ", 1)[-1]
    )
    if many is not None:
        asked = many.group(1)
    first = asked.split()[0].lower() if asked else ""
    if not asked or first in _ASKING | {"how", "whether", "if", "why"}:
        return None
    return Frame(f"{asked} include", several=True)


@dataclass(slots=True)
class _Reading:
    """One question under way."""

    text: str
    tokens: list[Token]
    nlp: Language

    def words(self, start: int, end: int | None = None) -> str:
        """The text of the tokens from *start* to *end*."""
        chosen = self.tokens[start:end]
        return self.text[chosen[0].start : chosen[-1].end] if chosen else ""

    def decision(self) -> Decided | None:
        """A yes/no question, also behind an opening (`In adults, is X safe?`)."""
        place = next(
            (
                place
                for place, token in enumerate(self.tokens)
                if token.lower in _AUXILIARIES and (place == 0 or self.tokens[place - 1].text == ",")
            ),
            None,
        )
        end = None if place is None else self.subject_end(place)
        if place is None or end is None:
            return None
        opening = f"{self.words(0, place - 1)}, " if place > 0 else ""
        subject = self.words(place + 1, end)
        return Decided(opening + subject, self.tokens[place].lower, self.words(end))

    def subject_end(self, place: int) -> int | None:
        """Where the subject behind the auxiliary at *place* ends; None if no place does."""
        auxiliary = self.tokens[place].lower
        begin = place + 1
        behind = self.tokens[begin:]
        if behind and behind[0].lower in {"there", "it", "they", "you", "we", "one", "i"}:
            return begin + 1 if len(behind) > 1 else None
        again = self._said_twice(place)
        if again is not None:
            return again
        found = self._behind_parse(place)
        if found is not None:
            return found
        if auxiliary in _DO | _MODAL:
            return self._infinitive_behind(begin)
        if auxiliary in _HAVE:
            found = self._verb(begin, {"VBN"}, "been") or self._verb(begin, {"VBD"})
            return found if found is not None else self._behind_noun(begin, {"DT", "JJ", "NN", "NNS"} | _ADVERBS)
        wanted = {"VBN", "VBG", "VBD", "JJ", "JJR", "JJS", "DT"} | _ADVERBS
        return self._behind_noun(begin, wanted) or self._behind_noun(begin, {"IN", "TO"}) or self._last_noun(begin)

    def _said_twice(self, place: int) -> int | None:
        """`Is X is associated with Y?`: the slip shows where the subject ends."""
        for again in range(place + 2, len(self.tokens) - 1):
            if self.tokens[again].lower == self.tokens[place].lower and self.tokens[again - 1].tag in _NOMINAL:
                del self.tokens[again]
                return again
        return None

    def _infinitive_behind(self, begin: int) -> int | None:
        """Where the infinitive behind `do` or `can` and a subject stands; by weaker and weaker signs."""
        roots = [n for n, token in enumerate(self.tokens) if token.dep.lower() == "root" and n > begin]
        if len(roots) == 1 and self.tokens[roots[0]].tag in {"VB", "VBP"}:
            return roots[0]
        found = self._verb(begin, {"VB"}, "be", "have") or self._verb(begin, {"VBP", "VBZ", "VBN", "VBD"})
        if found is not None:
            return found
        last = len(self.tokens) - 1
        if self.tokens[last].lower in PREPOSITIONS:
            return last - 1 if last - 1 > begin else None
        nouns = [n for n in range(begin + 1, last) if self.tokens[n].tag in {"NN", "JJ"} and not self._bracketed(n)]
        return nouns[0] if nouns else last if last > begin else None

    def _verb(self, begin: int, tags: set[str], *forms: str) -> int | None:
        """The first word behind the first that has one of *tags* or *forms*."""
        for place in range(begin + 1, len(self.tokens)):
            token = self.tokens[place]
            if (token.tag in tags or token.lower in forms) and not self._bracketed(place):
                return place
        return None

    def _behind_noun(self, begin: int, tags: set[str]) -> int | None:
        """The first word with one of *tags* right behind a noun."""
        for place in range(begin + 1, len(self.tokens)):
            before = self.tokens[place - 1]
            ends = before.tag in _NOMINAL or before.text in {")", "]", "'", '"'} or before.tag in {"VBG", "PRP", "SYM"}
            fits = self.tokens[place].tag in tags or self.tokens[place].lower == "part"  # "are X part of Y"
            if ends and fits and not self._bracketed(place):
                return place
        return None

    def _last_noun(self, begin: int) -> int | None:
        """`Is colistin antibiotic`: the last word is what is said of the others."""
        return len(self.tokens) - 1 if len(self.tokens) - begin >= 2 else None

    def _behind_parse(self, place: int) -> int | None:
        """By trying: the one place for the auxiliary at which the parser finds all before it to be the subject."""
        start = self.tokens[place + 1].start
        words = self.text[start:].split(" ")
        if not 2 <= len(words) <= MOST_TOKENS // 2:
            return None
        number = subject_end(self.tokens[place].lower, words, self.nlp)
        if number is None:
            return None
        offset = start + len(" ".join(words[:number])) + 1
        return next((n for n, token in enumerate(self.tokens) if token.start == offset), None)

    def _bracketed(self, place: int) -> bool:
        before = self.text[: self.tokens[place].start]
        return sum(map(before.count, "([{")) > sum(map(before.count, ")]}"))

    def gapped(self) -> Frame | None:
        """The frame of a question that begins with the word that asks."""
        end = 1
        while end < len(self.tokens) and self.tokens[0].lower != "who" and not self._begins_verb(end):
            end += 1
        if end >= len(self.tokens):
            return None
        verb = self.tokens[end]
        noun = next((token for token in self.tokens[1:end] if token.tag in _NOMINAL), None)
        several = verb.lower in {"are", "were"} or (
            noun is not None and noun.tag in _PLURAL and self.tokens[1].lower not in {"one", "much"}
        )
        if verb.lower in _AUXILIARIES:
            frame = self._behind_auxiliary(end, several, "" if noun is None else noun.lemma)
        else:
            number = {"VBP": (third_person(verb.lower), verb.text), "VBZ": (verb.text, verb.lemma)}.get(verb.tag)
            frame = Frame("", self.words(end), number, several)
        return None if frame is None else self._with_kind(frame, end)

    def _with_kind(self, frame: Frame, end: int) -> Frame:
        """An asking phrase that says more than a noun (`which resources for ChIP-seq data`) stays with the answer."""
        if frame.before or not any(token.lower in PREPOSITIONS for token in self.tokens[1:end]):
            return frame
        joined = "include" if frame.several else "is"
        return Frame(f"the {self.words(1, end)} that {frame.after} {joined}", several=frame.several)

    def _begins_verb(self, place: int) -> bool:
        token = self.tokens[place]
        if token.lower in _AUXILIARIES:
            return True
        return token.tag in {"VBZ", "VBP", "VBD", "MD"} and token.lower not in {"types", "forms"}

    def _behind_auxiliary(self, end: int, several: bool, kind: str) -> Frame | None:
        """The asking phrase as the subject of the auxiliary at *end*, or as what is said by a copula there."""
        auxiliary = self.tokens[end].lower
        behind = end + 1
        while behind < len(self.tokens) and self.tokens[behind].tag in _ADVERBS:
            behind += 1
        if behind >= len(self.tokens) or auxiliary in _DO:
            return None
        first, last = self.tokens[behind], self.tokens[-1]
        stranded = last.lower in PREPOSITIONS or last.tag in {"RP", "IN", "TO"}
        subject = Frame("", self.words(end), _AGREEING.get(auxiliary), several)
        if auxiliary not in _BE:
            wanted = {"VB"} if auxiliary in _MODAL else {"VBN", "VBD"}
            if (first.tag in wanted and not stranded) or first.lower in {"be", "been"}:
                return subject
            owning = auxiliary in _HAVE and not any(token.tag == "VBN" for token in self.tokens[behind:])
            return subject if owning else None
        adjective = first.tag in {"JJ", "JJR", "JJS"}  # "which types of X are available": no name of a thing
        if behind == len(self.tokens) - 1 and (not kind or kind in _KINDS) and not (kind and adjective):
            return Frame(f"{self.words(end + 1)} {auxiliary}", several=several)
        if first.tag in {"VBN", "VBG", "VBD"} and not (stranded and first.tag == "VBG"):
            return subject
        if first.tag in {"JJ", "JJR", "IN"} and not self._noun_follows(behind):
            return subject
        if stranded or (last.tag == "VBN" and self.tokens[-2].tag in _NOMINAL):
            return None  # "What is X used for?"
        if kind and kind not in _KINDS:
            return subject
        joined = {"are": "include", "were": "included"}.get(auxiliary, auxiliary)
        return Frame(f"{self.words(end + 1)} {joined}", several=several)

    def _noun_follows(self, place: int) -> bool:
        """Whether the adjective at *place* belongs to a noun: none does in `is responsible for`."""
        for token in self.tokens[place + 1 :]:
            if token.tag in _NOMINAL:
                return True
            if token.tag not in {"JJ", "JJR", "JJS", "VBN", "VBG", "CC", ",", "HYPH", ":"}:
                return False
        return False
