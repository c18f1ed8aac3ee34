"""Questions as the words around what answers them: the gap, the auxiliary that decides, what is counted."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims.clauses import inflect_third_person, subject_of
from fas.text.reading.mapped import Mapped
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.trees import FINITE, Token, parse

if TYPE_CHECKING:
    from spacy.language import Language

QUESTIONS = load_patterns(__file__)
_MOST_WORDS_OF_A_QUESTION = 40
_BE = frozenset("is are was were".split())
_DO = frozenset("do does did".split())
_AUXILIARIES = _BE | _DO | frozenset("has have had can could should will would may might must".split())
NOUNS = frozenset("NN NNS NNP NNPS CD FW".split())
_BEHIND = {word: frozenset({"VBN", "VBG", "VBD", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "DT", "IN"}) for word in _BE}
_BEHIND |= {word: frozenset({"VBN", "VBD"}) for word in ("has", "have", "had")}
_UNNAMED = frozenset("it this that these those they he she".split())
_QUANTITIES = frozenset("long often far many much".split())
_PROPERTIES = frozenset("deficiency deficiencies mutation mutations defect defects overdose excess allergy".split())
"""Without them, a phrase would say something else (`What vitamin deficiency causes it?` `Vitamin C.`)."""
_AGREEING = {"is": "are", "was": "were", "has": "have"}


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as the words around what answers it.

    Attributes:
        before: What stands before the gap, or before the auxiliary that decides.
        after: What stands behind it.
        auxiliary: The auxiliary of a yes/no question; empty where a thing is asked for.
        several: Whether more than one thing is asked for.
        sure: Whether the parser, too, finds the subject that was put together.
        unit: What is counted (`how many genes`), for an answer that is a number alone, or lacking.
        adverb: `where`, `when`, `why`, `how`, `long`, `often`, or the preposition before the gap.
    """

    before: str
    after: str = ""
    auxiliary: str = ""
    several: bool = False
    sure: bool = True
    unit: str = ""
    adverb: str = ""

    @property
    def unnamed(self) -> bool:
        """Whether nothing says what it is about (`Is it safe?`, not `Is it safe to take zinc?`)."""
        return self.before.lower() in _UNNAMED and not QUESTIONS.expletive.match(f"{self.before} {self.after}")

    def fill(self, item: str) -> str:
        """The statement that *item* makes of it; empty where no one can tell how it belongs there."""
        placed = item.split()[0].lower() in _PLACING
        item = item[0].lower() + item[1:] if placed or QUESTIONS.article.match(item) else item
        if self.adverb and self.adverb not in _QUANTITIES and not placed:
            if self.adverb in {"why", "how"}:
                return ""
            dated = self.adverb != "when" or QUESTIONS.year.fullmatch(item) is not None
            item = f"{'in' if self.adverb in {'where', 'when'} else self.adverb} {item}" if dated else item
        if (
            self.unit
            and (self.unit in _PROPERTIES or not re.search(r"[^\W\d_]", item))
            and self.unit not in item.lower()
        ):
            item = f"{item} {self.unit}"
        if self.before.split()[-1:] == item.split()[:1]:
            item = " ".join(item.split()[1:])  # "used for": "for colds"
        after = self.after
        if not self.before and after:
            verb, *rest = after.split()
            said = item.split()[-1] == verb  # "Nothing happens", to "What happens if ...?"
            after = " ".join(([] if said else [verb if self.unit else _inflect(verb, plural=_is_plural(item))]) + rest)
        return f"{self.before} {item} {after}"

    def decide(self, *, yes: bool, hedge: str = "") -> str:
        """What yes or no says; empty where the question is itself denied and no one can tell."""
        words = self.after.split()
        if not words or QUESTIONS.denied.search(self.after):
            return ""
        if self.before == "there" and words[0].lower() in {"a", "an", "any"} and not yes:
            said = f"there {self.auxiliary} no {' '.join(words[1:])}"
        elif self.before == "there" and words[0].lower() == "any":
            said = f"there {self.auxiliary} some {' '.join(words[1:])}"
        elif not yes:
            denied = "cannot" if self.auxiliary == "can" else f"{self.auxiliary} not"
            said = f"{self.before} {denied} {self.after}"
        elif self.auxiliary in {"do", "does"}:
            verb = inflect_third_person(words[0]) if self.auxiliary == "does" else words[0]
            said = " ".join([self.before, verb, *words[1:]])
        else:
            said = f"{self.before} {self.auxiliary} {self.after}"
        return f"{hedge} {said}" if hedge else said


