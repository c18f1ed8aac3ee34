"""Rules that delete findings which are no medical objection, as data files; one for each use case.

A file is TOML:

    name = "mental-health"
    version = 1
    set = ["talk-to-a-professional"]      # the rules that `--rules` applies

    [[rules]]
    name = "talk-to-a-professional"
    field = "snippet"                     # snippet, explanation, or both (measures of the two)
    any = ["consult (a|your) (doctor|physician)"]
    unless = []                           # a text with one of these stays
    source = "..."                        # where the rule comes from
    # or, in place of `any`:
    measure = "jaccard"                   # jaccard, levenshtein (both); words (of one text)
    threshold = 0.5                       # deleted from here on (words: above it)

A phrase is words in a row; `(a|b)` stands for one of several. It is looked for in folded text (case, typographic
quotes and white space do not matter) between characters that are no letters, so that "framing" is not in
"timeframing" and "mg" is in "5mg".

A tag deletes nothing. Of the categories of false positives in table 4 of Lasko et al., a program can tell
`copies_snippet`, `omission`, `agrees_with_literature` and `said_not_in_answer` (rules in tags.toml), `quotes_answer`
(the explanation is only a piece of the answer) and `not_in_answer` (set by the search for the snippet).
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from fas.core.errors import ProfileError
from fas.core.files.plain import parse_toml
from fas.detectors.records import DetectedFinding, Findings

Field = Literal["snippet", "explanation", "both"]
Measure = Literal["jaccard", "levenshtein", "words"]
_MEASURES: dict[str, tuple[str, ...]] = {
    "jaccard": ("both",),
    "levenshtein": ("both",),
    "words": ("snippet", "explanation"),
}
_KEYS = ("name", "field", "any", "unless", "measure", "threshold", "source")
_QUOTES = str.maketrans("’‘‛′“”„‟″‐‑‒–—", '\'\'\'\'"""""-----')
_WORD = re.compile(r"\w+(?:'\w+)*")
NOT_IN_ANSWER = "not_in_answer"
QUOTES_ANSWER = "quotes_answer"
_LEAST_QUOTED = 3  # words; fewer can stand in any text


@dataclass(frozen=True, slots=True)
class CombinationRule:
    """One reason to delete a finding; the module describes the fields."""

    name: str
    field: Field
    any: tuple[str, ...]
    unless: tuple[str, ...]
    measure: Measure | None
    threshold: float | None
    source: str

    def matches(self, finding: DetectedFinding) -> bool:
        """Whether the rule deletes *finding*."""
        least = math.nan if self.threshold is None else self.threshold
        if self.measure in ("jaccard", "levenshtein"):
            if finding.claim is not None:
                return False  # its explanation is made of the claim, which resembles its sentence as every claim does
            measure = jaccard if self.measure == "jaccard" else levenshtein
            return measure(finding.snippet, finding.explanation) >= least
        fields = ("snippet", "explanation") if self.field == "both" else (self.field,)
        texts = [fold_text(getattr(finding, name)) for name in fields]
        if self.measure == "words":
            return any(len(_WORD.findall(text)) > least for text in texts)
        if self.unless and any(map(_phrases(self.unless).search, texts)):
            return False
        return any(map(_phrases(self.any).search, texts))


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a file; *chosen* names those that apply together."""

    name: str
    version: int
    rules: tuple[CombinationRule, ...]
    chosen: tuple[str, ...]

    @property
    def signature(self) -> str:
        """E.g. `mental-health@1`."""
        return f"{self.name}@{self.version}"

    def applied(self) -> tuple[CombinationRule, ...]:
        """The rules that apply together."""
        return tuple(rule for rule in self.rules if rule.name in self.chosen)


def fold_text(text: str) -> str:
    """*text* in one spelling: compatibility characters, case, quotes, dashes and white space made alike."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())


