"""Pronouns that stand for the one drug spoken of before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.matcher import Mention
from fas.safety.segments import Segment

_PRONOUN = re.compile(
    r"\b(?:it|them|(?:this|that|the|these|both) (?:medication|medicine|drug|antibiotic|medications|"
    r"medicines|drugs)|this one|both(?= are| can))\b"
    r"|(?<=take )this\b|(?<=use )this\b",
    re.IGNORECASE,
)


def with_pronouns(
    segments: Sequence[Segment], mentions: Sequence[Sequence[Mention]], asked: Sequence[Mention]
) -> list[list[Mention]]:
    """The mentions of each segment, and pronouns that stand for the one drug spoken of before."""
    result: list[list[Mention]] = []
    topic: list[Mention] = [*asked] if len({mention.lead for mention in asked}) == 1 else []
    for segment, own in zip(segments, mentions, strict=True):
        found = list(own)
        if own:
            leads = {mention.lead for mention in own}
            topic = [own[0]] if len(leads) == 1 else []
            if topic:
                found += _later_pronouns(segment, own[0], own[-1].end)
        elif topic and segment.kind != "heading":
            match = _PRONOUN.search(segment.text)
            if match and (match.group().lower() != "it" or _about_use(segment.text, match)):
                named = topic[0]
                start = segment.start + match.start()
                found = [
                    Mention(
                        start,
                        segment.start + match.end(),
                        match.group(),
                        named.ingredients,
                        named.class_key,
                        pronoun=True,
                    )
                ]
        result.append(found)
    return result


def _later_pronouns(segment: Segment, named: Mention, after: int) -> list[Mention]:
    """Pronouns in the same sentence, after its only drug, that its use is spoken of with."""
    return [
        Mention(
            segment.start + m.start(),
            segment.start + m.end(),
            m.group(),
            named.ingredients,
            named.class_key,
            pronoun=True,
        )
        for m in _PRONOUN.finditer(segment.text, after - segment.start)
        if _about_use(segment.text, m)
    ]


def _about_use(sentence: str, match: re.Match[str]) -> bool:
    before, after = sentence[: match.start()], sentence[match.end() :]
    return bool(
        re.search(r"\b(?:take|use|taking|using|start|try|give|avoid|stop|stopping)\s+$", before, re.IGNORECASE)
        or re.match(
            r"(?:'s| is| can| should| must| would be| may)\b[^.;]{0,25}\b(?:safe|fine|ok|okay|"
            r"contraindicated|avoided|used|taken|recommended|good|not)\b",
            after,
            re.IGNORECASE,
        )
    )