def asks_for_thing(question: str) -> bool:
    """Whether the question, or the command, asks for something else than yes or no."""
    return (QUESTIONS.wh.match(question) or QUESTIONS.command.match(question)) is not None


def read_question(question: str, nlp: Language) -> ParsedQuestion | None:
    """The question as the words around its answer; None where it has none of the shapes."""
    text = " ".join(question.replace("’", "'").replace('"', "").split()).strip(" ?.!:'")
    text = QUESTIONS.greeting.sub("", QUESTIONS.sentences_end.split(text)[-1])
    text = QUESTIONS.year_asked.sub("when", QUESTIONS.contracted.sub(r"\1 is", text))
    text = QUESTIONS.asker.sub("patients", QUESTIONS.askers.sub("their", text))
    if not text or len(text.split()) > _MOST_WORDS_OF_A_QUESTION:
        return None
    listed = QUESTIONS.command.match(text)
    if listed is not None:
        asked = text[listed.end() :].strip(" :.")
        return None if not asked or QUESTIONS.wh.match(asked) else ParsedQuestion(f"{asked} include", several=True)
    tokens = [token for sentence in parse([Mapped.whole(f"{text}?")], nlp)[0] for token in sentence.tokens]
    tokens = tokens[:-1] if tokens and tokens[-1].text == "?" else tokens
    words = [token.text for token in tokens]
    lower = [word.lower() for word in words]
    if len(words) < 3:
        return None

    def said(start: int, end: int | None = None) -> str:
        chosen = tokens[start:end]
        return text[chosen[0].start : chosen[-1].end] if chosen else ""

    asking = next((n for n, word in enumerate(lower) if word in {"what", "which"}), 0)
    if lower[0] in {"where", "when", "why", "how"} or (asking == 1 and tokens[0].tag == "IN"):
        return _read_adverbial(tokens, text, nlp)
    if asking and tokens[0].tag not in FINITE:  # "I want to know which foods help" asks of no place in it
        return None if QUESTIONS.asker.search(question) else _read_in_place(tokens, asking, text)
    if lower[0] not in {"what", "which", "who"}:
        place = next(
            (n for n, word in enumerate(lower) if word in _AUXILIARIES and (n == 0 or words[n - 1] == ",")), None
        )
        if place is None or place + 1 >= len(tokens):
            return None
        end, sure = _find_subject_end(lower[place], text, tokens[place + 1 :], nlp)
        if end is None:
            return None
        front = f"{said(0, place - 1)}, " if place else ""
        return ParsedQuestion(
            front + text[tokens[place + 1].start : end].strip(), text[end:].strip(), lower[place], sure=sure
        )
    verb = 1
    while verb < len(words) and lower[verb] not in _AUXILIARIES and tokens[verb].tag not in FINITE | {"VB"}:
        verb += 1
    if verb < len(words) and tokens[verb - 1].tag == "TO":
        return None
    if verb >= len(words) - 1 and not (verb == len(words) - 1 and tokens[verb].tag in FINITE):
        return None
    named = itertools.takewhile(lambda token: token.tag not in {"IN", "TO"}, tokens[1:verb])
    noun = next((token for token in reversed(list(named)) if token.tag in NOUNS), None)
    several = lower[verb] in {"are", "were"} or (noun is not None and noun.tag in {"NNS", "NNPS"} and lower[1] != "one")
    if lower[verb] in _DO:
        return _order_as_statement(tokens, verb, text, nlp, several=several)
    behind = verb + 1
    while behind < len(words) and tokens[behind].tag in {"RB", "RBR"}:
        behind += 1
    if behind >= len(words) and tokens[verb].tag not in FINITE:
        return None
    lost = noun.lower if noun is not None and noun.lower in _PROPERTIES and noun.i > 1 else ""
    gap_first = ParsedQuestion("", said(verb), several=several, unit=lost)
    stranded = lower[-1] in PREPOSITIONS
    begun = behind < len(words) and tokens[behind].tag in NOUNS | {"DT", "JJ", "PRP"}
    related = any(token.tag in {"WDT", "WP"} or token.lower == "that" for token in tokens[behind:])
    if lower[verb] in _AUXILIARIES and begun and not related and (stranded or tokens[-1].tag == "VBN"):
        return _order_as_statement(tokens, verb, text, nlp, several=several)  # "What is X used for?"
    if lower[verb] not in _BE or behind >= len(words):
        stays = (
            lower[verb] not in _AUXILIARIES
            or tokens[behind].tag in {"VB", "VBN"}
            or lower[verb] in {"has", "have", "had"}
        )
        return gap_first if behind >= len(words) or stays else None
    verbal = tokens[behind].tag in {"VBN", "VBG", "VBD"} and not (stranded and tokens[behind].tag == "VBG")
    bare = tokens[behind].tag in {"JJ", "JJR", "IN"} and not any(
        token.tag in NOUNS for token in tokens[behind + 1 : behind + 3]
    )
    if verbal or bare or (noun is not None and noun.lemma not in KINDS):
        return gap_first
    joined = {"are": "include", "were": "included"}.get(lower[verb], lower[verb])
    return ParsedQuestion(f"{said(verb + 1)} {joined}", several=several)


