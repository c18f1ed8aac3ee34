"""Whether one text entails another, by the verifier of a profile."""

from __future__ import annotations

from collections.abc import Sequence

from fas.core.parts import Verifier, verifiers
from fas.core.parts.options import part_spec
from fas.core.profile import Profile, load_profile
from fas.core.records import Claim, Pair, Passage
from fas.llm.parts import reading_verifier
from fas.models.precision import precision_name
from fas.scoring.verdicts.isolation import isolate_errors


class StatementEntailment:
    """Whether a text entails a claim, by the verifier of a profile, whose threshold holds unless one is given.

    A ValueError is raised if the profile or its verifier cannot be used.
    """

    def __init__(self, profile: str | Profile, *, threshold: float | None = None) -> None:
        settings = load_profile(profile)
        if threshold is not None:
            settings = settings.override(threshold=threshold)
        self.verifier: Verifier = reading_verifier(settings, f"entailment by {settings.name!r}")
        self.threshold = settings.threshold
        options = part_spec(verifiers, settings.verify, settings).options
        computes = f", prec={precision_name(options['precision'])}" if "precision" in options else ""
        self.signature = f"{self.verifier.signature}, t={settings.threshold:g}{computes}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool | None]:
        """For each (text, claim) whether the text entails it; None where that could not be judged."""
        asked = [Pair(Claim(claim), Passage(text)) for text, claim in pairs]
        outcomes = isolate_errors(self.verifier.verify, asked)
        return [
            None if isinstance(o, Exception) or o.failure is not None else o.p_support >= self.threshold
            for o in outcomes
        ]
