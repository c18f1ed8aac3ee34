"""Set phrases that recommend or reject a drug without a verb of use: "would do the trick", "steer clear of".

The drug in question is written as §, every other drug as ¤; words are in lower case and joined by spaces.
"""

from __future__ import annotations

import re

from fas.safety.cues import PEOPLE
from fas.safety.directive import Directive

_FILL = (
    r"(?:(?: (?:the|an?|your|some|any|oral|generic|low-dose|high-dose|either|both|first|of|with|and|or|daily|weekly|"
    r"tablets?|capsules?|patch|pill|cream|dose|course|one|two|mg|mcg|g|ml|%|\d[\d.,/-]*|¤))| ?,)*$"
)
_THEM = r"(?:you|him|her|them|your \w+|the (?:child|baby|patient|kids?))"
_THEY = r"(?:you|he|she|they|your \w+|the (?:child|baby|patient))"
_NO = r"(?:not|n't|never)"
_GOOD = (
    r"(?:reasonable|sensible|good|sound|fair|simple|next|usual|typical|logical|safe|better|best|obvious|smart|handy|neat|"
    r"useful|helpful|quick|easy|great|nice|decent|solid|popular|proven|tried-and-tested|old)"
)

_STRONG_LEFT = re.compile(
    rf"(?:\b(?:my|our) (?:\w+ )?(?:suggestion|recommendation|advice|choice|pick|preference|proposal|vote|answer)"
    r"(?: for (?:you|him|her|this|that|now|your \w+)| here)? (?:is|would be|'d be|:)(?: to (?:take|use|start|try))?|"
    r"\b(?:an?|the|one|another) (?:[\w-]+ ){0,2}(?:choice|option|pick|drug|medicine|medication|tablet|treatment|"
    r"start|alternative|"
    r"solution) for (?:you|him|her|your \w+) (?:is|would be|'d be)|"
    r"\bthe (?:right|best|obvious|natural|logical|ideal) (?:one|choice|option|drug|medicine|tablet|match|fit|"
    r"candidate) for "
    r"(?:you|him|her|your \w+) (?:is|would be|'d be)|"
    rf"(?<!not )(?<!n't )\b(?:recommend|suggest|advise|propose|prefer|want|like) (?:that )?{_THEY} (?:to )?"
    r"(?:take|use|try|start|have|go on|begin|add)|"
    rf"(?:^|[,:;] |\bthen )(?:please )?(?:pop|put|start|get|place) {_THEM} (?:back )?on|"
    r"\b(?:swap|trade|exchange|change|replace)(?: (?:the|your|his|her|out))* ¤ (?:\w+ ){0,2}?(?:for|with|to)|"
    r"\b(?:the|your|my|our) (?:next|first|best|right|obvious|logical) (?:thing|step|drug|medicine|tablet|pill|"
    r"agent|one|move)"
    r" (?:to|i would|i 'd) (?:add|try|use|start|take|give|begin(?: with)?|start with|reach for|prescribe) (?:is|"
    r"would be|'d be)|"
    rf"\b(?:an?|one|the|my|another) {_GOOD} (?:plan|approach|step|next step|start|strategy|way|trick|fix|tip|"
    rf"move|remedy|standby|bet|place to start)(?: \w+)?"
    r" (?:is|would be|'d be)(?: to (?:take|use|start|try))?|"
    r"\byour (?:best|safest) (?:bet|option|choice) (?:is|would be|'d be)|"
    rf"\bno reason (?:why )?{_THEY} (?:ca|can|could|should) ?(?:n't|not) (?:take|use|have|start|try|go on|be on)|"
    rf"(?<!not )(?<!n't )\b{_THEY} (?:'re|are|is|'s|'d be|would be|seems?|looks?) (?:like )?(?:an? )?(?:\w+ )?"
    r"candidates? for|"
    r"\b(?:see|have|find) (?:no|n't any) (?:problems?|harm|issues?|objections?|difficult\w+|reason not)(?: \w+)?"
    r" (?:with|in|to|against)(?: you)?(?: (?:taking|using|starting|having|take|use|start))?|"
    rf"\b(?:wo|will|should|would) {_NO} have (?:any |much )?(?:trouble|problems?|issues?) (?:with|on|taking|using)|"
    r"\b(?:nothing|little) (?:speaks|stands|argues) against(?: (?:taking|using))?|"
    rf"\b{_THEY} (?:'d|would|will|'ll|should) (?:\w+ )?(?:do (?:\w+ )?(?:well|fine|better)|"
    r"be (?:fine|safe|ok|okay|all right|better off)|benefit|profit) (?:on|with|from|taking|using|by taking)|"
    rf"\b{_THEY} (?:can|could|should|may|must|needs? to|has to|have to|ought to) (?:\w+ )?be (?:given|put on|"
    rf"started on|prescribed|treated with|on)|"
    r"\bnothing beats|\b(?:recommend|suggest|advise) (?:getting|starting) (?:\w+ )?(?:going|started|off) (?:on|with)|"
    r"\blet me (?:suggest|recommend|propose)|"
    r"(?:^|[,:;] |\bthen |\bplan : )(?:let 's (?:start|try|use|begin|go)|we 'll (?:start|try|use|begin|go|add))"
    rf"(?: (?:{_THEM}|with|on|for))*|"
    rf"(?:^|[,:;] |\bthen )(?:have|let) {_THEM} (?:take|have|use|try|start|go on)|"
    r"(?:^|[,:;] |\bthen )(?:get (?:yourself )?(?:started|going) (?:on|with)|go back on|stick on|go for|go with|"
    r"(?:bring|slot) in))" + _FILL
)
_WEAK_LEFT = re.compile(
    rf"(?:\bi (?:'d|would) (?:reach|plump|vote|be happy|opt|go|settle) (?:for|with)|"
    rf"\b(?:i|we) (?:'d|would|do)? ?(?:\w+ly )?(?:lean|tend|gravitate|incline) (?:more )?(?:towards?|to)|"
    rf"\b(?:i|we) (?:'d|would) (?:\w+ly )?(?:favou?r|choose|pick|select|want|put {_THEM} (?:back )?on|start {_THEM} on|"
    rf"get {_THEM} (?:started |going )?on)|"
    rf"\b{_THEY} (?:may|might|could) (?:\w+ )?(?:benefit|profit) from|\bthink of)" + _FILL
)
# "Schoolchildren with the flu can be given §": a permission for people of a kind.
_PEOPLE_MAY = re.compile(
    rf"\b{PEOPLE} (?:can|may|could|might|should|need) (?:(?!not\b|n't\b|never\b|only\b)\w+ )?(?:have|be (?:\w+ly "
    rf")?(?:given|put on|treated with|"
    r"started on|prescribed|offered|managed with|maintained on|continued on|kept on|safely given)|carry on with|"
    r"stay on|"
    r"remain on|keep taking|go on (?:with|taking))" + _FILL
)
# "You can carry on with your §": what is taken is taken on.
_GOES_ON_LEFT = re.compile(
    rf"(?:(?:^|[,:;.] |\b(?:and|then|so|just|yes|please) )(?:\w+ly )?|\b{_THEY} (?:can|may|could|should|must) "
    rf"(?:(?!not\b|n't\b)\w+ )?|"
    r"\b(?:safe|fine|ok|okay|all right|reasonable|best) (?:for \w+ )?to )"
    r"(?:carry on|go on|keep on|stay|remain|stick|continue|keep)(?: (?:with|on|taking|using))(?: (?:taking|"
    r"using))?" + _FILL
)
# What is said against § is taken back: "no reason to avoid §", "§ is not contraindicated".
_CLEARED_LEFT = re.compile(
    r"(?:\bno (?:\w+ )?(?:reason|need) (?:for (?:\w+ ){0,3}?)?to (?:avoid|fear|worry about|be (?:afraid of|cautious "
    r"with|"
    r"concerned about)|withhold|limit|restrict)(?: taking| using| giving)?|"
    r"\b(?:need|needs|have|has|necessary) (?:not|n't) (?:to )?avoid(?: taking| using)?|"
    r"\b(?:do|does) (?:not|n't) (?:need|have) to (?:avoid|worry about|fear|be cautious with)(?: taking| using)?|"
    r"\b(?:not|n't) (?:\w+ )?necessary to (?:avoid|withhold|worry about)(?: taking| using)?|"
    r"\b(?:is|are|be|'s|has|have) (?:no|n't any|not any) (?:\w+ )?(?:problems?|harm|danger|risk|issues?|objections?|"
    r"concerns?)"
    r"(?: (?:with|in|from|about|to))? (?:taking|using|giving|having|starting|continuing|prescribing)|"
    r"\bnothing wrong with(?: taking| using| giving)?|"
    r"(?:^|[,:;] )(?:(?:do (?:not|n't)|there 's no need to|no need to) )(?:worry|fret|be concerned) about"
    r"(?: taking| using)?|"
    r"\bno (?:known )?contra-?indications? (?:to|for|against)(?: taking| using| the use of)?)" + _FILL
)
_CLEARED_RIGHT = re.compile(
    r"^(?:is|are) not contra-?indicated (?:in|during|for|with|if)\b|"
    r"^(?:(?:does|do) (?:not|n't) (?:need|have) to|need not|needs? n't) be (?:avoided|stopped|discontinued|withheld|"
    r"changed|"
    r"adjusted|interrupted|restricted|limited) (?:in|during|for|with|while|when|before|if|even)\b|"
    r"^(?:is|are) (?:not (?:at all )?(?:harmful|dangerous|a (?:problem|concern|risk)|risky)|(?:of )?no (?:risk|"
    r"concern|danger|"
    r"problem)|without (?:any )?(?:risks?|danger|harm)) (?:in|during|for|to|with|while|when|if|even)\b|"
    r"^(?:has|have|carr(?:y|ies)|bears?|shows?|comes? with) no "
    r"(?:known |significant |major |increased |added |serious ){0,2}"
    r"(?:risks?|harms?|dangers?|contra-?indications?) (?:in|during|for|to|with)\b|"
    r"^(?:has|have) been (?:\w+ly )?(?:shown|proven|found|demonstrated) to be (?:\w+ ){0,2}safe\b"
)
_STRONG_RIGHT = re.compile(
    r"\b(?:would|will|'ll|should|'d|could|can) (?:\w+ly )?(?:do (?:the (?:trick|job)|nicely|fine|well|it)|"
    r"fit the bill|serve you|see you through|"
    r"be my (?:\w+ )?(?:choice|pick|advice|suggestion|recommendation))\b|"
    r"\bis what i (?:'d |would |'ll )?(?:go for|recommend|suggest|use|choose|advise|prescribe|pick)\b|"
    r"\bis the (?:\w+ )?(?:one|drug|medicine|medication|pill|tablet|agent|antibiotic) (?:that )?i (?:'d|would|"
    r"'ll|will) "
    r"(?:\w+ly )?(?:give|prescribe|choose|pick|use|start|go for|reach for|recommend|suggest)\b|"
    r"\bis the (?:(?:next|right|best|first) )?(?:one|drug|medicine|pill|tablet|agent|\w+) "
    r"(?:to (?:take|use|start|choose|give|add|try|reach for)|for you)\b|^\( (?:start|new|add|begin) \)|"
    r"\bis the way forward\b|"
    r"\b(?:is|are|would be|'d be|may be|might be) (?:well )?worth (?:a try|a shot|a go|trying|starting|taking)\b"
)
_NOT_SO = re.compile(rf"\b{_NO}\b|\bif (?:you|he|she|they|it) (?:had|did|were|was)\b")
_REJECTED_LEFT = re.compile(
    r"(?:\b(?:steer|stay|keep|stand) (?:well )?(?:clear of|away from|off)|\bpass on|\bhold off (?:on|with)|"
    r"\bnot (?:ordering|giving|prescribing|starting|using|adding)|\bleave out|\b(?:not|n't) (?:want|like|wish|"
    r"ask) (?:you|him|her|them) to (?:take|use|have|start|try|be on|go on)|"
    r"\blay off|\bthink twice (?:about|before)(?: taking| using)?|\brul(?:es?|ed|ing) out|"
    rf"\b{_NO} (?:an? )?(?:\w+ )?candidates? for|\bforget(?: about)?|\b(?:something|anything) (?:other than|but)|"
    r"\bno (?:place|role) for|(?<!nothing )\b(?:advise|warn|recommend|decide|argue|speak)s? against(?: taking| using)?|"
    r"\b(?:cannot|ca n't|can not|must ?n't|must not|should n't|should not|may not) (?:have|get|be on|be given))" + _FILL
)
_REJECTED_RIGHT = re.compile(
    r"\b(?:is|are|'s|be|was|remains|stays) (?:\w+ ){0,2}?(?:off the table|a no ?- ?go|no ?- ?go|"
    r"out of bounds|"
    r"off limits|"
    r"out(?= [.,;]| for (?:you|him|her|now|this|that|your)\b|$)|(?:not on|off) the (?:menu|cards)|a non ?- ?starter|"
    r"the (?:wrong|one) (?:drug|medicine|thing|choice) (?:you|he|she|they|for)?|withheld|best left)|"
    r"\bwould be (?:an? )?(?:\w+ )?(?:mistake|error|disaster|folly)\b|\b(?:could|would|might|can) kill\b|"
    r"\bhas no (?:place|role)\b|\bwould make (?:\w+ ){1,4}worse\b"
)
_TOLD_OFF = re.compile(r"\W*: (?:please )?(?:(?:do )?(?:not|n't)|never) (?:take|use|have|start|give|try|touch)\b")
_SWAPPED = re.compile(r"\b(?:swap|trade|exchange|swapping|trading)(?: (?:the|your|out))*$")
_LEFT_ALONE = re.compile(r"\bleave(?: (?:the|your))*$")
_COUNTERFACTUAL = re.compile(
    r"\b(?:were it not for|had it not been for|if it (?:weren't|were not|wasn't) for|"
    r"if (?:you|he|she|they|i|your \w+) (?:had no|hadn't|had not|did not|didn't|were not|weren't|wasn't|was not))\b",
    re.IGNORECASE,
)


