"""The language models of a run: one table of settings and one budget for all parts that use one.

Keys of a profile's `[llm]` table:

    model                                   for parts that name none themselves
    max_calls, max_total_tokens, max_cost   the budget of the whole run, over all its models
    base_url, concurrency, requests_per_minute, ...    settings of the models, see `fas.llm.remote`
                                                       and `fas.llm.local`; a part's own come first

A budget is not a setting of a score: a run that it stopped resumes with a larger one.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from fas.core.errors import ProfileError
from fas.core.parts import Verifier, detectors, extractors, verifiers
from fas.core.parts.options import part_spec
from fas.core.parts.registry import Registry, list_option_names
from fas.core.profile import PartSpec, Profile, load_profile

if TYPE_CHECKING:
    from fas.llm.dryrun import DryRun
    from fas.llm.usage_tracker import Usage

T = TypeVar("T")

LOST = "got no reply"
"""What a note says of prompts that were lost: the run is not complete."""

_KINDS: tuple[tuple[str, Registry[Any]], ...] = (("claims", extractors), ("verify", verifiers), ("detect", detectors))
_BUDGET = {"max_calls": "calls", "max_total_tokens": "tokens", "max_cost": "cost"}


class RunModels:
    """Builds parts with the language models of a run.

    Args:
        offline: What is not in the cache stops the run; nothing is sent.
        share: Models whose budget these spend from, too, in place of one of their own.
    """

    def __init__(self, settings: Mapping[str, Any], *, offline: bool = False, share: RunModels | None = None) -> None:
        self._model = settings.get("model")
        if self._model is not None and (not isinstance(self._model, str) or not self._model):
            raise ProfileError(f"llm: `model` must be the name of a language model, got {self._model!r}")
        self._defaults = {key: value for key, value in settings.items() if key not in _BUDGET and key != "model"}
        if settings:
            _check_names(self._defaults)
        limits = {_BUDGET[key]: value for key, value in settings.items() if key in _BUDGET}
        if share is not None and "budget" in share._defaults:
            self._defaults["budget"] = share._defaults["budget"]
        elif limits:
            from fas.llm.budget import Budget

            try:
                self._defaults["budget"] = Budget(**limits)
            except ValueError as error:
                raise ProfileError(f"llm: {error}") from error
        if offline:
            self._defaults["offline"] = True
        self._earlier: dict[str, Usage] | None = None

    def create(self, registry: Registry[T], spec: PartSpec, *, dry_run: DryRun | None = None, **extra: Any) -> T:
        """Build the part of *spec*, with the run's model where it needs one; *dry_run* replaces the models.

        Raises:
            ProfileError: The part needs a language model and none was named.
            LookupError: There is no such part.
            ValueError: An option is wrong.
        """
        options = {**spec.options, **extra}
        if not uses_language_model(registry, spec.name):
            return registry.create(spec.name, **options)
        if not options.get("model"):
            if self._model is None:
                raise ProfileError(
                    f"{registry.kind} {spec.name!r} needs a language model: name one with --model (from Python, or "
                    "in a profile: `model` in the table of the part, or in [llm] for all parts)"
                )
            options["model"] = self._model
        with self.applied(**({} if dry_run is None else {"dry_run": dry_run})):
            return registry.create(spec.name, **options)

    @contextmanager
    def applied(self, **more: Any) -> Iterator[None]:
        """Within the block, new models get the settings and the budget of the run, and *more*."""
        from fas.llm.models import run_defaults, total_usage

        if self._earlier is None:
            self._earlier = total_usage()
        with run_defaults(**self._defaults, **more):
            yield

    def recount(self) -> None:
        """Start the counts of `notes` anew."""
        if self._earlier is not None:
            from fas.llm.models import total_usage

            self._earlier = total_usage()

    def notes(self) -> list[str]:
        """The requests and the cost of each model, one line each; empty for a run without a model."""
        if self._earlier is None:
            return []
        from fas.llm.models import total_usage
        from fas.llm.usage_tracker import Usage

        lines = []
        for name, total in total_usage().items():
            spent = total - self._earlier.get(name, Usage())
            if not spent.calls + spent.cached + spent.failed:
                continue
            cost = "cost unknown (no price)" if spent.cost is None else f"${spent.cost:.4f}"
            lines.append(
                f"language model {name}: {spent.calls} calls in this run, {spent.prompt_tokens} tokens of prompts and "
                f"{spent.completion_tokens} of replies, {cost}; {spent.cached} replies from the cache, "
                f"{spent.failed} prompts without a reply"
            )
            more = {
                "requests were sent again": spent.retries,
                "were given up half-way, which a server may bill": spent.abandoned,
                "replies held reasoning, which was left out": spent.reasoned,
            }
            if any(more.values()):
                lines[-1] += "; " + ", ".join(f"{n} {what}" for what, n in more.items() if n)
            if spent.failed:
                lines.append(f"{spent.failed} prompts to {name} {LOST}; the same command asks them again")
        return lines


def reading_verifier(
    profile: Profile, purpose: str, *, models: RunModels | None = None, dry_run: DryRun | None = None
) -> Verifier:
    """The verifier of *profile*, to compare one text with another.

    *purpose* begins the message where it does not serve; *models* share their budget, and are the profile's by default.

    Raises:
        ProfileError: The verifier reads no text: by its own knowledge, anything would entail what is true.
        LookupError: There is no such verifier.
        ValueError: An option is wrong.
    """
    name = profile.verify.name
    factory = verifiers.factory(name)
    reads = all(getattr(factory, attribute, True) for attribute in ("needs_evidence", "reads_passages"))
    if reads:
        spec = part_spec(verifiers, profile.verify, profile)
        verifier = (models or RunModels(profile.llm)).create(verifiers, spec, dry_run=dry_run)
        if verifier.needs_evidence:
            return verifier
    raise ProfileError(f"{purpose}: verifier {name!r} reads no text; name a profile whose verifier does, e.g. mini")


def has_budget(settings: Mapping[str, Any]) -> bool:
    """Whether an `[llm]` table limits what a run may spend."""
    return any(settings.get(key) is not None for key in _BUDGET)


def uses_language_model(registry: Registry[Any], name: str) -> bool:
    """Whether the part called *name* asks a language model: it takes `model` and `base_url`."""
    return {"model", "base_url"} <= set(list_option_names(registry.factory(name)) or ())


def build_profile(
    profile: str,
    *,
    include_retracted: bool = False,
    rerank: str | None = None,
    dense: str | None = None,
    queries: int | None = None,
    **given: Any,
) -> Profile:
    """The profile of a name or file, with what is given in place of its own settings.

    *given* are settings of the run by their names in `Profile`, and parts and models as for `with_parts`; None leaves
    one as it is. The others are options of the evidence.

    Raises:
        ProfileError: A setting is impossible.
        LookupError: There is no such profile or part.
    """
    names = ("evidence", "k", "threshold", "weights", "precision", "safety", "coverage", "n_resamples", "seed")
    made = load_profile(profile).override(
        **{name: given.pop(name, None) for name in (*names, "threshold_contradiction")}
    )
    options = dict(made.evidence_options)
    if include_retracted:
        options["include_retracted"] = True
    options |= {name: value for name, value in {"rerank": rerank, "dense": dense}.items() if value}
    if queries is not None:
        ask = options.get("ask")
        options["ask"] = {**(ask if isinstance(ask, dict) else {}), "queries": queries}
    made = with_parts(made.override(evidence_options=options), **given)
    if given.get("model") is not None:
        check_model_is_asked(made)
    return made


def with_parts(
    profile: Profile,
    *,
    claims: str | PartSpec | None = None,
    verify: str | PartSpec | None = None,
    detect: str | PartSpec | None = None,
    verify_model: str | None = None,
    decontextualise_model: str | None = None,
    **llm: Any,
) -> Profile:
    """*profile* with another extractor, verifier or detector, or other settings of its language models.

    A part by a name other than the profile's has its own defaults, because the options before were written for that
    one. *verify_model* is of the verifier alone, *decontextualise_model* rewrites sentences or claims for the
    extractor. *llm* are settings of the `[llm]` table; None leaves one as it is. What is named for the run takes the
    place of what the profile names for a part.

    Raises:
        LookupError: There is no such part.
    """
    for kind, other in (("claims", claims), ("verify", verify), ("detect", detect)):
        if isinstance(other, str) and other != getattr(getattr(profile, kind), "name", None):
            other = PartSpec(other)
        if isinstance(other, PartSpec):
            profile = profile.override(**{kind: other})
    given = {key: value for key, value in llm.items() if value is not None}
    if given:
        profile = _set_models(profile, given, verifier_named=verify is not None)
    for kind, registry, option, name in (
        ("verify", verifiers, "model", verify_model),
        ("claims", extractors, "decontextualise_model", decontextualise_model),
    ):
        if name is None:
            continue
        spec: PartSpec = getattr(profile, kind)
        if option not in (list_option_names(registry.factory(spec.name)) or ()):
            raise ProfileError(f"{registry.kind} {spec.name!r} has no option {option!r}, but {name!r} was named for it")
        profile = profile.override(**{kind: PartSpec(spec.name, {**spec.options, option: name})})
    return profile


def _set_models(profile: Profile, given: dict[str, Any], *, verifier_named: bool) -> Profile:
    """*profile* with settings of its language models, which take the place of those of its parts."""
    for kind, registry in _KINDS:
        spec: PartSpec | None = getattr(profile, kind)
        if spec is not None and uses_language_model(registry, spec.name):
            kept = {key: value for key, value in spec.options.items() if key not in given}
            profile = profile.override(**{kind: PartSpec(spec.name, kept)})
    takes_model = "model" in (list_option_names(verifiers.factory(profile.verify.name)) or ())
    if verifier_named and "model" in given and takes_model and not _has_asking_part(profile):
        # Nobody else could be meant: `--verify nli --model NAME`.
        options = {**profile.verify.options, "model": given.pop("model")}
        profile = profile.override(verify=PartSpec(profile.verify.name, options))
    ask = profile.evidence_options.get("ask")
    if isinstance(ask, Mapping):
        kept = {key: value for key, value in ask.items() if key not in given}
        profile = profile.override(evidence_options={**profile.evidence_options, "ask": kept})
    return profile.override(llm={**profile.llm, **given})


def check_model_is_asked(profile: Profile) -> None:
    """Refuse (ProfileError) a language model in *profile* that no part would ask: it would change nothing."""
    name = profile.llm.get("model")
    # `fas detect` says itself what a detector without a model reads.
    asks = profile.detect is not None or _has_asking_part(profile)
    if name is not None and not asks and not isinstance(profile.evidence_options.get("ask"), Mapping):
        raise ProfileError(
            f"model {name!r}: no part of this run asks a language model; name one that does with --claims or --verify, "
            "a profile that has one, or the model of the verifier alone with --verify-model"
        )


def _has_asking_part(profile: Profile) -> bool:
    specs = [(registry, getattr(profile, kind)) for kind, registry in _KINDS]
    return any(spec is not None and uses_language_model(registry, spec.name) for registry, spec in specs)


def _check_names(settings: Mapping[str, Any]) -> None:
    from fas.llm.local import LocalModel
    from fas.llm.remote import RemoteModel

    # The run sets these itself, or they name the model.
    own = {"self", "model", "name", "budget", "offline"}
    allowed = sorted({*inspect.signature(RemoteModel).parameters, *inspect.signature(LocalModel).parameters} - own)
    unknown = sorted(set(settings) - set(allowed))
    if unknown:
        raise ProfileError(f"llm: no setting {unknown[0]!r}; allowed: model, {', '.join(allowed)}")