def _read_in_place(tokens: list[Token], asking: int, text: str) -> ParsedQuestion | None:
    """A question whose `which` and its noun stand where the answer belongs (`X is used for which disease?`)."""
    end, kinds = asking + 1, KINDS | {"part"}
    for token in tokens[asking + 1 :]:
        if token.tag in FINITE | {"IN", "TO", "WDT"} and not (
            token.lower == "of" and tokens[token.i - 1].lemma in kinds
        ):
            break
        end = token.i + 1 if token.tag in NOUNS else end
    others = [*tokens[:asking], *tokens[end:]]
    if (
        (end == asking + 1 and end < len(tokens))
        or tokens[asking - 1].text == ","
        or not any(token.tag in FINITE for token in others)
    ):
        return None
    several = tokens[end - 1].tag in {"NNS", "NNPS"}
    return ParsedQuestion(text[: tokens[asking].start].strip(), text[tokens[end - 1].end :].strip(), several=several)


def _read_adverbial(tokens: list[Token], text: str, nlp: Language) -> ParsedQuestion | None:
    """A question for a place, a time, an amount, a reason or a way, whose answer stands behind the verb."""
    asked = tokens[0].lower
    counted = asked == "how" and tokens[1].lower in _QUANTITIES
    place = next(
        (t.i for t in tokens[1:] if t.lower in _AUXILIARIES or (counted and t.i > 1 and t.tag in FINITE)), None
    )
    if place is None:
        return None
    unit = text[tokens[2].start : tokens[place].start].strip() if counted and place > 2 else ""
    behind = tokens[place + 1].tag if place + 1 < len(tokens) else ""
    if unit and (
        tokens[place].lower not in _AUXILIARIES
        or tokens[place].lower in _BE | {"has", "have", "had"}
        or behind in {"VBN", "VB", ""}
    ):
        return ParsedQuestion("", text[tokens[place].start :], unit=unit)  # "How many patients were enrolled?"
    return _order_as_statement(
        tokens, place, text, nlp, unit=unit, adverb="" if unit else tokens[1].lower if counted else asked
    )


def _order_as_statement(
    tokens: list[Token],
    place: int,
    text: str,
    nlp: Language,
    *,
    several: bool = False,
    unit: str = "",
    adverb: str = "",
) -> ParsedQuestion | None:
    """A question whose subject stands behind the auxiliary at *place*, in the order of a statement."""
    auxiliary, behind = tokens[place].lower, tokens[place + 1 :]
    if not behind:
        return None
    if behind[0].lower in _UNNAMED and not any(t.lower == "take" for t in behind):
        return None
    passive = auxiliary in _BE and any(token.tag in {"VBN", "VBD"} for token in behind)
    wanted = frozenset({"VBN", "VBD", "RB"} if passive else ())
    end, _ = _find_subject_end(auxiliary, text, behind, nlp, wanted)
    if auxiliary in _BE and (end is None or not any(t.tag[:2] in {"VB", "JJ"} and t.start > end for t in behind)):
        return ParsedQuestion(f"{text[behind[0].start :]} {auxiliary}", several=several, unit=unit, adverb=adverb)
    if end is None or not text[end:].split():
        return None
    verb, *rest = text[end:].split()
    does = inflect_third_person(verb) if auxiliary == "does" else verb
    adverb = "" if adverb in {"where", "when"} and rest and rest[-1] in PREPOSITIONS else adverb
    said = f"{text[behind[0].start : end].strip()} {does if auxiliary in {'do', 'does'} else f'{auxiliary} {verb}'}"
    if rest and (rest[-1] in PREPOSITIONS or (adverb and rest[0] not in PREPOSITIONS)):
        said, rest = " ".join([said, *rest]), []
    return ParsedQuestion(said, " ".join(rest), several=several, unit=unit, adverb=adverb)