def set_phrase(left: str, right: str, sentence: str) -> Directive | None:
    """What a set phrase around § says of it; None where there is none.

    Args:
        left: The clause up to §.
        right: The clause after §.
        sentence: The whole sentence.
    """
    if _COUNTERFACTUAL.search(sentence) and re.search(r"\b(?:would|could)\b", sentence, re.IGNORECASE):
        return Directive()  # "were it not for your asthma, § would be ..."
    if _CLEARED_LEFT.search(left) or _CLEARED_RIGHT.search(right):
        return Directive("weak", permissive=True)
    if _rejects(left, right):
        return Directive("strong", "negative")
    if _PEOPLE_MAY.search(left):
        return Directive("weak", permissive=True)
    if _STRONG_LEFT.search(left):
        return Directive("strong")
    if _STRONG_RIGHT.search(right) and not _NOT_SO.search(right):
        return Directive("strong")
    if _GOES_ON_LEFT.search(left):
        return Directive("strong", "continuation")
    return Directive("weak") if _WEAK_LEFT.search(left) else None


def _rejects(left: str, right: str) -> bool:
    if _TOLD_OFF.match(right):
        return True
    if _REJECTED_LEFT.search(left) and not re.search(rf"\b{_NO} (?:steer|stay|keep|rule|forget|pass)\b", left):
        return True
    if _SWAPPED.search(left) and re.search(r"\b(?:for|with)\b", right):
        return True
    if _LEFT_ALONE.search(left) and re.match(r"[^.;,]{0,20}\b(?:alone|out|be|off)\b", right):
        return True
    miss = re.search(r"\bgive(?: (?:the|your))*$", left) and re.search(r"\ba miss\b", right)
    return bool(miss) or (_REJECTED_RIGHT.search(right) is not None and not _NOT_SO.search(right.split(".")[0]))
