"""Run configuration: typed, read from TOML, with built-in profiles.

A profile is a set of tables. `[claims]` and `[verify]` name a part; every key that is not a setting of the pipeline is
an option of that part, which is checked when the part is built.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from fas.core.arguments import suggest_arguments
from fas.core.checks import is_whole, suggest_word
from fas.core.errors import ProfileError
from fas.core.files.plain import parse_toml
from fas.core.loading import loading
from fas.core.records.evidence_source import EVIDENCE_CHOICES, EvidenceSource

Precision = Literal["auto", "fp32", "bf16"]
PRECISIONS: tuple[Precision, ...] = ("auto", "fp32", "bf16")


class _SettingError(ProfileError):
    """An impossible value, with its place in a TOML file; *key* is None for the whole table."""

    def __init__(self, table: str, key: str | None, problem: str) -> None:
        super().__init__(f"{table}: {problem}" if key is None else f"{table}: `{key}` {problem}")
        self.table, self.key = table, key


# The settings of the pipeline by their place in a TOML file; what else a table holds is an option of a part.
_PLACES: Mapping[str, tuple[str, str]] = {
    "evidence": ("evidence", "source"),
    "k": ("evidence", "k"),
    "threshold": ("verify", "threshold"),
    "threshold_contradiction": ("verify", "threshold_contradiction"),
    "precision": ("run", "precision"),
    "safety": ("safety", "enabled"),
    "coverage": ("coverage", "enabled"),
    "n_resamples": ("run", "n_resamples"),
    "seed": ("run", "seed"),
    "text_timeout": ("run", "text_timeout"),
}
_OPEN = ("claims", "evidence", "verify", "detect", "llm", "reference")  # tables with options of a part
_CLOSED = {
    "weights": ("bertscore", "support", "no_contradiction"),
    **{table: tuple(key for own, key in _PLACES.values() if own == table) for table in ("safety", "coverage", "run")},
}
_TABLES = ("claims", "evidence", "verify", "detect", "llm", "reference", "weights", "safety", "coverage", "run")


def _is_threshold(value: object) -> bool:
    # Below one half a claim could be supported by a passage that more likely is neutral.
    return isinstance(value, int | float) and 0.5 <= value < 1.0


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "k": (lambda value: is_whole(value) and value >= 1, "a whole number of at least 1"),
    "threshold": (_is_threshold, "in [0.5, 1)"),
    "threshold_contradiction": (lambda value: value is None or _is_threshold(value), "in [0.5, 1)"),
    "precision": (lambda value: value in PRECISIONS, f"one of {', '.join(PRECISIONS)}"),
    "safety": (lambda value: isinstance(value, bool), "true or false"),
    "coverage": (lambda value: isinstance(value, bool), "true or false"),
    "n_resamples": (lambda value: is_whole(value) and value >= 1, "a whole number of at least 1"),
    "seed": (lambda value: is_whole(value) and value >= 0, "a whole number of at least 0"),
    "text_timeout": (
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e8,
        "seconds of at least 0 (0: no end)",
    ),
}


@dataclass(frozen=True, slots=True)
class PartSpec:
    """A part by name, with its options."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the Fact-Aligned Score; they sum to 1."""

    bertscore: float = 0.3
    support: float = 0.4
    no_contradiction: float = 0.3

    def __post_init__(self) -> None:
        for name in _CLOSED["weights"]:
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0.0 <= value <= 1.0:
                raise _SettingError("weights", name, f"must be a number in [0, 1], got {value!r}")
        total = self.bertscore + self.support + self.no_contradiction
        if not math.isclose(total, 1.0, abs_tol=1e-9):
            parts = f"{self.bertscore} + {self.support} + {self.no_contradiction}"
            raise _SettingError("weights", None, f"must sum to 1, got {parts} = {total:g}")
        if self.bertscore > 1 - 1e-9:
            raise _SettingError("weights", None, "at least one of `support` and `no_contradiction` must be above 0")


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that decides a score, apart from the answers.

    Attributes:
        name: Name of the built-in profile, or the file's stem.
        claims: The claim extractor.
        evidence: One of the choices of `--evidence`, or None to decide from the answers.
        evidence_options: Options of the evidence source.
        k: Passages per claim.
        verify: The verifier.
        detect: The detector of `fas detect`; None for a profile that names none.
        llm: Settings of the language models that parts use (`fas.llm.chat_model`), `model` for those
            that name none themselves, and the budget of a run; empty where there are none.
        threshold: Probability from which a claim counts as supported or contradicted (closed).
        threshold_contradiction: Another one for contradiction; None for the same.
        reference: Options of the reference metrics.
        weights: Weights of the Fact-Aligned Score.
        precision: Number format of the models; `fp32` is the reference.
        safety: Whether safety flags are raised.
        coverage: Whether each answer is searched for the statements of its references (or given statements).
        n_resamples: Bootstrap draws.
        seed: Seed of everything random.
        text_timeout: Seconds that each stage that works on text alone (claims, safety, words of the references) may
            take for an answer, which is an error record after them; 0 for no end. Decides no score.
    """

    name: str = "mini"
    claims: PartSpec = PartSpec("spacy")
    evidence: str | None = None
    evidence_options: Mapping[str, Any] = field(default_factory=dict)
    k: int = 5
    verify: PartSpec = PartSpec("nli")
    detect: PartSpec | None = None
    llm: Mapping[str, Any] = field(default_factory=dict)
    threshold: float = 0.7
    threshold_contradiction: float | None = None
    reference: Mapping[str, Any] = field(default_factory=dict)
    weights: Weights = Weights()
    precision: Precision = "auto"
    safety: bool = True
    coverage: bool = False
    n_resamples: int = 10_000
    seed: int = 12345
    text_timeout: float = 60.0

    def __post_init__(self) -> None:
        for name, kind, example in (
            ("claims", PartSpec, 'PartSpec("spacy")'),
            ("verify", PartSpec, 'PartSpec("nli", {"batch_size": 32})'),
            ("weights", Weights, "Weights(0.3, 0.4, 0.3)"),
            ("evidence_options", Mapping, "{}"),
            ("reference", Mapping, "{}"),
            ("llm", Mapping, '{"model": "gpt-4o-mini"}'),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise ProfileError(f"setting `{name}` must be a {kind.__name__}, e.g. {example}, got {value!r}")
        if self.evidence is not None:
            if not isinstance(self.evidence, str):
                problem = f"setting `evidence` must be a string, got {self.evidence!r}"
                raise ProfileError(f"{problem}; choices: {EVIDENCE_CHOICES}")
            object.__setattr__(self, "evidence", EvidenceSource(self.evidence))
        for name, (holds, allowed) in _RULES.items():
            value = getattr(self, name)
            if not holds(value):
                raise _SettingError(*_PLACES[name], f"must be {allowed}, got {value!r}")

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON holds them; options that JSON cannot hold are there as their `repr`."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain: dict[str, Any] = json.loads(json.dumps(found, default=_to_plain))
        return plain

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Profile:
        """The profile that `as_dict` gave *settings* of; unknown names, as of newer versions, are ignored."""
        given = {name: value for name, value in settings.items() if name in cls.__dataclass_fields__}
        for name, made in (("claims", PartSpec), ("verify", PartSpec), ("detect", PartSpec), ("weights", Weights)):
            if isinstance(given.get(name), Mapping):
                given[name] = made(**given[name])
        return cls(**given)

    def override(self, **changes: Any) -> Profile:
        """The profile with *changes*; None leaves a setting as it is. A ProfileError for an unknown setting or
        impossible value.

        Another evidence source drops the options that were written for the one before.
        """
        given = {name: value for name, value in changes.items() if value is not None}
        unknown = sorted(set(given) - set(self.__dataclass_fields__))
        if unknown:
            names = list(self.__dataclass_fields__)
            hint = suggest_word(unknown[0], names)
            raise ProfileError(f"no setting {unknown[0]!r}; available: {', '.join(names)}{hint}")
        source = given.get("evidence")
        named = isinstance(source, str) and EvidenceSource(source).name
        if named and self.evidence and named != EvidenceSource(self.evidence).name and "evidence_options" not in given:
            given["evidence_options"] = {}
        return replace(self, **given)


def _to_plain(value: object) -> Any:
    """What `json` writes in place of *value*."""
    if isinstance(value, PartSpec | Weights):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return dict(value) if isinstance(value, Mapping) else repr(value)


def profile_names() -> list[str]:
    """Names of the built-in profiles, sorted."""
    return sorted(
        item.name.removesuffix(".toml") for item in files("fas.core.profiles").iterdir() if item.name.endswith(".toml")
    )


def profile_text(name: str) -> str:
    """The TOML of a built-in profile; a ProfileError that lists the profiles if there is no such one."""
    names = profile_names()
    if name not in names:
        hint = suggest_word(name, names) or "."
        problem = f"no profile {name!r}{hint} Built in: {', '.join(names)}. Or give the path of a .toml file."
        raise ProfileError(problem)
    return (files("fas.core.profiles") / f"{name}.toml").read_text(encoding="utf-8")


@loading()
def parse_weights(text: str) -> Weights:
    """Weights from text such as `0.3,0.4,0.3`; a ValueError if they are not three numbers that sum to 1."""
    try:
        parts = [float(part) for part in text.split(",")]
        if len(parts) != 3:
            raise ValueError(f"expected three numbers, got {len(parts)}")
        return Weights(*parts)
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from error


@suggest_arguments
def load_profile(source: str | Path | Profile = "mini") -> Profile:
    """The profile called *source*, or read from the TOML file *source*.

    Raises:
        ProfileError: The file is missing or not TOML, or holds an unknown field or an
            impossible value; the message names file, line and field.
    """
    if isinstance(source, Profile):
        return source
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ProfileError(f"{path}: cannot be read: {error}") from error
        return _parse(data, str(path), path.stem)
    return _parse(profile_text(source), f"profile {source}", source)


def _parse(data: str | bytes, origin: str, name: str) -> Profile:
    try:
        text, raw = parse_toml(data)
    except ValueError as error:
        raise ProfileError(f"{origin}: not valid TOML: {error}") from error
    _check_fields(raw, text, origin)
    tables = {table: dict(raw.get(table, {})) for table in _TABLES}
    found = {name: tables[table].pop(key) for name, (table, key) in _PLACES.items() if key in tables[table]}
    for part, default in (("claims", "spacy"), ("verify", "nli"), ("detect", None)):
        own = tables[part].pop("name", default)
        if own is not None:
            found[part] = PartSpec(own, tables[part])
    try:
        return Profile(
            name=name,
            evidence_options=tables["evidence"],
            llm=tables["llm"],
            reference=tables["reference"],
            weights=Weights(**tables["weights"]),
            **found,
        )
    except _SettingError as error:
        raise ProfileError(f"{_locate_key(origin, text, error.table, error.key)}: {error}") from error
    except ProfileError as error:  # the choice of evidence
        raise ProfileError(f"{_locate_key(origin, text, 'evidence', 'source')}: {error}") from error


def _check_fields(raw: Mapping[str, Any], text: str, origin: str) -> None:
    for table, content in raw.items():
        where = _locate_key(origin, text, table, None)
        if table not in _TABLES:
            raise ProfileError(f"{where}: unknown table {table!r}; allowed: {', '.join(_TABLES)}")
        if not isinstance(content, dict):
            raise ProfileError(f"{where}: {table!r} must be a table ([{table}]), got {content!r}")
        for key, value in content.items():
            field = f"{_locate_key(origin, text, table, key)}: field {key!r} of [{table}]"
            if table not in _OPEN and key not in _CLOSED[table]:
                raise ProfileError(f"{field} is unknown; allowed: {', '.join(_CLOSED[table])}")
            named = table in ("claims", "verify", "detect") and key == "name"
            if (named or (table, key) == _PLACES["evidence"]) and not isinstance(value, str):
                raise ProfileError(f"{field} must be a string, got {value!r}")


def _locate_key(origin: str, text: str, table: str, key: str | None) -> str:
    """Return the location of *key* in *table* (None: the table itself) as `ORIGIN, line N`.

    TOML's parser does not report it. A key without a line of its own gets the line of its table.
    """
    header = re.compile(r"^\s*\[+\s*[\"']?([^\s\"'.\]]+)")
    own = re.compile(rf"^\s*[\"']?{re.escape(key or '')}[\"']?\s*[=.]")
    top = re.compile(rf"^\s*[\"']?{re.escape(table)}[\"']?\s*[=.]")
    current, best = None, None
    for number, line in enumerate(text.split("\n"), start=1):
        found = header.match(line)
        if found:
            current = found.group(1)
        if (found and current == table) or (current is None and top.match(line)):
            best = best or number
        elif key is not None and current == table and own.match(line):
            best = number
            break
    return origin if best is None else f"{origin}, line {best}"