def jaccard(a: str, b: str) -> float:
    """Jaccard similarity of the 3-grams of both texts, in [0, 1]; 0 where either has no word.

    Grams are of words; of characters where a text has fewer than three words.
    """
    words = [_WORD.findall(fold_text(text)) for text in (a, b)]
    if not all(words):
        return 0.0
    if min(map(len, words)) >= 3:
        grams = [{tuple(one[i : i + 3]) for i in range(len(one) - 2)} for one in words]
        return len(grams[0] & grams[1]) / len(grams[0] | grams[1])
    texts = [" ".join(one) for one in words]
    pieces = [{text[i : i + 3] for i in range(max(1, len(text) - 2))} for text in texts]
    return len(pieces[0] & pieces[1]) / len(pieces[0] | pieces[1])


def levenshtein(a: str, b: str) -> float:
    """1 less the edit distance over the length of the longer text, in [0, 1]; 0 where either is empty."""
    from rapidfuzz.distance import Levenshtein

    first, second = fold_text(a), fold_text(b)
    return float(Levenshtein.normalized_similarity(first, second)) if first and second else 0.0


def apply_rules(found: Findings, rules: Sequence[CombinationRule]) -> Findings:
    """*found* without the findings that one of *rules* deletes; `deleted` keeps them with the rule's name.

    The score of a combination becomes that of the highest remaining finding, 0 without one.
    """
    if not rules or found.failure is not None:
        return found
    kept, deleted = [], list(found.deleted)
    for finding in found.findings:
        name = next((rule.name for rule in rules if rule.matches(finding)), None)
        if name is None:
            kept.append(finding)
        else:
            deleted.append(replace(finding, deleted_by=name))
    score = found.score if found.score is None else max((one.confidence for one in kept), default=0.0)
    return replace(found, findings=tuple(kept), deleted=tuple(deleted), score=score)


def deletions(lines: Sequence[Findings]) -> dict[str, int]:
    """Rule to how many findings it deleted."""
    return dict(Counter(str(one.deleted_by) for line in lines for one in line.deleted).most_common())


def rule_notes(lines: Sequence[Findings], rules: RuleSet) -> list[str]:
    """How many findings each rule deleted, and a warning of a rule that matches everything."""
    every = [one for line in lines for one in (*line.findings, *line.deleted)]
    of, n = rules.signature, len(every)
    return [
        *(f"rule {name!r} of {of} deleted {count} of {n} findings" for name, count in deletions(lines).items()),
        *(
            f"warning: rule {rule.name!r} of {of} matches every one of {n} findings"
            for rule in rules.applied()
            if every and all(map(rule.matches, every))
        ),
    ]


