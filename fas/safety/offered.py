"""A drug written out with its amount and how often: in an answer that is an offer, whatever the words around it.

Nobody writes "X 100 mg twice a day" to a patient without meaning it, unless the sentence warns, reports, asks,
supposes, tells a story or describes. What no rule has recognised as advice is read as a weak one for that reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.cues import ADVERSE, ASK, CLINICIAN, HEADING_NEGATIVE, HEADING_NEUTRAL, NOT
from fas.safety.doses import Doses

_NOT_TO_THE_READER = re.compile(
    r"\b(?:(?:usual(?:ly)?|typical(?:ly)?|standard)(?! (?:and \w+ )?(?:organisms?|bacteria|germs|suspects|pathogens|"
    r"bugs))|approved|indicated|(?:maximum|max)(?! (?:of )?(?:\d|one|two|"
    r"three|four|five|six))|available|"
    r"sold|marketed|comes?|contains?|"
    r"equal\w*|equivalent|costs?|compar\w+|versus|vs|than|stud(?:y|ies)|trial|label|dosage|doses? (?:of|"
    r"range\w*|is|are)|"
    r"example|instance|strengths?|"
    r"overdos\w+|error|mistak\w+|accident\w*|label\w*|contra-?indicat\w*|avoid\w*|unless|instead|rather|without|"
    r"would have|could have|might have|had|has been|have been|was|were|did|got|took|gave|used to|stopp(?:ed|"
    r"ing)|stop (?:taking|it|the)|to stop|quit|"
    r"hold|withh\w+|declin\w+|reject\w*|refus\w+|danger\w*|unsafe|harm\w*|risk\w*|worse\w*|toxic\w*|interact\w*|"
    r"never|cannot|neither|nor|no longer|nobody|forget|skip|is how|ends? up|too (?:much|many|high|often))\b|n't\b|"
    r"\bnot\b",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"\b(?:i|we|my (?!suggest|advice|recommend|choice|pick|preference|first|plan|vote|answer)\w+)\b"
    r"(?! ?(?:'d|would|will|'ll|suggest|recommend|advise|propose|prefer|am happy|'m happy|have decided|can|could|"
    r"should|think"
    r"|want|'ve decided))",
    re.IGNORECASE,
)
_IN_USE = re.compile(
    r"\b(?:already|currently|your (?:current|usual|regular|existing|present)|you(?:'re| are)(?: already)? (?:on|"
    r"taking)|"
    r"(?:continue|carry on|keep on|stay on|go on) (?:with )?)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    rf"\b(?:if|whether|suppose|assuming|in case|should you|were)\b|\b{CLINICIAN}\b[^.;]*\b(?:may|might|could)\b", re.I
)
# "milder than the older ones is X": what is compared is not what is offered.
_BESIDE_ANOTHER = re.compile(
    r"\bthan (?:[\w-]+ ){1,3}(?=is\b|are\b|would be\b)|\b(?:gentler|fewer|milder|better|less|"
    r"kinder) side[- ]effects?\b",
    re.IGNORECASE,
)
# "and not straight after a meal": in what manner, not whether.
_NOT_SO_TAKEN = re.compile(
    r"\b(?:and |but )?(?:do not |don't |not |never )(?:(?:take|use|swallow) (?:it|this|them) )?(?:straight|"
    r"right|directly|immediately|more|longer|exceed\w*|"
    r"with|on an empty|before|after|to exceed|at the same time|close to)\b",
    re.IGNORECASE,
)
_PROVISO = re.compile(r"\b(?:if|unless|when) (?:needed|necessary|required|tolerated|possible)\b", re.IGNORECASE)


def is_offered(
    sentence: str, start: int, end: int, doses: Doses, heading: str, others: Sequence[tuple[int, int]] = ()
) -> bool:
    """Whether the drug at *start* to *end* stands with its amount and frequency in a sentence that offers it.

    Args:
        sentence: The sentence, list item or row.
        start: First character of the drug's name.
        end: One past the last.
        doses: Doses of the sentence.
        heading: Heading over the sentence, or "".
        others: Where other drugs stand; behind the next one doses are its own.
    """
    following = min((left for left, _ in others if left >= end), default=len(sentence))
    own = re.search(r"\b(?:and|or|plus|with)\W*$|[,/&+]\W*$", sentence[end:following])  # "A and B 5 mg each"
    following = len(sentence) if own else following
    if not any(
        a.unit != "%" and not a.is_max and -25 <= a.start - start <= 60 and a.start < following for a in doses.amounts
    ):
        return False
    if not any(-45 <= f.start - start <= 100 for f in doses.frequencies):
        return False
    if sentence.rstrip(" *_\"')").endswith("?") or HEADING_NEGATIVE.search(heading) or HEADING_NEUTRAL.search(heading):
        return False
    before, after = _BESIDE_ANOTHER.sub(" ", sentence[:start]), sentence[end:]
    clear = _NOT_SO_TAKEN.sub(" ", _BESIDE_ANOTHER.sub(" ", _PROVISO.sub(" ", sentence)))
    if (
        _NOT_TO_THE_READER.search(clear)
        or _STORY.search(before)
        or _IN_USE.search(before)
        or ASK.search(before.lower())
    ):
        return False
    if _SUPPOSED.search(_PROVISO.sub(" ", before)) or ADVERSE.search(before):
        return False
    return not re.match(rf"\s*\(?(?:is|are) (?:an? (?!good|safe|reasonable|option)|{NOT})", after, re.IGNORECASE)
