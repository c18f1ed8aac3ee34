"""The safety checker: answers in, flags out."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fas.loading import once
from fas.models.paths import VERSIONS
from fas.records import Answer, Flag
from fas.records.digests import SHOWN, digest_of
from fas.records.signature import PartSignature
from fas.safety.doses import find_doses
from fas.safety.entailed import Judge
from fas.safety.flags import find_flags, in_order
from fas.safety.loosely import Candidate, candidates
from fas.safety.matcher import DrugMatcher, Mention
from fas.safety.patient import Patient, read_question
from fas.safety.pronouns import with_pronouns
from fas.safety.prose import Reason, not_addressed
from fas.safety.reading import Reading, read_answer
from fas.safety.rules import Condition, RuleBook, read_rules, rule_folder
from fas.safety.segments import Segment, segments
from fas.safety.text import Text, plain_text
from fas.safety.unknown import strangers
from fas.safety.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_MAX_SENTENCE = 2_000  # characters; longer "sentences" are lists without punctuation and are cut at a space


class SafetyChecker:
    """Finds advice that could hurt: missing doses, contraindicated drugs and their relatives.

    The rule tables are read when the checker is made, the parser when it is first needed.

    Args:
        rules: Folder of rule tables; those of this installation by default.
        vocabulary: Folder made by `fas safety-build` whose names are known in addition.
        info: Also report what only informs (BOXED_WARNING_OMITTED, cross-allergies).
        nlp: A spaCy pipeline with tags and dependencies; the embedded parser by default.
        nli: The embedded NLI model that judges what the rules alone do not see (`fas.safety.entailed`): `fas-nli-mini`,
            or `fas-nli-base`, which is the better judge; None for the rules alone.

    Attributes:
        signature: What pins the flags: `rules@VERSION[tables=DIGEST,engine=DIGEST,nli=MODEL]`, and the vocabulary if
            one is given.
        unread: How many segments of the answers checked so far were not read as addressed to the asker, by reason
            (`fas.safety.prose`).

    Raises:
        InputError: A table is missing or damaged; the message names file, line and column.
        ValueError: *nli* is no model that can judge.
    """

    def __init__(
        self,
        *,
        rules: Path | None = None,
        vocabulary: Path | None = None,
        info: bool = False,
        nlp: Language | None = None,
        nli: str | None = "fas-nli-mini",
    ) -> None:
        folder = rules or rule_folder()
        self._book, self._matcher = _read(folder, vocabulary, _state(folder), _state(vocabulary))
        self._info = info
        self._nlp = nlp
        self._judge = Judge(nli) if nli is not None else None
        self.unread: Counter[Reason] = Counter()
        pinned = PartSignature(
            f"rules@{self._book.version}",
            f"tables={digest_of(sorted(folder.glob('*.tsv')))[:SHOWN]}",
            f"engine={engine_digest()[:SHOWN]}",
            *(() if self._judge is None else (f"nli={self._judge.signature}",)),
        )
        self.signature = pinned if vocabulary is None else f"{pinned}+{_build_name(vocabulary)}"

    def check(self, answers: Sequence[Answer]) -> list[tuple[Flag, ...]]:
        """The flags of each answer, in the order of the text.

        Offsets are Unicode code points into the prediction, half open.

        Args:
            answers: What to check; an answer without a question is checked on its own words.
        """
        read = self._read(answers)
        by_rules = [find_flags(reading, self._book, info=self._info) for reading, _ in read]
        judged = self._judged([reading for reading, _ in read], by_rules)
        return [
            in_order((*flags, *more, *item.unread_doses))
            for (_, item), flags, more in zip(read, by_rules, judged, strict=True)
        ]

    def candidates(self, answers: Sequence[Answer]) -> list[tuple[list[Candidate], list[Candidate]]]:
        """What loose binding raises in each answer: all of it, and what the rules alone do not raise."""
        found = []
        for reading, _ in self._read(answers):
            raised = find_flags(reading, self._book)
            found.append((list(candidates(reading, self._book, ())), list(candidates(reading, self._book, raised))))
        return found

    @property
    def conditions(self) -> Mapping[str, Condition]:
        """The conditions of the tables, by key."""
        return self._book.conditions

    def _judged(self, readings: Sequence[Reading], raised: Sequence[tuple[Flag, ...]]) -> list[list[Flag]]:
        """The flags of each answer that the NLI model adds; a drug and a reason are told once."""
        if self._judge is None:
            return [[] for _ in readings]
        found = [list(candidates(reading, self._book, flags)) for reading, flags in zip(readings, raised, strict=True)]
        chosen = iter(self._judge.flags([c for own in found for c in own], self._book.conditions))
        result = []
        for own in found:
            kept: dict[tuple[str, str | None], Flag] = {}
            for flag in (next(chosen) for _ in own):
                if flag is not None:
                    kept.setdefault((flag.flag, flag.drug), flag)
            result.append(list(kept.values()))
        return result

    def _read(self, answers: Sequence[Answer]) -> list[tuple[Reading, _Prepared]]:
        prepared = [self._prepare(answer) for answer in answers]
        docs = self._parse(
            [
                segment.text
                for item in prepared
                for segment, found, odd in zip(item.segments, item.mentions, item.strangers, strict=True)
                if found or odd
            ]
        )
        readings = []
        at = 0
        for item in prepared:
            parsed: dict[int, Doc] = {}
            for number, found in enumerate(item.mentions):
                if found or item.strangers[number]:
                    parsed[number] = docs[at]
                    at += 1
            reading = read_answer(
                item.text,
                item.segments,
                item.mentions,
                parsed,
                item.patient,
                self._book.conditions,
                question=item.question,
                strangers=item.strangers,
                unread=item.unread,
            )
            self.unread.update(item.unread.values())
            readings.append((reading, item))
        return readings

    def looked_in(self) -> str:
        """The tables that flags are raised from, with the number of their rules and the version."""
        tables = ", ".join(f"{name} {n}" for name, n in self._book.tables().items())
        return f"rules {self._book.version}: {tables}"

    def recount(self) -> None:
        """Forget what was counted."""
        self.unread.clear()

    def notes(self) -> tuple[str, ...]:
        """What was not read, for whoever reads the flags; empty if all was."""
        if not self.unread:
            return ()
        reasons = ", ".join(f"{reason} {n}" for reason, n in self.unread.most_common())
        return (f"safety: {self.unread.total()} segments do not address the asker and were not read: {reasons}",)

    def _prepare(self, answer: Answer) -> _Prepared:
        question = plain_text(answer.question or "")
        patient = read_question(question, self._matcher.find(question), self._book.conditions)
        text = plain_text(answer.prediction)
        cut = _cut(segments(text.plain))
        found = self._matcher.find(text)
        mentions = with_pronouns(text.plain, cut, _by_segment(cut, found), patient.asked)
        odd = _by_segment(cut, strangers(text, self._matcher, found))
        unread = not_addressed(cut, question.plain)
        doses = tuple(self._unread_dose(text, cut[n], mentions[n], why) for n, why in unread.items() if mentions[n])
        for number in unread:
            mentions[number] = []
            odd[number] = []
        return _Prepared(text, cut, mentions, odd, patient, question.plain, unread, tuple(filter(None, doses)))

    def _unread_dose(self, text: Text, segment: Segment, named: Sequence[Mention], why: Reason) -> Flag | None:
        """Where a segment that was not read names a drug with an amount: shown where it stands, and not counted."""
        if not find_doses(segment.text).amounts:
            return None
        drug = named[0].lead
        start, end = text.span(segment.start, segment.end)
        return Flag(
            "UNREAD_DOSE", "UNREAD_DOSE", drug, self._book.vocabulary.rxcui(drug), None, start, end, "info", "unread",
            None, None, f"a dose of {drug} that was not read, as it does not address the asker: {why}",
        )  # fmt: skip

    def _parse(self, sentences: Sequence[str]) -> list[Doc]:
        if not sentences:
            return []
        from fas.models.parser import load_parser, parsing

        if self._nlp is None:
            self._nlp = load_parser()
        with parsing:
            return list(self._nlp.pipe(sentences, batch_size=128))


@dataclass(frozen=True, slots=True)
class _Prepared:
    text: Text
    segments: Sequence[Segment]
    mentions: Sequence[Sequence[Mention]]
    strangers: Sequence[Sequence[Mention]]
    patient: Patient
    question: str
    unread: dict[int, Reason]
    unread_doses: tuple[Flag, ...]


def _state(folder: Path | None) -> tuple[tuple[str, int, int], ...]:
    """What tells whether a file of *folder* has changed: name, size and time of each."""
    if folder is None or not folder.is_dir():
        return ()
    stats = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@once(4)
def _read(folder: Path, vocabulary: Path | None, *states: object) -> tuple[RuleBook, DrugMatcher]:
    """The tables and the matcher of their names, once a process: reading them takes a quarter of a second."""
    book = read_rules(folder)
    names = book.vocabulary if vocabulary is None else book.vocabulary.extended(read_vocabulary(vocabulary))
    return book, DrugMatcher(names, stop=book.stop)


def _cut(found: Sequence[Segment]) -> list[Segment]:
    """Segments no longer than the parser should see; what is cut stays in the same block."""
    result: list[Segment] = []
    places: dict[int, int] = {}
    for number, segment in enumerate(found):
        places[number] = len(result)
        head = places.get(segment.head) if segment.head is not None else None
        start, text = segment.start, segment.text
        while len(text) > _MAX_SENTENCE:
            at = text.rfind(" ", _MAX_SENTENCE // 2, _MAX_SENTENCE)
            at = at if at > 0 else _MAX_SENTENCE
            result.append(Segment(start, start + at, text[:at], segment.kind, segment.heading, segment.block, head))
            start, text = start + at, text[at:]
        result.append(Segment(start, start + len(text), text, segment.kind, segment.heading, segment.block, head))
    return result


def _by_segment(found: Sequence[Segment], mentions: Sequence[Mention]) -> list[list[Mention]]:
    starts = [segment.start for segment in found]
    groups: list[list[Mention]] = [[] for _ in found]
    for mention in mentions:
        at = bisect_right(starts, mention.start) - 1
        if at >= 0 and mention.end <= found[at].end:
            groups[at].append(mention)
    return groups


@once(1)
def engine_digest() -> str:
    """What the code that raises flags says, all of it, and the parser it reads with."""
    from importlib.metadata import version

    here = Path(__file__).resolve().parent
    forms = ("*.py", "*.tsv", "entailed.json", "patterns/*.tsv")
    reading = [path for form in forms for path in sorted((here.parent / "reading").glob(form))]
    own = [path for form in forms for path in sorted(here.glob(form))]
    code = [*own, *reading, here.parent / "models" / "parser.py"]
    return digest_of(code, version("spacy"), f"fas-en-mini@{VERSIONS['fas-en-mini']}")


def _build_name(folder: Path) -> str:
    version = folder / "version.txt"
    return version.read_text(encoding="utf-8").strip() if version.is_file() else "vocabulary"
