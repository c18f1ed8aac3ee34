"""What part a drug plays in a question: taken already, reacted to, or asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.asks import PERMISSION
from fas.safety.facts import LONGEST_CLAUSE, clause_close, clause_start
from fas.safety.matcher import Mention
from fas.safety.people import People
from fas.safety.reactions import reaction_to

_STOPPED = re.compile(
    r"\b(?:stop|stopping|skip|skipping|discontinue|discontinuing|(?:come|coming|get|getting|go|going|wean\w*|"
    r"taper\w*) off|"
    r"cut(?:ting)? (?:out|down)|stopp?ed|quit|no longer|not (?:taking|on)|don't (?:take|use)|never (?:took|taken|used)|"
    r"not \(?$|used to|came off|off of|finished|discontinued|instead of|refuse)\b[^.;,?]{0,30}$|"
    r"\bno (?:current |regular |more )?$",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(
    r"\b(?:previous(?:ly)?|formerly|in the past|prior (?:use|treatment|therapy)|ex-)[^.;?!,]{0,30}$", re.IGNORECASE
)
_LEFT_OVER = re.compile(
    r"\b(?:old|left-?over|left over|expired|unused|spare|previous|(?:wife|husband|mother|father|mum|mom|dad|sister|"
    r"brother|friend|neighbou?r)'s)(?: (?:pack|box|bottle|supply|packet|strip|tube) of)? $|"
    r"\b(?:kit|cabinet|cupboard|drawer|bag|fridge|pharmacy|chemist|store|shop|leaflet)(?: \w+)? (?:has|had|have|"
    r"sells?|sold|stocks?|"
    r"contains?|with|says?) (?:\w+ )?$|"
    r"\b(?:read|reads|heard|saw|seen)\b[^.;?!]{0,40}\babout (?:\w+ )?$",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"[^.;?!]{0,12} (?:till|until|up to) (?:last \w+|(?:19|20)\d\d)\b|"
    r"[^.;?!]{0,30}(?:, | was | were )(?:stopped|discontinued|finished|completed) (?:[\w']+ ){0,4}?"
    r"(?:ago|last|in (?:19|20)\d\d|years?|months?|because|by)\b",
    re.IGNORECASE,
)
_CURRENT = re.compile(
    r"\b(?:i'?m|i am|i've been|i have been|been|is|are|am|currently|already|also|was|were)?\s*(?:on|"
    r"gave me|gives me|put me on|started me on|has me on|prescribed me|"
    r"taking|take|takes|swallow|swallows|use|uses|using|prescribed|put on|given|"
    r"started|start|inject|injecting|wear|have been on|has been on|get|gets|having|receiving|my|his|"
    r"her)\b[^.;?!]{0,60}$",
    re.IGNORECASE,
)
_REGIMEN = re.compile(
    r"(?: \([^)]*\))?,? (?:\w+ ){0,2}?\d[\d.,]* ?(?:mg|mcg|g|units?|iu|ml)(?:/d(?:ay)?\b|\b[^.;?!,]{0,25}?"
    r"\b(?:daily|nightly|weekly|once|twice|three times|(?:a|per|each|every) (?:day|week|morning|evening|night)|"
    r"every \w+ (?:hours|weeks)|at (?:night|bedtime)|qd|bid|tid|qid|qhs|od|bd|tds|b\.i\.d|t\.i\.d)\b)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"\b(?:(?:meds?|medications?|medicines?|drugs|"
    r"med(?:ication)? list|drug list|prescriptions?)(?: list)?(?: include| are)?|rx|takes|taking) ?[:=][^.?!]*$",
    re.IGNORECASE,
)
_UNDER_WAY = re.compile(
    r"\b(?:halfway|part[- ]?way|midway|way|days?|weeks?|months?) (?:through|into)\b[^.;,?!]{0,30}$|"
    r"\bin the middle of\b[^.;,?!]{0,30}$|\b(?:month|week|day) \d+ of\b[^.;?!]{0,70}$|"
    r"\b(?:therapy|treatment|treated|prophylaxis|maintained|maintenance|course|cycle|established|stable|stabili[sz]ed|"
    r"finishing|controlled|managed|maintained|doing well|cure) (?:with|w/|of|on)(?: (?:an?|the|my|oral|daily|"
    r"low-dose|high-dose))*\s*$",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"[^.?!;]{0,60}\b(?:ever since|since (?:then|childhood|birth)\b|since (?:mon|tues|wednes|thurs|fri|satur|"
    r"sun|last|yesterday|january|february|march|april|"
    r"may|june|july|"
    r"august|september|october|november|december|(?:19|20)\d\d))",
    re.IGNORECASE,
)
_AT_HAND = re.compile(
    r"\b(?:keep|carry|carries|keeps|have|has|got)\b (?:an? |some |my |his |her )?(?:\w+ )?$", re.IGNORECASE
)
_PUT_TO_USE = re.compile(
    r"[^.?!]{0,60}\b(?:in my (?:pocket|purse|bag|handbag|car|jacket|wallet)|with me|for (?:my )?(?:chest pain|"
    r"angina|heart|"
    r"attacks?|emergenc\w+)|at hand|just in case|(?:used?|uses|using|need(?:ed|s)?|took|takes?) (?:it|one|two|them))\b",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"\b(?:with|when (?:\w+ )?(?:on|taking|using|take|use|drink)|while(?: (?:on|taking|using))?|"
    r"alongside|together with|along with|plus|on top of|"
    r"and my|after|if i(?:'m| am) (?:on|taking))\b[^.;?]{0,40}$",
    re.I,
)


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
        if (
            _STOPPED.search(before)
            or _GIVEN_UP.search(plain[opening : mention.start])
            or _ENDED.match(plain, mention.end)
        ):
            continue
        permission = PERMISSION.search(plain, opening, mention.end + LONGEST_CLAUSE)
        in_request = (
            permission is not None
            and permission.start() < mention.end
            and clause_close(plain, permission.start()) >= mention.start
        )
        if in_request and permission is not None and not _TOGETHER.search(plain[permission.start() : mention.start]):
            asked.append(mention)
        elif (
            people.is_patient(mention.start)
            and not _LEFT_OVER.search(before)
            and (
                _CURRENT.search(before)
                or (in_request and _TOGETHER.search(before))
                or _is_regular(plain, mention, before)
            )
        ):
            drugs.append(mention)
        elif (
            plain.rstrip().endswith("?")
            and "?" in plain[mention.end :]
            and not re.search(r"[.!]", plain[mention.end :].split("?")[0])
        ):
            asked.append(mention)
    return drugs, allergies, asked


def _is_regular(plain: str, mention: Mention, before: str) -> bool:
    """Whether a drug is told of as in use: in a list of medicines, with its regimen, under way, or at hand."""
    asked = re.match(r"(?:[^.?!]|\.(?=\d))*+\?", plain[mention.end :]) is not None
    return bool(
        _LISTED.search(plain[max(0, mention.start - LONGEST_CLAUSE) : mention.start])
        or (not asked and _REGIMEN.match(plain, mention.end))
        or (not asked and not before.strip() and re.match(r"\s+for\s+(?:my |his |her )?\w", plain[mention.end :]))
        or (not asked and _SINCE.match(plain, mention.end))
        or _UNDER_WAY.search(before)
        or (_AT_HAND.search(before) and _PUT_TO_USE.match(plain, mention.end))
    )
