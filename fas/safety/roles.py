"""What part a drug plays in a question: taken already, reacted to, or asked about."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from fas.safety.facts import LONGEST_CLAUSE, clause_close, clause_start
from fas.safety.matcher import Mention
from fas.safety.people import People
from fas.safety.reactions import reaction_to
from fas.text.reading.cues import load_cues
from fas.text.reading.pattern_tables import load_patterns

ROLES = load_patterns(__file__)


def roles(
    plain: str, mentions: Sequence[Mention], people: People
) -> tuple[list[Mention], list[Mention], list[Mention]]:
    """Current drugs, allergies, and drugs asked about, among the names in a question."""
    drugs: list[Mention] = []
    allergies: list[Mention] = []
    asked: list[Mention] = []
    for mention in mentions:
        opening = clause_start(plain, mention.start)
        before = plain[opening : mention.start]
        after = plain[mention.end : clause_close(plain, mention.end)]
        reacts = reaction_to(mention, plain, before, after, people)
        if reacts is not None:
            if reacts:
                allergies.append(mention)
            continue
        said = load_cues().about("use", plain, mention.start, mention.end, first=opening)
        if "stopped" in said:
            continue
        permission = ROLES.permission.search(plain, opening, mention.end + LONGEST_CLAUSE)
        in_request = (
            permission is not None
            and permission.start() < mention.end
            and clause_close(plain, permission.start()) >= mention.start
        )
        if (
            in_request
            and permission is not None
            and "beside" not in load_cues().about("use", plain, mention.start, mention.end, first=permission.start())
        ):
            asked.append(mention)
        elif (
            people.is_patient(mention.start)
            and "left over" not in said
            and ("current" in said or (in_request and "beside" in said) or _is_regular(plain, mention, before, said))
        ):
            drugs.append(mention)
        elif (
            plain.rstrip().endswith("?")
            and "?" in plain[mention.end :]
            and not re.search(r"[.!]", plain[mention.end :].split("?")[0])
        ):
            asked.append(mention)
    return drugs, allergies, asked


def _is_regular(plain: str, mention: Mention, before: str, said: Collection[str]) -> bool:
    """Whether a drug is told of as in use: in a list of medicines, with its regimen, or under way."""
    asked = re.match(r"(?:[^.?!]|\.(?=\d))*+\?", plain[mention.end :]) is not None
    return bool(
        "listed"
        in load_cues().about(
            "use", plain, mention.start, mention.end, first=max(0, mention.start - LONGEST_CLAUSE), last=mention.start
        )
        or (not asked and ROLES.regimen.match(plain, mention.end))
        or (not asked and not before.strip() and re.match(r"\s+for\s+(?:my |his |her )?\w", plain[mention.end :]))
        or (not asked and "since" in said)
        or "under way" in said
    )
