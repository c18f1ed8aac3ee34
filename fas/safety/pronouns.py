"""Pronouns that stand for the one drug spoken of before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.doses import find_doses
from fas.safety.matcher import Mention
from fas.safety.segments import SafetySegment
from fas.safety.structure import Structure
from fas.text.reading.pattern_tables import load_patterns

PRONOUNS = load_patterns(__file__)
# "Give it more time" speaks of waiting.
_TIME = re.compile(
    r" (?:(?:a|some|more|another|few|little|bit|of|enough) )*(?:time|days?|weeks?|months?|while)\b", re.I
)


def resolve_pronouns(
    plain: str, segments: Sequence[SafetySegment], mentions: Sequence[Sequence[Mention]], asked: Sequence[Mention]
) -> list[list[Mention]]:
    """The mentions of each segment, and pronouns that stand for the one drug spoken of before.

    Args:
        plain: The answer.
        segments: Its segments.
        mentions: The names found in each.
        asked: What the question asks about.
    """
    result: list[list[Mention]] = []
    structure = Structure(plain, segments)
    topic: list[Mention] = [*asked] if len({mention.lead for mention in asked}) == 1 else []
    for segment, own in zip(segments, mentions, strict=True):
        found = list(own)
        if own:
            leads = {mention.lead for mention in own}
            topic = [own[0]] if len(leads) == 1 else []
            if topic:
                found += _later_pronouns(segment, own[0], own[-1].end)
                found += _after_colon(segment, own[0], own[-1].end)
        elif segment.kind == "row" and (below := _below_names(structure, mentions, len(result))):
            found = below
        elif (
            (named := _led_by(segments, mentions, len(result)) or next(iter(topic), None)) is not None
            and segment.kind != "heading"
            and (elided := _elided(structure, mentions, len(result))) is not None
        ):
            start, end = elided
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
            match = PRONOUNS.pronoun.search(segment.text)
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


def _below_names(structure: Structure, mentions: Sequence[Sequence[Mention]], number: int) -> list[Mention]:
    """Amounts in a row whose column is headed with one drug ("| Week | X |" over "| 1-2 | 10 mg each morning |")."""
    plain, row, first = structure.plain, structure.segments[number], structure.top(number)
    # "| Maximum | 1,200 mg | 4,000 mg |" compares, "| Week 1 | ..." and "| Breakfast | ..." tell what to take.
    if first == number or not (PRONOUNS.counts_time.match(row.text) or PRONOUNS.opens_with_time.match(row.text)):
        return []
    heads = structure.cells(first)
    found = []
    for (start, end), (left, right) in zip(structure.cells(number), heads, strict=False):
        named = [mention for mention in mentions[first] if left <= mention.start < right]
        amount = next((a for a in find_doses(plain[start:end]).amounts if a.unit != "%" and not a.is_max), None)
        if amount is None or len({mention.lead for mention in named}) != 1:
            continue
        at = start + amount.start
        found.append(
            Mention(
                at,
                start + amount.end,
                plain[at : start + amount.end],
                named[0].ingredients,
                named[0].class_key,
                pronoun=True,
            )
        )
    return found


def _led_by(segments: Sequence[SafetySegment], mentions: Sequence[Sequence[Mention]], number: int) -> Mention | None:
    """The one drug that the heading or lead-in over segment *number* names."""
    head = segments[number].head
    if head is not None and not mentions[head] and PRONOUNS.of_it.search(segments[head].text):
        head -= 1  # "... is what they mean. Here is how I would take it:"
    if head is None or len({mention.lead for mention in mentions[head]}) != 1:
        return None
    return mentions[head][0]


def _scheduled(structure: Structure, number: int) -> tuple[int, int] | None:
    """The amount in a row of a table of doses ("| Days 1-3 | 150 mg daily |"), under a heading that names the drug."""
    segments, first = structure.segments, structure.top(number)
    doses = find_doses(segments[number].text)
    amount = next((a for a in doses.amounts if a.unit != "%"), None)
    if amount is None or not doses.frequencies or first == number or not PRONOUNS.doses.search(segments[first].text):
        return None
    return amount.start, amount.end


def _elided(structure: Structure, mentions: Sequence[Sequence[Mention]], number: int) -> tuple[int, int] | None:
    """The amount that stands for the drug spoken of ("Take 50 mg when ..."), unless that was warned of.

    In a sentence this is the drug of the sentence before, in a list item the one that the heading names.
    """
    segments = structure.segments
    segment = segments[number]
    if segment.kind == "row":
        if _led_by(segments, mentions, number) is not None:
            return _scheduled(structure, number)
        # "| Drug | X |" and below it "| Dose | 400 mg every 8 hours |"
        named = segments[number - 1] if number else segment
        if named.block != segment.block or not mentions[number - 1] or not PRONOUNS.drug_cell.match(named.text):
            return None
    elif segment.kind == "item":
        if _led_by(segments, mentions, number) is None or PRONOUNS.forbids.search(segment.heading):
            return None
    elif number and PRONOUNS.forbids.search(segments[number - 1].text):
        return None
    doses = find_doses(segment.text)
    label = None
    if segment.kind == "item":
        label = PRONOUNS.dose_label.match(segment.text) or PRONOUNS.period.match(segment.text)
    elif segment.kind == "row" and (label := PRONOUNS.dose_cell.match(segment.text)) is None:
        return None
    at = label.end() if label is not None else 0
    match = PRONOUNS.taken.match(segment.text, at) or (
        PRONOUNS.bare_dose.match(segment.text, at) if doses.frequencies or label else None
    )
    if match is None:
        return None
    # "one 800/160 mg tablet" is one tablet, and the amount begins behind "one".
    near = (a for a in doses.amounts if segment.text[match.end() : a.start].strip().lower() in ("", "a", "one", "two"))
    amount = next(near, None)
    return None if amount is None or amount.unit == "%" else (amount.start, amount.end)


def _after_colon(segment: SafetySegment, named: Mention, after: int) -> list[Mention]:
    """The amount that stands for the sentence's only drug after a colon ("is Inderal: take 10 mg ...")."""
    match = re.match(r"(?:[^.:;!?|]|\.(?=\d)){0,70}?[:;\u2013\u2014]\s", segment.text[after - segment.start :])
    if match is None or PRONOUNS.forbids.search(segment.text[: after - segment.start]):
        return []
    at = after - segment.start + match.end()
    verb = PRONOUNS.taken.match(segment.text, at)
    opens = verb.end() if verb is not None else at
    amount = next((a for a in find_doses(segment.text).amounts if a.start == opens and a.unit != "%"), None)
    if amount is None:
        return []
    start, end = segment.start + amount.start, segment.start + amount.end
    return [
        Mention(start, end, segment.text[amount.start : amount.end], named.ingredients, named.class_key, pronoun=True)
    ]


def _later_pronouns(segment: SafetySegment, named: Mention, after: int) -> list[Mention]:
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
        for m in PRONOUNS.pronoun.finditer(segment.text, after - segment.start)
        if _about_use(segment.text, m)
    ]


def _about_use(sentence: str, match: re.Match[str]) -> bool:
    before, after = sentence[: match.start()], sentence[match.end() :]
    if before.lower().endswith("give ") and _TIME.match(after):
        return False
    return bool(
        re.search(
            r"\b(?:take|use|taking|using|start|start with|begin|begin with|try|give|prescribe|"
            r"recommend|continue|keep|resume|"
            r"suggest|avoid|"
            r"stop|stopping)\s+$",
            before,
            re.IGNORECASE,
        )
        or re.match(
            r"(?:'s| is| can| should| must| would be| may)\b[^.;]{0,25}\b(?:safe|fine|ok|okay|"
            r"contraindicated|avoided|used|taken|recommended|good|not)\b|"
            r"(?:'d| would|'ll| will| should) (?:\w+ly )?(?:suit|help|do the|work (?:well )?for) (?:you|him|her|"
            r"trick)\b",
            after,
            re.IGNORECASE,
        )
    )
