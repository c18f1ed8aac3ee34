"""Pronouns that refer to the one drug named before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.doses import find_doses
from fas.safety.matcher import Mention
from fas.safety.segments import SafetySegment
from fas.text.reading.pattern_tables import load_patterns

PRONOUNS = load_patterns(__file__)
# "Give it more time" is about waiting.
_TIME = re.compile(
    r" (?:(?:a|some|more|another|few|little|bit|of|enough) )*(?:time|days?|weeks?|months?|while)\b", re.I
)
_FAR = 2
"""Segments from a drug beyond which a bare pronoun is about something else ("wash it", of the bedding)."""
_USED = re.compile(
    r"\b(?:take|use|taking|using|start|start with|begin|begin with|try|give|prescribe|recommend|continue|keep|resume|"
    r"suggest|avoid|stop|stopping)\s+$",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?:'s| is| can| should| must| would be| may)\b[^.;]{0,25}\b(?:safe|fine|ok|okay|contraindicated|avoided|used|"
    r"taken|recommended|good|not)\b|"
    r"(?:'d| would|'ll| will| should) (?:\w+ly )?(?:suit|help|do the|work (?:well )?for) (?:you|him|her|trick)\b",
    re.IGNORECASE,
)


def resolve_pronouns(
    segments: Sequence[SafetySegment], mentions: Sequence[Sequence[Mention]], asked: Sequence[Mention]
) -> list[list[Mention]]:
    """The mentions of each segment, with pronouns that refer to the drug named before.

    Args:
        segments: The segments of the answer.
        mentions: The names found in each.
        asked: What the question asks about.
    """
    result: list[list[Mention]] = []
    is_elliptic = not any(mentions)  # "Yes, 5 ml are fine": the amount stands for the drug that was asked about
    topic: list[Mention] = [*asked] if len({mention.lead for mention in asked}) == 1 else []
    spoken_of = 0  # the last segment that spoke of it
    for number, (segment, own) in enumerate(zip(segments, mentions, strict=True)):
        found = list(own)
        if own:
            topic, spoken_of = [own[0]] if len({mention.lead for mention in own}) == 1 else [], number
            if topic:
                after = own[-1].end - segment.start
                later = PRONOUNS.pronoun.finditer(segment.text, after)
                found += [
                    _refer(own[0], segment, *match.span()) for match in later if _is_about_use(segment.text, match)
                ]
        elif topic and segment.kind != "heading":
            match = PRONOUNS.pronoun.search(segment.text)
            if match and (match["noun"] or (number - spoken_of <= _FAR and _is_about_use(segment.text, match))):
                found, spoken_of = [_refer(topic[0], segment, *match.span())], number
            elif is_elliptic:
                amounts = find_doses(segment.text).amounts[:1]
                found = [_refer(topic[0], segment, amount.start, amount.end) for amount in amounts]
        result.append(found)
    return result


def _refer(named: Mention, segment: SafetySegment, start: int, end: int) -> Mention:
    """The words from *start* to *end* of *segment* as a mention of the drug *named*."""
    words, start, end = segment.text[start:end], segment.start + start, segment.start + end
    return Mention(start, end, words, named.ingredients, named.class_key, pronoun=True)


def _is_about_use(sentence: str, pronoun: re.Match[str]) -> bool:
    before, after = sentence[: pronoun.start()], sentence[pronoun.end() :]
    if before.lower().endswith("give ") and _TIME.match(after):
        return False
    return _USED.search(before) is not None or _SAID.match(after) is not None
