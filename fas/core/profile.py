"""Run configuration: typed, read from TOML, with the built-in profiles `mini` and `paper`.

A profile is a set of tables. `[claims]` and `[verify]` name a part; every key that is not
a setting of the pipeline is an option of that part and is checked when the part is built.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from fas.core.arguments import suggest_arguments
from fas.core.checks import is_whole, suggest_word
from fas.core.errors import ProfileError
from fas.core.files.plain import parse_toml
from fas.core.loading import loading
from fas.core.records.evidence_source import EVIDENCE_CHOICES, EvidenceSource

Precision = Literal["auto", "fp32", "bf16"]
PRECISIONS: tuple[Precision, ...] = ("auto", "fp32", "bf16")


class _SettingError(ProfileError):
    """An impossible value; knows where a TOML file sets it."""

    def __init__(self, table: str, key: str | None, problem: str) -> None:
        super().__init__(f"{table}: {problem}" if key is None else f"{table}: `{key}` {problem}")
        self.table = table
        self.key = key


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
        for name in ("bertscore", "support", "no_contradiction"):
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
        coverage: Whether it is looked for in each answer what its references (or given statements) say.
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
        self._check_types()
        if self.evidence is not None:
            object.__setattr__(self, "evidence", EvidenceSource(self.evidence))
        if not is_whole(self.k) or self.k < 1:
            raise _SettingError("evidence", "k", f"must be a whole number of at least 1, got {self.k!r}")
        if not isinstance(self.threshold, int | float) or not 0.5 <= self.threshold < 1.0:
            # Below one half a claim could be supported by a passage that more likely is neutral.
            raise _SettingError("verify", "threshold", f"must be in [0.5, 1), got {self.threshold!r}")
        apart = self.threshold_contradiction
        if apart is not None and (not isinstance(apart, int | float) or not 0.5 <= apart < 1.0):
            raise _SettingError("verify", "threshold_contradiction", f"must be in [0.5, 1), got {apart!r}")
        if self.precision not in PRECISIONS:
            raise _SettingError("run", "precision", f"must be one of {', '.join(PRECISIONS)}, got {self.precision!r}")
        if not isinstance(self.safety, bool):
            raise _SettingError("safety", "enabled", f"must be true or false, got {self.safety!r}")
        if not isinstance(self.coverage, bool):
            raise _SettingError("coverage", "enabled", f"must be true or false, got {self.coverage!r}")
        if not is_whole(self.n_resamples) or self.n_resamples < 1:
            problem = f"must be a whole number of at least 1, got {self.n_resamples!r}"
            raise _SettingError("run", "n_resamples", problem)
        if not is_whole(self.seed) or self.seed < 0:
            raise _SettingError("run", "seed", f"must be a whole number of at least 0, got {self.seed!r}")
        limit = self.text_timeout
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit < 1e8:
            problem = f"must be seconds of at least 0 (0: no end), got {limit!r}"
            raise _SettingError("run", "text_timeout", problem)

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON holds them; options that JSON cannot hold are there as their `repr`."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain: dict[str, Any] = json.loads(json.dumps(found, default=_plain))
        return plain

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Profile:
        """The profile that `as_dict` gave *settings* of; names of newer versions are passed over.

        Raises:
            ProfileError: A value is impossible.
        """
        given = {name: value for name, value in settings.items() if name in cls.__dataclass_fields__}
        for name, made in (("claims", PartSpec), ("verify", PartSpec), ("detect", PartSpec), ("weights", Weights)):
            if isinstance(given.get(name), Mapping):
                given[name] = made(**given[name])
        return cls(**given)

    def _check_types(self) -> None:
        """What a TOML file cannot get wrong, but a caller from Python can."""
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
        if self.evidence is not None and not isinstance(self.evidence, str):
            raise ProfileError(
                f"setting `evidence` must be a string, got {self.evidence!r}; choices: {EVIDENCE_CHOICES}"
            )

    def override(self, **changes: Any) -> Profile:
        """The profile with *changes*; None leaves a setting as it is.

        Another evidence source drops the options that were written for the one before.

        Raises:
            ProfileError: A value is impossible, or there is no such setting.
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


