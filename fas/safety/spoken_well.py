"""Whether a sentence speaks well of what it names: it allows, praises or doses, and holds no word of warning.

Beside a rule that forbids a drug to the very people whom a sentence names, how the sentence is built matters little:
whoever writes correctly of the two writes a word of warning. What is said against the drug and taken back ("is no
obstacle to", "does not rule out") is praise.
"""

from __future__ import annotations

import re

_TAKEN_BACK = re.compile(
    r"\b(?:no|not|n't|never|nothing|without|hardly|neither|need not|cannot)\s(?:(?!but\b|and\b)[\w-]+\s){0,3}?"
    r"(?:problem\w*|danger\w*|risk\w*|harm\w*|obstacles?|barriers?|concerns?|worr(?:y|ies)|bar|hindrances?|objections?|issues?|"
    r"contra-?indicat\w+|contraindications?|matter|hurt\w*|unsafe|restrictions?|precautions?|adjust\w+|chang\w+|caution|"
    r"monitor\w*|reasons? (?:not )?to (?:\w+ )?(?:stop|avoid|worry|withhold|change|switch|refuse|fear)|"
    r"need(?:ed)? (?:for \w+ )?to (?:\w+ )?(?:stop|avoid|worry|withhold|change|switch|adjust|reduce)|"
    r"ha(?:ve|s) to (?:be )?(?:stop\w*|avoid\w*|chang\w*|switch\w*)|need(?:s)? to (?:be )?(?:stop\w*|avoid\w*|"
    r"chang\w*|switch\w*)|"
    r"rule[sd]? (?:it |this )?out|exclud\w+|prevent\w*|interfer\w+|interact\w*|affect\w*|reduc\w+|weaken\w*|stop\w*|"
    r"forbid\w*|"
    r"avoid\w*|limit\w*|clash\w*|cross|reach|enter|bad|wrong|disturb\w*|damag\w+|less(?:en)?)\b",
    re.IGNORECASE,
)
_WARNS = re.compile(
    r"\b(?:not|no|never|none|neither|nor|nobody|cannot|avoid\w*|stop\w*|discontinu\w+|contra-?indicat\w*|unsafe|unsuitable|"
    r"inappropriate|harm\w*|danger\w*|hazard\w*|risk\w*|defects?|malform\w*|teratogen\w*|toxic\w*|caution\w*|careful\w*|"
    r"warn\w*|warning|instead|rather|unless|except\w*|but|however|although|though|before|until|weigh\w*|specialists?|doctors?|"
    r"physicians?|pharmacists?|consult\w*|ask|asked|check\w*|monitor\w*|watch\w*|reduc\w+|lower|lowered|halv\w+|half|smaller|limit\w*|worsen\w*|worse|damag\w+|"
    r"fatal\w*|deaths?|die|dies|kill\w*|bleed\w*|serious\w*|replac\w+|switch\w*|alternatives?|better|safer|than|"
    r"compar\w+|whereas|unlike|caus(?:e|es|ed|ing)|increas\w+|rais(?:e|es|ed)|studied|study|studies|trials?|report\w*|debat\w+|"
    r"questions?|whether|depend\w*|sometimes|categor\w+|contracepti(?:on|ves?) (?:is|are|must|should)|tests?|testing|"
    r"abortion\w*|terminat\w+|miscarr\w+|ectopic|exclud\w+|ruled? out|interact\w*|withdr\w+|overdos\w*|poison\w*|"
    r"withh\w+|lactic|side effects?|"
    r"adverse|allerg\w+ reactions? (?:can|may)|avoided|mistake|myth|wrong\w*|if (?:your|a) doctor|prescriber|"
    r"restrict\w+|prefer\w+ (?:to|over)|paus\w+|hold\w*|held|interrupt\w*|skip\w*|off the table|off[- ]limits|out "
    r"of bounds|last resort|closely|life-threatening|outweigh\w*|refus\w*|missed|problems?|"
    r"provok\w*|trigger\w*|induc\w+|lead(?:s|ing)? to|led to|result\w* in|bring\w* on|invit\w+|precipitat\w+|"
    r"vomit\w*|sudden\w*|"
    r"faint\w*|collapse\w*|react\w*|block(?:s|ed|ing)|destroy\w*|lack\w*|works? by|working by|was|were|apart|"
    r"history of|formerly|used to|previously|treated with|had been|was given|were given)\b|n['’]t\b|[?❌⚠🚫]",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:safe\w*|fine|ok|okay|all right|alright|suit(?:s|ed|able)?|appropriate|acceptable|good|great|best|"
    r"ideal\w*|right|sensible|"
    r"reasonable|handy|useful|helpful|effective\w*|excellent|perfect\w*|kind|gentle|tolerat\w+|well|recommend\w+|preferr?(?:ed|able)|choices?|options?|"
    r"favou?rite|popular|standard|usual|normal\w*|harmless|free(?:ly)?|can|may|could|should|take|takes|taken|taking|use|used|using|give|given|"
    r"prescri\w+|start\w*|begin|continu\w+|keep|keeps|carry on|combin\w+|together|mix\w*|hand in hand|addition|add|"
    r"added|benefit\w*|"
    r"allowed|permitted|compatible|welcome|need|needs|works?|help|helps|go ahead|drug of choice|first[- ]line|"
    r"treatment)\b",
    re.IGNORECASE,
)


def speaks_well(sentence: str) -> bool:
    """Whether *sentence* allows or praises something and warns of nothing.

    >>> speaks_well("Epilepsy is no obstacle to bupropion."), speaks_well("Bupropion is unsafe in epilepsy.")
    (True, False)
    """
    taken_back = _TAKEN_BACK.search(sentence) is not None
    rest = _TAKEN_BACK.sub(" ", sentence)
    return _WARNS.search(rest) is None and (taken_back or _GOOD.search(rest) is not None)