def rule_names() -> list[str]:
    """The built-in rule files, sorted."""
    names = (item.name for item in (files("fas.detectors") / "rule_files").iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def load_rules(source: str) -> RuleSet:
    """The built-in rules called *source*, or those of the file *source* (its name ends in `.toml`).

    Raises:
        ProfileError: There is no such file, or it cannot be used; the message names the rule and the field.
    """
    if source.endswith(".toml"):
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise ProfileError(f"rules {source}: cannot be read: {error}") from error
    elif source in rule_names():
        data = (files("fas.detectors") / "rule_files" / f"{source}.toml").read_bytes()
    else:
        raise ProfileError(
            f"no rules {source!r}; built in: {', '.join(rule_names())}. Or give the path of a .toml file."
        )
    try:
        _, raw = parse_toml(data)
    except ValueError as error:
        raise ProfileError(f"rules {source}: not valid TOML: {error}") from error
    return load_rule_set(raw, source)


def load_rule_set(raw: Mapping[str, Any], source: str) -> RuleSet:
    """The rules in the TOML of a file.

    Raises:
        ProfileError: They cannot be used; the message names the rule and the field.
    """
    _refuse_unknown(raw, f"rules {source}", ("name", "version", "set", "rules"))
    rules = tuple(_rule(entry, f"rules {source}, rule {i}") for i, entry in enumerate(raw.get("rules", ()), start=1))
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise ProfileError(f"rules {source}: two rules have one name")
    name, version = raw.get("name"), raw.get("version", 1)
    if not isinstance(name, str) or not re.fullmatch(r"[\w.-]+", name) or not isinstance(version, int):
        raise ProfileError(f"rules {source}: `name` (letters, digits, `-`) and a whole `version` are needed")
    chosen = tuple(raw.get("set", names))
    missing = [one for one in chosen if one not in names]
    if missing:
        raise ProfileError(f"rules {source}: `set` names {missing[0]!r}; available: {', '.join(names)}")
    return RuleSet(name, version, rules, chosen)


def _refuse_unknown(entry: Mapping[str, Any], where: str, allowed: Sequence[str]) -> None:
    for name in sorted(set(entry) - set(allowed)):
        raise ProfileError(f"{where}: field {name!r} is unknown; allowed: {', '.join(allowed)}")


def _rule(entry: Mapping[str, Any], where: str) -> CombinationRule:
    where = f"{where} ({entry.get('name', 'without a name')})"
    _refuse_unknown(entry, where, _KEYS)
    for key in ("name", "field", "source"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise ProfileError(f"{where}: field {key!r} must be a string that is not empty")
    if entry["field"] not in ("snippet", "explanation", "both"):
        raise ProfileError(f"{where}: field 'field' must be snippet, explanation or both, got {entry['field']!r}")
    phrases = {key: entry.get(key, []) for key in ("any", "unless")}
    for key, value in phrases.items():
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise ProfileError(f"{where}: field {key!r} must be a list of phrases")
        _phrases(tuple(value)) if value else None
    measure, threshold = entry.get("measure"), entry.get("threshold")
    if (measure is None) == (not phrases["any"]):
        raise ProfileError(f"{where}: a rule has either phrases (`any`) or a `measure`")
    if measure is not None:
        if measure not in _MEASURES or entry["field"] not in _MEASURES[measure]:
            allowed = "; ".join(f"{name} of {' or '.join(of)}" for name, of in _MEASURES.items())
            raise ProfileError(f"{where}: `measure` {measure!r} of {entry['field']!r} is unknown; allowed: {allowed}")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or threshold < 0:
            raise ProfileError(f"{where}: a measure needs a `threshold` of at least 0, got {threshold!r}")
    return CombinationRule(
        entry["name"], cast(Field, entry["field"]), tuple(phrases["any"]), tuple(phrases["unless"]),
        cast("Measure | None", measure), None if threshold is None else float(threshold), entry["source"],
    )  # fmt: skip


@lru_cache(maxsize=256)
def _phrases(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of them, for folded text."""
    letter = r"[^\W\d_]"
    return re.compile(f"(?<!{letter})(?:{'|'.join(map(_phrase, phrases))})(?!{letter})")


def _phrase(phrase: str) -> str:
    pieces = re.split(r"(\([^()]*\))", fold_text(phrase))
    out = []
    for piece in pieces:
        if piece.startswith("(") and piece.endswith(")"):
            out.append("(?:" + "|".join(re.escape(one.strip()) for one in piece[1:-1].split("|")) + ")")
        elif "(" in piece or ")" in piece:
            raise ProfileError(f"phrase {phrase!r}: a bracket is not closed or is nested")
        else:
            out.append(re.escape(piece))
    return "".join(out)


def tag_finding(finding: DetectedFinding, prediction: str) -> DetectedFinding:
    """The finding with its tags and those of its words."""
    tags = {*finding.tags, *(rule.name for rule in _tag_rules() if rule.matches(finding))}
    explanation = fold_text(finding.explanation).strip("\"' .")
    if len(explanation.split()) >= _LEAST_QUOTED and explanation in fold_text(prediction):
        tags.add(QUOTES_ANSWER)
    return replace(finding, tags=tuple(sorted(tags)))


@lru_cache(maxsize=1)
def _tag_rules() -> tuple[CombinationRule, ...]:
    text = (files("fas.detectors") / "tags.toml").read_text(encoding="utf-8")
    return load_rule_set(tomllib.loads(text), "tags.toml").rules
