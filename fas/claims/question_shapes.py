"""A question as a statement with a gap, from its tags (QA2D: Demszky, Guu and Liang 2018, arXiv:1809.02922).

Five shapes are told apart, by which word asks and what stands behind it:

    decision    Is X used for Y?             X is used for Y.
    subject     Which gene causes X?         GAP causes X.
    object      Which gene does X inhibit?   X inhibits GAP.
    copula      What is the cause of X?      The cause of X is GAP.
    command     List symptoms of X.          Symptoms of X include GAP.

A question whose asking word stands within a statement (`X is a biomarker for what disease?`) has its gap there. What
fits none gives no frame, and the caller falls back on the pair itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims.morphology import third_person
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
_PREPOSITION = {"where": "in", "when": "when", "how": "by"}
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
    place = reading.asking()
    return reading.decision() if place is None else reading.gapped(place)


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

    def asking(self) -> int | None:
        """Place of the word that asks: the first, else one within; none in a yes/no question."""
        first = self.tokens[0].lower
        if first in _AUXILIARIES:
            return None
        depth = 0
        for token in self.tokens:
            depth += (token.text in {"(", "["}) - (token.text in {")", "]"})
            # "the protein which binds X": only at the head, behind a preposition or a comma, or late does it ask.
            if depth == 0 and token.lower in _ASKING and self._asks(self._place(token)):
                return self._place(token)
        return None

    def _place(self, token: Token) -> int:
        return next(place for place, other in enumerate(self.tokens) if other is token)

    def _asks(self, place: int) -> bool:
        token = self.tokens[place]
        if place == 0 or token.lower in {"what", "whom"}:
            return True
        if place == 1 and self.tokens[0].lower in PREPOSITIONS:
            return True
        before = self.tokens[place - 1]
        if token.lower == "which":
            behind = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
            return behind is None or behind.tag in _NOMINAL | {"JJ", "VBG"} or before.text == ","
        return token.lower in {"how", "where", "when", "who"} and (
            before.text == "," or place >= len(self.tokens) - 3 or before.tag in {"VBZ", "VBP", "VBD", "VBN", "MD"}
        )

    def decision(self) -> Decided | None:
        """A yes/no question, also behind an opening (`In adults, is X safe?`) or as a statement."""
        place = next(
            (
                place
                for place, token in enumerate(self.tokens)
                if token.lower in _AUXILIARIES and (place == 0 or self.tokens[place - 1].text == ",")
            ),
            None,
        )
        opening = ""
        if place is None:
            return self._stated()
        if place > 0:
            opening = self.words(0, place - 1) + ", "
        end = self.subject_end(place)
        if end is None:
            return None
        subject = self.words(place + 1, end)
        return Decided(opening + subject, self.tokens[place].lower, self.words(end))

    def _stated(self) -> Decided | None:
        """`X is a drug?`: the statement as it stands; the first finite auxiliary, else the finite verb by `does`."""
        for place, token in enumerate(self.tokens[1:], 1):
            if token.lower in _AUXILIARIES and token.dep.split(":")[0] in {"aux", "cop"} and token.tag != "VB":
                return Decided(self.words(0, place), token.lower, self.words(place + 1))
        for place, token in enumerate(self.tokens[1:], 1):
            if token.tag == "VBZ" and place + 1 < len(self.tokens):
                return Decided(self.words(0, place), "does", self.words(place, place + 1) and self._infinitive(place))
        return None

    def _infinitive(self, place: int) -> str:
        return f"{self.tokens[place].lemma} {self.words(place + 1)}"

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

    def gapped(self, place: int) -> Frame | None:
        """The frame of a question whose asking word stands at *place*."""
        fronted = place == 1 and self.tokens[0].lower in PREPOSITIONS
        if place > 0 and not fronted and self.tokens[place - 1].text != ",":
            return self._within(place)
        opening = "" if place == 0 or fronted else self.words(0, place - 1) + ","
        end, several, kind = self._asked(place)
        if end >= len(self.tokens):
            found = self._stated_verb(place)
            if found is None:
                return None
            end = found
        word = self.tokens[place].lower
        adverbial = word if word in {"where", "when", "why"} else "how" if kind == "how" else ""
        preposition = self.words(0, 1).lower() if fronted else _PREPOSITION.get(word, "")
        if word == "how" and not adverbial:
            preposition = ""
        verb = self.tokens[end]
        if verb.lower not in _AUXILIARIES:
            if adverbial or fronted:
                return None
            number = {"VBP": (third_person(verb.lower), verb.text), "VBZ": (verb.text, verb.lemma)}.get(verb.tag)
            return self._opened(
                opening, self._with_kind(Frame("", self.words(end), verb=number, several=several), place + 1, end)
            )
        inverted = bool(adverbial) or fronted
        stated = self._inverted(end, several, preposition) if inverted else self._direct(end, several, kind)
        return None if stated is None else self._opened(opening, self._with_kind(stated, place + 1, end))

    def _with_kind(self, frame: Frame, start: int, end: int) -> Frame:
        """An asking phrase that says more than a noun (`which resources for ChIP-seq data`) stays with the answer."""
        asked = self.tokens[start:end]
        if frame.before or not any(token.lower in PREPOSITIONS for token in asked):
            return frame
        kind = self.words(start, end)
        joined = "include" if frame.several else "is"
        return Frame(f"the {kind} that {frame.after} {joined}", several=frame.several)

    @staticmethod
    def _opened(opening: str, frame: Frame) -> Frame:
        if not opening:
            return frame
        return Frame(f"{opening} {frame.before}", frame.after, frame.verb, frame.preposition, frame.several)

    def _within(self, place: int) -> Frame | None:
        """`X is a biomarker for what disease`: the gap is where the asking phrase stands."""
        end, several, _ = self._asked(place)
        before = self.words(0, place)
        word = self.tokens[place].lower
        return Frame(before, self.words(end), preposition=_PREPOSITION.get(word, ""), several=several)

    def _asked(self, place: int) -> tuple[int, bool, str]:
        """Where the asking phrase ends, whether several are asked for, and the kind of thing (`type`, `how`).

        The phrase runs up to the first verb; `of` and what follows it belongs to it (`which one of the enzymes`).
        """
        word = self.tokens[place].lower
        end = place + 1
        heads: list[Token] = []
        if word in {"what", "which", "whose"} or (word == "how" and self._next(place) in {"many", "much"}):
            while end < len(self.tokens) and not self._begins_verb(end):
                heads.append(self.tokens[end])
                end += 1
        elif word == "how" and self._next(place) in {"long", "often", "old", "frequently", "common", "large", "far"}:
            end += 1
        behind = self.tokens[end : end + 1]
        number = next((token for token in heads if token.tag in _NOMINAL), None)
        several = any(token.lower in {"are", "were"} for token in behind) or (
            number is not None and number.tag in _PLURAL and not (heads and heads[0].lower in {"one", "much"})
        )
        kind = number.lemma if number is not None else ""
        return end, several, "how" if word == "how" and not heads else kind

    def _next(self, place: int) -> str:
        return self.tokens[place + 1].lower if place + 1 < len(self.tokens) else ""

    def _stated_verb(self, place: int) -> int | None:
        """The verb of a question that the parser took for one long name, from the same words as a statement."""
        if place + 2 >= len(self.tokens):
            return None
        rest = self.words(place + 1)
        sentences = parse([Mapped.whole(f"This {rest}.")], self.nlp)[0]
        if len(sentences) != 1:
            return None
        root = sentences[0].tokens[sentences[0].root]
        offset = self.tokens[place + 1].start + root.start - len("This ")
        found = next((n for n, token in enumerate(self.tokens) if token.start == offset), None)
        return found if found is not None and root.tag in {"VBZ", "VBP", "VBD"} and found > place + 1 else None

    def _begins_verb(self, place: int) -> bool:
        token = self.tokens[place]
        if token.lower in _AUXILIARIES:
            return True
        return token.tag in {"VBZ", "VBP", "VBD", "MD"} and token.lower not in {"types", "forms"}

    def _direct(self, end: int, several: bool, kind: str) -> Frame | None:
        """Behind the asking phrase stands an auxiliary: the phrase is subject, predicate or object."""
        auxiliary = self.tokens[end].lower
        behind = end + 1
        while behind < len(self.tokens) and self.tokens[behind].tag in _ADVERBS:
            behind += 1
        if behind >= len(self.tokens):
            return None
        first, last = self.tokens[behind], self.tokens[-1]
        if auxiliary in _DO:
            return self._inverted(end, several, "")
        stranded = last.lower in PREPOSITIONS or last.tag in {"RP", "IN", "TO"}
        if auxiliary in _BE:
            adjective = first.tag in {"JJ", "JJR", "JJS"}  # "which types of X are available": no name of a thing
            if behind == len(self.tokens) - 1 and (not kind or kind in _KINDS) and not (kind and adjective):
                return Frame(f"{self.words(end + 1)} {auxiliary}", several=several)
            if first.tag in {"VBN", "VBG", "VBD"} and not (stranded and first.tag == "VBG"):
                return Frame("", self.words(end), verb=_AGREEING.get(auxiliary), several=several)
            if first.tag in {"JJ", "JJR", "IN"} and not self._noun_follows(behind):
                return Frame("", self.words(end), verb=_AGREEING.get(auxiliary), several=several)
            if stranded or (last.tag in {"VBN"} and self.tokens[-2].tag in _NOMINAL):
                return self._inverted(end, several, "")
            rest = self.words(end + 1)
            if kind and kind not in _KINDS:
                return Frame("", self.words(end), verb=_AGREEING.get(auxiliary), several=several)
            joined = {"are": "include", "were": "included"}.get(auxiliary, auxiliary)
            return Frame(f"{rest} {joined}", several=several)
        wanted = {"VB"} if auxiliary in _MODAL else {"VBN", "VBD"}
        if (first.tag in wanted and not stranded) or first.lower in {"be", "been"}:
            return Frame("", self.words(end), verb=_AGREEING.get(auxiliary), several=several)
        if auxiliary in _HAVE and not any(token.tag == "VBN" for token in self.tokens[behind:]):
            return Frame("", self.words(end), verb=_AGREEING.get(auxiliary), several=several)
        return self._inverted(end, several, "")

    def _noun_follows(self, place: int) -> bool:
        """Whether the adjective at *place* belongs to a noun: none does in `is responsible for`."""
        for token in self.tokens[place + 1 :]:
            if token.tag in _NOMINAL:
                return True
            if token.tag not in {"JJ", "JJR", "JJS", "VBN", "VBG", "CC", ",", "HYPH", ":"}:
                return False
        return False

    def _inverted(self, end: int, several: bool, preposition: str) -> Frame | None:
        """Subject and auxiliary change places, and the gap is where the verb or a stranded preposition asks for it."""
        auxiliary = self.tokens[end].lower
        split = self._inverted_end(end)
        if split is None:
            return None
        subject, rest = self.words(end + 1, split), self.tokens[split:]
        if not subject:
            return None
        place = self._gap(split, bool(preposition))
        before, after = self.words(split, place), self.words(place) if place < len(self.tokens) else ""
        if auxiliary in {"do", "does"}:
            first = rest[0].text if rest else ""
            if auxiliary == "does" and first:
                before = third_person(first) + before[len(first) :]
            return Frame(f"{subject} {before}", after, preposition=preposition, several=several)
        return Frame(f"{subject} {auxiliary} {before}", after, preposition=preposition, several=several)

    def _inverted_end(self, end: int) -> int | None:
        auxiliary = self.tokens[end].lower
        begin = end + 1
        if auxiliary in _DO | _MODAL:
            return self._infinitive_behind(begin)
        found = self._verb(begin, {"VBN"}, "been") or self._verb(begin, {"VBG", "VBD"})
        if found is not None:
            last = len(self.tokens) - 1
            # "Where is the protein encoded by X found": the verb at the end is the predicate.
            if self.tokens[last].tag in {"VBN", "VBD"} and last > found and self.tokens[found].lower != "been":
                return last
            return found
        if auxiliary in _BE:
            return self._behind_noun(begin, {"DT"}) or self._behind_noun(begin, {"JJ", "IN"}) or len(self.tokens)
        return self._behind_noun(begin, {"DT", "NN", "NNS"})

    def _gap(self, split: int, adverbial: bool) -> int:
        """Behind a stranded preposition or at the end; right behind the verb where a preposition phrase follows it."""
        last = self.tokens[-1]
        if adverbial or last.lower in PREPOSITIONS or last.tag in {"RP", "TO"}:
            return len(self.tokens)
        place = split
        while place < len(self.tokens) and self.tokens[place].tag in _ADVERBS | {"VB", "VBN", "VBP", "VBG", "VBD"}:
            place += 1
        if place < len(self.tokens) and self.tokens[place].lower in PREPOSITIONS and self.tokens[split].lower != "be":
            return place
        return len(self.tokens)
