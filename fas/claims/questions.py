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
_HAVE = frozenset("has have had".split())
_AUXILIARIES = _BE | _DO | _HAVE | frozenset("can could should will would may might must".split())
NOUNS = frozenset("NN NNS NNP NNPS CD FW".split())
_BEHIND = {word: frozenset({"VBN", "VBG", "VBD", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "DT", "IN"}) for word in _BE}
_BEHIND |= {word: frozenset({"VBN", "VBD"}) for word in _HAVE}
_UNNAMED = frozenset("it this that these those they he she".split())
_QUANTITIES = frozenset("long often far many much".split())
_AGREEING = {"is": "are", "was": "were", "has": "have"}


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as the words around what answers it.

    Attributes:
        before: What stands before the gap, or before the auxiliary that decides.
        after: What stands behind it.
        auxiliary: The auxiliary of a yes/no question; empty where a thing is asked for.
        sure: Whether the parser, too, finds the subject that was put together.
        unit: What is counted (`how many genes`), for an answer that is a number alone, or lacking.
        adverb: `where`, `when`, or the preposition before the gap.
    """

    before: str
    after: str = ""
    auxiliary: str = ""
    sure: bool = True
    unit: str = ""
    adverb: str = ""

    @property
    def unnamed(self) -> bool:
        """Whether nothing says what it is about (`Is it safe?`, not `Is it safe to take zinc?`)."""
        return self.before.lower() in _UNNAMED and not QUESTIONS.expletive.match(f"{self.before} {self.after}")

    def fill(self, item: str) -> str:
        """The statement that *item* makes of it."""
        placed = item.split()[0].lower() in _PLACING
        item = item[0].lower() + item[1:] if placed or QUESTIONS.article.match(item) else item
        if self.adverb and not placed and (self.adverb != "when" or QUESTIONS.year.fullmatch(item)):
            item = f"{'in' if self.adverb in {'where', 'when'} else self.adverb} {item}"
        if self.unit and not re.search(r"[^\W\d_]", item):
            item = f"{item} {self.unit}"
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
    text = QUESTIONS.contracted.sub(r"\1 is", text)
    text = QUESTIONS.asker.sub("patients", QUESTIONS.askers.sub("their", text))
    if not text or len(text.split()) > _MOST_WORDS_OF_A_QUESTION:
        return None
    listed = QUESTIONS.command.match(text)
    if listed is not None:
        asked = text[listed.end() :].strip(" :.")
        return None if not asked or QUESTIONS.wh.match(asked) else ParsedQuestion(f"{asked} include")
    tokens = [token for sentence in parse([Mapped.whole(f"{text}?")], nlp)[0] for token in sentence.tokens]
    tokens = tokens[:-1] if tokens and tokens[-1].text == "?" else tokens
    words = [token.text for token in tokens]
    lower = [word.lower() for word in words]
    if len(words) < 3:
        return None

    asking = next((n for n, word in enumerate(lower) if word in {"what", "which"}), 0)
    counted = lower[0] == "how" and lower[1] in _QUANTITIES
    if counted or lower[0] in {"where", "when"} or (asking == 1 and tokens[0].tag == "IN"):
        return _read_adverbial(tokens, text, nlp)
    if asking:  # "I want to know which foods help" asks of no place in it
        return None if QUESTIONS.asker.search(question) else _read_in_place(tokens, asking, text)
    if lower[0] not in {"what", "which", "who"}:
        places = (n for n, word in enumerate(lower[:-1]) if word in _AUXILIARIES and (n == 0 or words[n - 1] == ","))
        place = next(places, None)
        if place is None:
            return None
        end, sure = _find_subject_end(lower[place], text, tokens[place + 1 :], nlp)
        if end is None:
            return None
        subject = text[: tokens[place].start] + text[tokens[place + 1].start : end].strip()
        return ParsedQuestion(subject, text[end:].strip(), lower[place], sure=sure)
    verb = 1
    while verb < len(words) and lower[verb] not in _AUXILIARIES and tokens[verb].tag not in FINITE | {"VB"}:
        verb += 1
    if verb >= len(words) - 1 and not (verb == len(words) - 1 and tokens[verb].tag in FINITE):
        return None
    named = itertools.takewhile(lambda token: token.tag not in {"IN", "TO"}, tokens[1:verb])
    noun = next((token for token in reversed(list(named)) if token.tag in NOUNS), None)
    if lower[verb] in _DO:
        return _order_as_statement(tokens, verb, text, nlp)
    behind = verb + 1
    while behind < len(words) and tokens[behind].tag in {"RB", "RBR"}:
        behind += 1
    gap_first = ParsedQuestion("", text[tokens[verb].start :])
    stranded = lower[-1] in PREPOSITIONS
    related = any(token.tag in {"WDT", "WP"} for token in tokens[behind:])
    if stranded and not related:
        return _order_as_statement(tokens, verb, text, nlp)  # "What is X used for?"
    if lower[verb] not in _BE or behind >= len(words):
        stays = lower[verb] not in _AUXILIARIES or tokens[behind].tag in {"VB", "VBN"} or lower[verb] in _HAVE
        return gap_first if behind >= len(words) or stays else None
    verbal = tokens[behind].tag in {"VBN", "VBG", "VBD"}
    bare = tokens[behind].tag in {"JJ", "JJR", "IN"} and not any(
        token.tag in NOUNS for token in tokens[behind + 1 : behind + 3]
    )
    if verbal or bare or (noun is not None and noun.lemma not in _KINDS):
        return gap_first
    joined = {"are": "include", "were": "included"}.get(lower[verb], lower[verb])
    return ParsedQuestion(f"{text[tokens[verb + 1].start :]} {joined}")


def _read_in_place(tokens: list[Token], asking: int, text: str) -> ParsedQuestion:
    """A question whose `which` and its noun stand where the answer belongs (`X is used for which disease?`)."""
    end = asking + 1
    for token in tokens[asking + 1 :]:
        if token.tag in FINITE | {"IN", "TO", "WDT"}:
            break
        end = token.i + 1 if token.tag in NOUNS else end
    return ParsedQuestion(text[: tokens[asking].start].strip(), text[tokens[end - 1].end :].strip())


def _read_adverbial(tokens: list[Token], text: str, nlp: Language) -> ParsedQuestion | None:
    """A question for a place, a time or an amount, whose answer stands behind the verb."""
    asked = "" if tokens[0].lower == "how" else tokens[0].lower
    place = next((token.i for token in tokens[2:] if token.lower in _AUXILIARIES or token.tag in FINITE), None)
    if not asked and place is not None:
        unit, verb = text[tokens[2].start : tokens[place].start].strip(), tokens[place].lower
        if unit and (verb not in _AUXILIARIES or verb in _BE | _HAVE):
            return ParsedQuestion("", text[tokens[place].start :], unit=unit)  # "How many patients were enrolled?"
        return _order_as_statement(tokens, place, text, nlp, unit=unit)
    place = next((token.i for token in tokens[1:] if token.lower in _AUXILIARIES), None)
    return None if place is None else _order_as_statement(tokens, place, text, nlp, adverb=asked)


def _order_as_statement(
    tokens: list[Token],
    place: int,
    text: str,
    nlp: Language,
    *,
    unit: str = "",
    adverb: str = "",
) -> ParsedQuestion | None:
    """A question whose subject stands behind the auxiliary at *place*, in the order of a statement."""
    auxiliary, behind = tokens[place].lower, tokens[place + 1 :]
    if not behind or behind[0].lower in _UNNAMED:
        return None
    passive = frozenset({"VBN", "VBD", "RB"} if auxiliary in _BE else ())
    end, _ = _find_subject_end(auxiliary, text, behind, nlp, passive)
    if end is None or not text[end:].split():
        return None
    verb, *rest = text[end:].split()
    does = inflect_third_person(verb) if auxiliary == "does" else verb
    told = does if auxiliary in {"do", "does"} else f"{auxiliary} {verb}"
    said = " ".join([text[behind[0].start : end].strip(), told, *rest])
    return ParsedQuestion(said, unit=unit, adverb=adverb)


_KINDS = frozenset("type kind class category name".split())
PREPOSITIONS = frozenset(
    "for by to with in of from on at into through against as about under between during after before among via".split()
)
_PLACING = PREPOSITIONS | frozenset(
    "due upon upstream downstream throughout within inside outside behind near above below over across along "
    "twice every daily weekly monthly annually never always usually only orally approximately around up".split()
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
        if place is None or place + 1 >= len(sentence.tokens):
            continue
        tag, before = sentence.tokens[place + 1].tag, sentence.tokens[place - 1]
        noun = subject_of(sentence, sentence.root)
        if tag in wanted and before.tag in NOUNS | {"-RRB-", "VBG"}:
            weaker.append(end)
            if noun is not None and sentence.subtree(noun.i) == set(range(place)):
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
    return back.get(verb, verb)


def _is_plural(phrase: str) -> bool:
    head = re.split(r"\s(?:of|in|with|for|from|that|which|on|by)\s|\(", phrase)[0].strip()
    last = head.split()[-1] if head else ""
    return last.endswith("s") and not last.endswith(("ss", "us", "is")) and last[:-1].islower()