def _plain(value: object) -> Any:
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
    """The TOML of a built-in profile.

    Raises:
        ProfileError: There is no such profile; the message lists those there are.
    """
    if name not in profile_names():
        close = get_close_matches(name, profile_names(), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise ProfileError(
            f"no profile {name!r}{hint} Built in: {', '.join(profile_names())}. Or give the path of a .toml file."
        )
    return (files("fas.core.profiles") / f"{name}.toml").read_text(encoding="utf-8")


@loading()
def parse_weights(text: str) -> Weights:
    """Weights from text such as `0.3,0.4,0.3`.

    Raises:
        ValueError: They are not three numbers that sum to 1.
    """
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


# Settings of the pipeline by table; what is missing here is an option of the part.
_TABLES: Mapping[str, tuple[str, ...]] = {
    "claims": ("name",),
    "evidence": ("source", "k"),
    "verify": ("name", "threshold", "threshold_contradiction"),
    "detect": ("name",),
    "llm": (),
    "reference": (),
    "weights": ("bertscore", "support", "no_contradiction"),
    "safety": ("enabled",),
    "coverage": ("enabled",),
    "run": ("precision", "n_resamples", "seed", "text_timeout"),
}
# Tables that pass what is left over on to a part.
_OPEN = ("claims", "evidence", "verify", "detect", "llm", "reference")


def _parse(data: str | bytes, origin: str, name: str) -> Profile:
    try:
        text, raw = parse_toml(data)
    except ValueError as error:
        raise ProfileError(f"{origin}: not valid TOML: {error}") from error
    _check_fields(raw, text, origin)
    tables = {table: dict(raw.get(table, {})) for table in _TABLES}
    settings = {
        (table, key): tables[table].pop(key) for table, keys in _TABLES.items() for key in keys if key in tables[table]
    }
    default = Profile()
    try:
        return Profile(
            name=name,
            claims=PartSpec(settings.get(("claims", "name"), default.claims.name), tables["claims"]),
            evidence=settings.get(("evidence", "source")),
            evidence_options=tables["evidence"],
            k=settings.get(("evidence", "k"), default.k),
            verify=PartSpec(settings.get(("verify", "name"), default.verify.name), tables["verify"]),
            detect=PartSpec(settings["detect", "name"], tables["detect"]) if ("detect", "name") in settings else None,
            llm=tables["llm"],
            threshold=settings.get(("verify", "threshold"), default.threshold),
            threshold_contradiction=settings.get(("verify", "threshold_contradiction")),
            reference=tables["reference"],
            weights=Weights(**{key: value for (table, key), value in settings.items() if table == "weights"}),
            precision=cast(Precision, settings.get(("run", "precision"), default.precision)),
            safety=settings.get(("safety", "enabled"), default.safety),
            coverage=settings.get(("coverage", "enabled"), default.coverage),
            n_resamples=settings.get(("run", "n_resamples"), default.n_resamples),
            seed=settings.get(("run", "seed"), default.seed),
            text_timeout=settings.get(("run", "text_timeout"), default.text_timeout),
        )
    except _SettingError as error:
        raise ProfileError(f"{_at(origin, text, error.table, error.key)}: {error}") from error
    except ProfileError as error:  # the choice of evidence
        raise ProfileError(f"{_at(origin, text, 'evidence', 'source')}: {error}") from error


def _check_fields(raw: Mapping[str, Any], text: str, origin: str) -> None:
    for table, content in raw.items():
        where = _at(origin, text, table, None)
        if table not in _TABLES:
            raise ProfileError(f"{where}: unknown table {table!r}; allowed: {', '.join(_TABLES)}")
        if not isinstance(content, dict):
            raise ProfileError(f"{where}: {table!r} must be a table ([{table}]), got {content!r}")
        for key, value in content.items():
            where = _at(origin, text, table, key)
            if table not in _OPEN and key not in _TABLES[table]:
                raise ProfileError(
                    f"{where}: field {key!r} of [{table}] is unknown; allowed: {', '.join(_TABLES[table])}"
                )
            if key in ("name", "source") and key in _TABLES[table] and not isinstance(value, str):
                raise ProfileError(f"{where}: field {key!r} of [{table}] must be a string, got {value!r}")


def _at(origin: str, text: str, table: str, key: str | None) -> str:
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
