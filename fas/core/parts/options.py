"""Options of parts from the settings of a run: precision and threshold, for every part that takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fas.core.checks import whole_number
from fas.core.errors import ProfileError
from fas.core.parts import detectors, extractors, retrievers, verifiers
from fas.core.parts.registry import Registry, list_option_names
from fas.core.profile import PartSpec, Profile
from fas.core.records.evidence_source import EvidenceSource


def part_options(factory: Callable[..., object], own: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """The options of a part: *own*, its settings in the profile, and those of the whole *profile* that *factory* takes.

    `precision` goes to a factory that names it or takes any option, and to the filter `core` among the options;
    `threshold` to one that names it, because rounding near it matters to the part.
    """
    accepted = list_option_names(factory)
    result = dict(own)
    if accepted is None or "precision" in accepted:
        result.setdefault("precision", profile.precision)
    if accepted is not None and "threshold" in accepted:
        result.setdefault("threshold", profile.threshold)
    chosen = result.get("filter")
    if chosen == "core" or (isinstance(chosen, Mapping) and chosen.get("name") == "core"):
        named = {"name": chosen} if isinstance(chosen, str) else chosen
        result["filter"] = {"precision": profile.precision, **named}
    return result


def part_spec(registry: Registry[Any], spec: PartSpec, profile: Profile) -> PartSpec:
    """*spec* with `part_options`; a LookupError if there is no such part."""
    return PartSpec(spec.name, part_options(registry.factory(spec.name), spec.options, profile))


def query_settings(ask: Any, *, k: int) -> dict[str, Any] | None:
    """The option `ask` of the evidence, checked; None where no queries are to be written.

    *ask* is None, or a table with `queries` and other options of the query writer; *k* is documents a claim. Anything
    else, or a k that is not a multiple of the queries, is a ProfileError.
    """
    if ask is None:
        return None
    if not isinstance(ask, Mapping):
        raise ProfileError(f"evidence: `ask` must be a table such as {{queries = 3}}, got {ask!r}")
    try:
        queries = whole_number("queries", ask.get("queries", 3), least=0)
    except ValueError as error:
        raise ProfileError(f"evidence: {error}") from error
    if queries == 0:
        return None
    if k % queries:
        raise ProfileError(
            f"evidence: k = {k} documents cannot be divided among {queries} queries; "
            f"give a multiple of {queries}, e.g. -k {-(-k // queries) * queries}"
        )
    return {**ask, "queries": queries}


def check_parts(profile: Profile) -> None:
    """Refuse (LookupError, ValueError) parts that do not exist and options that they do not take, as a run would."""
    extractors.check(profile.claims.name, profile.claims.options)
    verifiers.check(profile.verify.name, profile.verify.options)
    if profile.detect is not None:
        detectors.check(profile.detect.name, profile.detect.options)
    if profile.evidence is not None:
        pipeline = {"search", "ask"}  # read by the pipeline, whatever the source
        retrievers.check(EvidenceSource(profile.evidence).name, profile.evidence_options.keys() - pipeline)
