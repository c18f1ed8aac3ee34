"""Pronouns that stand for the one drug spoken of before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.doses import find_doses
from fas.safety.matcher import Mention
from fas.safety.segments import Segment

_PRONOUN = re.compile(
    r"\b(?:it|them|(?:this|that|the|these|both) (?:medication|medicine|drug|antibiotic|medications|"
    r"medicines|drugs)|this one|both(?= are| can))\b"
    r"|(?<=take )(?:this|that)\b|(?<=use )(?:this|that)\b|(?<=start with )(?:this|that)\b",
    re.IGNORECASE,
)


_TAKEN = re.compile(
    r"\W*(?:(?:please|then|so|now|just|simply|yes,?|you (?:can|could|should|may|must)|i(?:'d| would)) )*"
    r"(?:take|use|start (?:with|at|on)|begin (?:with|at)|start|begin|try|give (?:him |her |them )?|apply|inject|inhale|"
    r"go for|swallow)\s+",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:not|n't|never|no|avoid\w*|contra-?indicated|unsafe|dangerous|harmful|stop\w*|unless|instead)\b",
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
                found += _after_colon(segment, own[0], own[-1].end)
        elif topic and segment.kind == "sentence" and (elided := _elided(segments, len(result))) is not None:
            start, end = elided
            named = topic[0]
            found = [
                Mention(
                    segment.start + start,
                    segment.start + end,
                    segment.text[start:end],
                    named.ingredients,
                    named.class_key,
                    pronoun=True,
                )
            ]
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


def _elided(segments: Sequence[Segment], number: int) -> tuple[int, int] | None:
    """The amount that stands for the drug of the sentence before ("Take 50 mg when ..."), unless that warned of it."""
    if number and _FORBIDS.search(segments[number - 1].text):
        return None
    text = segments[number].text
    match = _TAKEN.match(text) or (re.match(r"\W*(?=\d|half|one|two)", text) if find_doses(text).frequencies else None)
    if match is None:
        return None
    amount = next((a for a in find_doses(segments[number].text).amounts if a.start == match.end()), None)
    return None if amount is None or amount.unit == "%" else (amount.start, amount.end)


def _after_colon(segment: Segment, named: Mention, after: int) -> list[Mention]:
    """The amount that stands for the sentence's only drug after a colon ("is Inderal: take 10 mg ...")."""
    match = re.match(r"(?:[^.:;!?|]|\.(?=\d)){0,70}?[:;\u2013\u2014]\s", segment.text[after - segment.start :])
    if match is None or _FORBIDS.search(segment.text[: after - segment.start]):
        return []
    at = after - segment.start + match.end()
    verb = _TAKEN.match(segment.text, at)
    opens = verb.end() if verb is not None else at
    amount = next((a for a in find_doses(segment.text).amounts if a.start == opens and a.unit != "%"), None)
    if amount is None:
        return []
    start, end = segment.start + amount.start, segment.start + amount.end
    return [
        Mention(start, end, segment.text[amount.start : amount.end], named.ingredients, named.class_key, pronoun=True)
    ]


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
        re.search(
            r"\b(?:take|use|taking|using|start|start with|begin with|try|give|avoid|stop|stopping)\s+$",
            before,
            re.IGNORECASE,
        )
        or re.match(
            r"(?:'s| is| can| should| must| would be| may)\b[^.;]{0,25}\b(?:safe|fine|ok|okay|"
            r"contraindicated|avoided|used|taken|recommended|good|not)\b",
            after,
            re.IGNORECASE,
        )
    )
