"""Finding drug and class names in a text, by longest match over an Aho-Corasick automaton, and pronouns for them.

Names match whole words, whatever their case, plural or hyphenation; a salt or ester that
follows belongs to the match. Abbreviations (INH, PPI) match in capitals only. Words of seven
letters or more that are one edit away from the name of an ingredient match it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import ahocorasick
from rapidfuzz.distance import OSA

from fas.safety.dictionary import is_english
from fas.safety.doses import find_doses
from fas.safety.segments import SafetySegment
from fas.safety.text import Text
from fas.safety.vocabulary import Name, Vocabulary
from fas.text.reading.pattern_tables import load_patterns

MIN_MISSPELT = 7
MAX_MISSPELT = 60  # no name is longer, and a word of a million letters would be compared for minutes

MATCHER = load_patterns(__file__)
# "Give it more time" is about waiting.
_TIME = re.compile(
    r" (?:(?:a|some|more|another|few|little|bit|of|enough) )*(?:time|days?|weeks?|months?|while)\b", re.I
)
_FAR = 2
"""Segments from a drug beyond which a bare pronoun is about something else ("wash it", of the bedding)."""
_USED = re.compile(
    r"\b(?:take|use|taking|using|start|start with|begin|begin with|try|give|prescribe|recommend|continue|keep|resume|"
    r"suggest|avoid|stop|stopping)\s+$",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?:'s| is| can| should| must| would be| may)\b[^.;]{0,25}\b(?:safe|fine|ok|okay|contraindicated|avoided|used|"
    r"taken|recommended|good|not)\b|"
    r"(?:'d| would|'ll| will| should) (?:\w+ly )?(?:suit|help|do the|work (?:well )?for) (?:you|him|her|trick)\b",
    re.IGNORECASE,
)
_WORD = rf"[a-z]{{{MIN_MISSPELT},}}"


@dataclass(frozen=True, slots=True)
class Mention:
    """A drug or class named in a text.

    Attributes:
        start: First character, in the plain form of the text.
        end: One past the last.
        text: What stands there.
        ingredients: The ingredients named, the leading one first; empty for a class.
        class_key: The class named, or None.
        pronoun: It is a pronoun that stands for the drug spoken of before.
    """

    start: int
    end: int
    text: str
    ingredients: tuple[str, ...] = ()
    class_key: str | None = None
    pronoun: bool = False

    @property
    def lead(self) -> str:
        """The leading ingredient; the class key for a class."""
        return self.ingredients[0] if self.ingredients else str(self.class_key)


@dataclass(frozen=True, slots=True)
class _Entry:
    forms: tuple[str, ...]  # spellings that must stand exactly so; empty for any case
    ingredients: tuple[str, ...]
    class_key: str | None


class DrugMatcher:
    """Finds the names of a vocabulary.

    Args:
        vocabulary: What to look for.
        stop: Names, in lower case, that are never a match on their own (common words).
    """

    def __init__(self, vocabulary: Vocabulary, *, stop: Iterable[str] = ()) -> None:
        self.vocabulary = vocabulary
        self._stop = frozenset(stop)
        entries: dict[str, _Entry] = {}
        for group in vocabulary.classes.values():
            for text in group.names:
                _add(entries, text, _Entry(_exact(text), (), group.key))
        # Later entries win, so the order says which reading of an ambiguous name is taken.
        order = {"synonym": 0, "brand": 1, "salt": 2, "combination": 3, "ingredient": 4}
        for name in sorted(vocabulary.names, key=lambda name: order[name.kind]):
            entry = _Entry(_exact(name.text), name.ingredients, None)
            _add(entries, name.text, entry)
        self._entries = {form: entry for form, entry in entries.items() if form not in self._stop}
        self._automaton = ahocorasick.Automaton()
        for form, entry in self._entries.items():
            self._automaton.add_word(form, (len(form), entry))
        if len(self._automaton):
            self._automaton.make_automaton()
        self._deletes = _delete_index(vocabulary.names, self._stop)
        self._guesses: dict[str, str | None] = {}

    def knows(self, word: str) -> bool:
        """Whether *word* is a name, in any case."""
        return word.lower() in self._entries

    def nearby(self, word: str) -> bool:
        """Whether a name is one edit away from *word*, in any case."""
        return self._guess(word.lower()) is not None

    def find(self, text: Text) -> list[Mention]:
        """Every name in *text*, in order, none overlapping another."""
        mentions = self._exact_mentions(text)
        mentions += self._misspelt_mentions(text, mentions)
        mentions.sort(key=lambda mention: mention.start)
        return mentions

    def _exact_mentions(self, text: Text) -> list[Mention]:
        if not self._entries:
            return []
        lower, plain, size = text.lower, text.plain, len(text.lower)
        found: list[tuple[int, int, _Entry]] = []
        for last, (length, entry) in self._automaton.iter(lower):
            start, end = last - length + 1, last + 1
            if start and (
                lower[start - 1].isalnum() or (lower[start - 1] == "-" and lower[start - 2 : start - 1].isalnum())
            ):
                continue
            if end < size and lower[end].isalnum():
                # A plural s belongs to the name; anything else makes it another word.
                if lower[end] != "s" or (end + 1 < size and lower[end + 1].isalnum()):
                    continue
                end += 1
            if entry.forms and plain[start : start + length] not in entry.forms:
                continue
            found.append((start, end, entry))
        found.sort(key=lambda item: (item[0], -item[1]))
        mentions: list[Mention] = []
        reached = 0
        for start, end, entry in found:
            if start < reached:
                continue
            if entry.class_key is None and (salt := MATCHER.salt.match(lower, end)):
                end = salt.end()
            reached = end
            mentions.append(Mention(start, end, plain[start:end], entry.ingredients, entry.class_key))
        return mentions

    def _misspelt_mentions(self, text: Text, known: Sequence[Mention]) -> list[Mention]:
        taken = {at for mention in known for at in range(mention.start, mention.end)}
        mentions = []
        for match in re.finditer(_WORD, text.lower):
            word = match.group()
            if match.start() in taken or (guess := self._guess(word)) is None:
                continue
            if match.end() < len(text.lower) and text.lower[match.end()].isalnum():
                continue
            if match.start() and text.lower[match.start() - 1].isalnum():
                continue
            start, end = match.span()
            mentions.append(Mention(start, end, text.plain[start:end], (guess,)))
        return mentions

    def _guess(self, word: str) -> str | None:
        if word not in self._guesses:
            if len(self._guesses) > 200_000:
                self._guesses.clear()
            self._guesses[word] = self._nearest(word)
        return self._guesses[word]

    def _nearest(self, word: str) -> str | None:
        if (
            len(word) > MAX_MISSPELT
            or word in self._stop
            or word in self._entries
            or (word.endswith("s") and word[:-1] in self._entries)
        ):
            return None
        candidates = {name for form in _deletes(word) for name in self._deletes.get(form, ())}
        near = sorted(name for name in candidates if OSA.distance(word, name, score_cutoff=1) <= 1)
        owners = {self._entries[name].ingredients[0] for name in near if name in self._entries}
        # Two different drugs one edit away (prednisone, prednisolone): guessing would be worse than not.
        return owners.pop() if len(owners) == 1 else None


def _exact(text: str) -> tuple[str, ...]:
    letters = [character for character in text if character.isalpha()]
    if len(letters) >= 5 and len(letters) == len(text) and not is_english(text.lower()):
        return ()  # "advil" and "nyquil" are no other word
    capitals = sum(character.isupper() for character in letters)
    if len(letters) <= 6 and capitals >= 2:
        return (text,)
    if len(letters) <= 5 and text[0].isupper():
        return (text, text.upper())
    return ()


def _add(entries: dict[str, _Entry], text: str, entry: _Entry) -> None:
    for form in sorted(_variants(text.lower())):
        held = entries.get(form)
        if held is not None and held.forms and entry.forms and held.ingredients == entry.ingredients:
            entries[form] = _Entry((*held.forms, *entry.forms), entry.ingredients, entry.class_key)
        else:
            entries[form] = entry


def _variants(name: str) -> set[str]:
    forms = {name}
    if " / " in name:
        forms = {name.replace(" / ", joint) for joint in ("/", "-", " and ", " / ", " plus ")}
    elif "/" in name and len(name) > 8:
        forms |= {name.replace("/", joint) for joint in ("-", " and ", " / ", " plus ", " ")}
    for form in tuple(forms):
        if "-" in form:
            forms |= {form.replace("-", " "), form.replace("-", "")} if len(form) > 6 else set()
        elif " " in form and " and " not in form:
            forms.add(form.replace(" ", "-"))
    return forms


def _delete_index(names: Iterable[Name], stop: frozenset[str]) -> dict[str, tuple[str, ...]]:
    index: dict[str, set[str]] = {}
    for name in names:
        word = name.text.lower()
        if name.kind == "brand" or not word.isalpha() or not word.isascii() or len(word) < MIN_MISSPELT or word in stop:
            continue
        for form in _deletes(word):
            index.setdefault(form, set()).add(word)
    return {form: tuple(words) for form, words in index.items()}


def _deletes(word: str) -> Iterator[str]:
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def resolve_pronouns(
    segments: Sequence[SafetySegment], mentions: Sequence[Sequence[Mention]], asked: Sequence[Mention]
) -> list[list[Mention]]:
    """The mentions of each segment, with pronouns that refer to the drug named before.

    Args:
        segments: The segments of the answer.
        mentions: The names found in each.
        asked: What the question asks about.
    """
    result: list[list[Mention]] = []
    is_elliptic = not any(mentions)  # "Yes, 5 ml are fine": the amount stands for the drug that was asked about
    topic: list[Mention] = [*asked] if len({mention.lead for mention in asked}) == 1 else []
    spoken_of = 0  # the last segment that spoke of it
    for number, (segment, own) in enumerate(zip(segments, mentions, strict=True)):
        found = list(own)
        if own:
            topic, spoken_of = [own[0]] if len({mention.lead for mention in own}) == 1 else [], number
            if topic:
                after = own[-1].end - segment.start
                later = MATCHER.pronoun.finditer(segment.text, after)
                found += [
                    _refer(own[0], segment, *match.span()) for match in later if _is_about_use(segment.text, match)
                ]
        elif topic and segment.kind != "heading":
            match = MATCHER.pronoun.search(segment.text)
            if match and (match["noun"] or (number - spoken_of <= _FAR and _is_about_use(segment.text, match))):
                found, spoken_of = [_refer(topic[0], segment, *match.span())], number
            elif is_elliptic:
                amounts = find_doses(segment.text).amounts[:1]
                found = [_refer(topic[0], segment, amount.start, amount.end) for amount in amounts]
        result.append(found)
    return result


def _refer(named: Mention, segment: SafetySegment, start: int, end: int) -> Mention:
    """The words from *start* to *end* of *segment* as a mention of the drug *named*."""
    words, start, end = segment.text[start:end], segment.start + start, segment.start + end
    return Mention(start, end, words, named.ingredients, named.class_key, pronoun=True)


def _is_about_use(sentence: str, pronoun: re.Match[str]) -> bool:
    before, after = sentence[: pronoun.start()], sentence[pronoun.end() :]
    if before.lower().endswith("give ") and _TIME.match(after):
        return False
    return _USED.search(before) is not None or _SAID.match(after) is not None
