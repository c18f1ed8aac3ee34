"""The safety checker: answers in, flags out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fas.core.checks import agree
from fas.core.loading import load_once
from fas.core.records import Answer, Flag
from fas.core.records.digests import SHOWN, digest_of
from fas.core.records.signature import PartSignature
from fas.safety.doses import find_doses
from fas.safety.flags import build_case, find_flags, list_sure_flags, sort_flags
from fas.safety.matcher import DrugMatcher, Mention, resolve_pronouns
from fas.safety.patient import read_question
from fas.safety.relations import RelationReading
from fas.safety.rules import RuleBook, read_rules, rule_folder
from fas.safety.segments import SafetySegment, find_other_questions, find_stories, split_segments
from fas.safety.text import Text, normalise_text
from fas.safety.unknown_drugs import find_unknown_drugs
from fas.safety.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from fas.safety.model_reader import ModelReader

_MAX_SENTENCE = 2_000  # characters; longer "sentences" are lists without punctuation and are cut at a space


class SafetyChecker:
    """Finds advice that could harm: contraindicated drugs, doses above the maximum, missing doses, and more.

    The rule tables are read when the checker is made; what decides on flags is fitted and part of the package.

    Args:
        rules: Folder of rule tables; those of this installation by default.
        vocabulary: Folder made by `fas safety build` whose names are known in addition.
        info: Also report what only informs (BOXED_WARNING_OMITTED, cross-allergies).
        reader: A language model that reads the answers in place of the fitted reading; tables and arithmetic stay.

    Attributes:
        signature: Pins the flags: `rules@VERSION[tables=DIGEST,engine=DIGEST]`, with the vocabulary if one is given.
        unread: How many segments of the answers checked so far were not read, as they belong to another question or
            tell a story.

    Raises:
        InputError: A table is missing or damaged; the message names file, line and column.
    """

    def __init__(
        self,
        *,
        rules: Path | None = None,
        vocabulary: Path | None = None,
        info: bool = False,
        reader: ModelReader | None = None,
    ) -> None:
        folder = rules or rule_folder()
        self._book, self._matcher = _read(folder, vocabulary, _stat_files(folder), _stat_files(vocabulary))
        self._info = info
        self._reader = reader
        self.unread = 0
        pinned = PartSignature(
            f"rules@{self._book.version}",
            f"tables={digest_of(sorted(folder.glob('*.tsv')))[:SHOWN]}",
            f"engine={engine_digest()[:SHOWN]}",
        )
        self.signature = pinned if vocabulary is None else f"{pinned}+{_build_name(vocabulary)}"
        if reader is not None:
            self.signature = f"{self.signature}+reader[{reader.signature}]"

    def check(self, answers: Sequence[Answer]) -> list[tuple[Flag, ...]]:
        """The flags of each answer, in the order of the text.

        Offsets are Unicode code points into the prediction, half open.

        Args:
            answers: What to check; an answer without a question is checked on its own words.

        Raises:
            ModelReadingError: The language model's reading of an answer cannot be used.
        """
        if self._reader is not None:
            return self._check_by_model(answers, self._reader)
        found = []
        for answer in answers:
            reading, unread_doses = self.read(answer)
            flags = find_flags(build_case(reading, self._book), info=self._info)
            found.append(sort_flags((*flags, *unread_doses)))
        return found

    def _check_by_model(self, answers: Sequence[Answer], reader: ModelReader) -> list[tuple[Flag, ...]]:
        found = []
        for answer, reply in zip(answers, reader.ask(answers), strict=True):
            case, findings = reader.find(reply, self.read(answer)[0], self._matcher, self._book)
            found.append(list_sure_flags(case, findings, info=self._info))
        return found

    @property
    def book(self) -> RuleBook:
        """The tables."""
        return self._book

    def looked_in(self) -> str:
        """The tables that flags are raised from, with the number of their rules and the version."""
        tables = ", ".join(f"{name} {n}" for name, n in self._book.tables().items())
        return f"rules {self._book.version}: {tables}"

    def recount(self) -> None:
        """Forget what was counted."""
        self.unread = 0
        if self._reader is not None:
            self._reader.dropped = 0

    def notes(self) -> tuple[str, ...]:
        """What was not read, for whoever reads the flags; empty if all was."""
        lines = []
        if self.unread:
            parts = agree(self.unread, "1 segment belongs", f"{self.unread} segments belong")
            lines.append(
                f"safety: {parts} to another question or story and {agree(self.unread, 'was', 'were')} not read"
            )
        if self._reader is not None and self._reader.dropped:
            lines.append(f"safety: {self._reader.dropped} quotes of the language model are in no answer; dropped")
        return tuple(lines)

    def read(self, answer: Answer) -> tuple[RelationReading, tuple[Flag, ...]]:
        """The entities of an answer, and flags for doses in segments that address nobody."""
        question = normalise_text(answer.question or "")
        asked = self._matcher.find(question)
        patient = read_question(question, asked, self._book.conditions)
        text = normalise_text(answer.prediction)
        cut = _cut_long(split_segments(text.plain))
        found = self._matcher.find(text)
        mentions = resolve_pronouns(cut, _group_by_segment(cut, found), patient.asked)
        odd = _group_by_segment(cut, find_unknown_drugs(text, self._matcher, found))
        unread = find_other_questions(cut, question.plain) | find_stories(cut)
        doses = tuple(self._unread_dose(text, cut[n], mentions[n]) for n in sorted(unread) if mentions[n])
        for number in unread:
            mentions[number] = []
            odd[number] = []
        self.unread += len(unread)
        reading = RelationReading(
            text, cut, mentions, patient, question.plain, asked, self._book.conditions, unread, odd
        )
        return reading, tuple(filter(None, doses))

    def _unread_dose(self, text: Text, segment: SafetySegment, named: Sequence[Mention]) -> Flag | None:
        """An uncounted flag for a skipped segment that names a drug with an amount; None if it has no amount."""
        if not find_doses(segment.text).amounts:
            return None
        drug = named[0].lead
        start, end = text.span(segment.start, segment.end)
        return Flag(
            "UNREAD_DOSE", "UNREAD_DOSE", drug, self._book.vocabulary.rxcui(drug), None, start, end, "info", "unread",
            None, None, f"a dose of {drug} that was not read, as it belongs to another question or story",
        )  # fmt: skip


def _stat_files(folder: Path | None) -> tuple[tuple[str, int, int], ...]:
    """Name, size and time of each file of *folder*, to detect changes."""
    if folder is None or not folder.is_dir():
        return ()
    stats = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@load_once(4)
def _read(folder: Path, vocabulary: Path | None, *states: object) -> tuple[RuleBook, DrugMatcher]:
    """The tables and the matcher of their names, once a process: reading them takes a quarter of a second."""
    book = read_rules(folder)
    names = book.vocabulary if vocabulary is None else book.vocabulary.extended(read_vocabulary(vocabulary))
    return book, DrugMatcher(names, stop=book.stop)


def _cut_long(found: Sequence[SafetySegment]) -> list[SafetySegment]:
    """The segments, long ones cut into pieces of the same block."""
    result: list[SafetySegment] = []
    places: dict[int, int] = {}
    for number, segment in enumerate(found):
        places[number] = len(result)
        head = places.get(segment.head) if segment.head is not None else None
        at = 0
        while len(segment.text) - at > _MAX_SENTENCE:
            cut = segment.text.rfind(" ", at + _MAX_SENTENCE // 2, at + _MAX_SENTENCE)
            cut = cut if cut > 0 else at + _MAX_SENTENCE
            result.append(_slice(segment, at, cut, head))
            at = cut
        result.append(_slice(segment, at, len(segment.text), head))
    return result


def _slice(segment: SafetySegment, first: int, last: int, head: int | None) -> SafetySegment:
    start, end = segment.start + first, segment.start + last
    return replace(segment, start=start, end=end, text=segment.text[first:last], head=head)


def _group_by_segment(found: Sequence[SafetySegment], mentions: Sequence[Mention]) -> list[list[Mention]]:
    starts = [segment.start for segment in found]
    groups: list[list[Mention]] = [[] for _ in found]
    for mention in mentions:
        at = bisect_right(starts, mention.start) - 1
        if at >= 0 and mention.end <= found[at].end:
            groups[at].append(mention)
    return groups


@load_once(1)
def engine_digest() -> str:
    """A digest of the code, patterns and weights that raise flags."""
    from importlib.metadata import version

    here = Path(__file__).resolve().parent
    forms = ("*.py", "*.tsv", "weights.json", "patterns/*.tsv")
    reading = [path for form in forms for path in sorted((here.parent / "text" / "reading").glob(form))]
    own = [path for form in forms for path in sorted(here.glob(form))]
    return digest_of([*own, *reading], version("spacy"))


def _build_name(folder: Path) -> str:
    version = folder / "version.txt"
    return version.read_text(encoding="utf-8").strip() if version.is_file() else "vocabulary"