KINDS = frozenset("type kind class category name".split())
PREPOSITIONS = frozenset(
    "for by to with in of from on at into through against as about under between during after before among via".split()
)
CONJUNCTIONS = frozenset("because since until if when while unless once".split())
_PLACING = (
    PREPOSITIONS
    | CONJUNCTIONS
    | frozenset(
        "due upon upstream downstream throughout within inside outside behind near above below over across along "
        "twice every daily weekly monthly annually never always usually only orally approximately around up".split()
    )
)


def _find_subject_end(
    auxiliary: str, text: str, behind: list[Token], nlp: Language, wanted: frozenset[str] = frozenset()
) -> tuple[int | None, bool]:
    """Where in *text* the subject that the tokens *behind* the auxiliary begin with ends, and whether that is sure.

    Sure is the one place for the auxiliary at which the parser takes all before it for the subject, as parsers are
    trained on few questions; failing that, the first word that can follow is taken.
    """
    start = behind[0].start
    words = text[start:].split(" ")
    if words[0].lower() in _UNNAMED | {"there", "you", "we", "one", "i"}:
        return (start + len(words[0]) if len(words) > 1 else None), True
    # What follows "does" is a base form: "does honey ease coughs" is not about "honey ease".
    ends = [end for end in range(1, len(words)) if auxiliary not in _DO or not _is_plural(words[end].rstrip("?.!,"))]
    made = [" ".join([*words[:end], auxiliary, *words[end:]]) + "." for end in ends]
    wanted = wanted or _BEHIND.get(auxiliary, frozenset({"VB", "VBP"}))
    fitting: dict[int, str] = {}
    weaker: list[int] = []
    for end, sentences in zip(ends, parse([Mapped.whole(one) for one in made], nlp), strict=True):
        length = len(" ".join(words[:end]))
        sentence = sentences[0]
        place = next((token.i for token in sentence.tokens if token.start == length + 1), None)
        if len(sentences) != 1 or place is None or place + 1 >= len(sentence.tokens):
            continue
        tag, before = sentence.tokens[place + 1].tag, sentence.tokens[place - 1]
        noun = subject_of(sentence, sentence.root)
        helps = sentence.tokens[place].head == sentence.root and sentence.tokens[place].dep.split(":")[0] in {
            "aux",
            "cop",
        }
        if tag in wanted and before.tag in NOUNS | {"-RRB-", "VBG"}:
            weaker.append(end)
            if noun is not None and sentence.subtree(noun.i) == set(range(place)) and helps:
                fitting[end] = tag
    if len(fitting) > 1:  # an article right behind a noun begins something else
        fitting = {end: tag for end, tag in fitting.items() if tag == "DT"} or fitting
    best = next(iter(fitting), weaker[0] if weaker else None)
    if best is None:
        verb = next((token for token in behind[1:] if token.tag in wanted), None)
        return (None if verb is None else verb.start), False
    return start + len(" ".join(words[:best])), len(fitting) == 1


def _inflect(verb: str, *, plural: bool) -> str:
    """The verb of a question about a subject in the number of what answers it."""
    if plural:
        return _AGREEING.get(verb, verb)
    back = {many: one for one, many in _AGREEING.items()}
    return back.get(
        verb, inflect_third_person(verb) if verb.isalpha() and QUESTIONS.base_form.fullmatch(verb) else verb
    )


def _is_plural(phrase: str) -> bool:
    head = re.split(r"\s(?:of|in|with|for|from|that|which|on|by)\s|\(", phrase)[0].strip()
    last = head.split()[-1] if head else ""
    return " and " in head or (last.endswith("s") and not last.endswith(("ss", "us", "is")) and last[:-1].islower())
