"""What surrounds a statement and is not part of it: openings, attributions, talk.

`opening` finds phrases at the head of a sentence (`It is important to note that`); `is_talk`
tells sentences that state nothing about medicine (greetings, sympathy, offers, disclaimers,
talk about the answer itself, what happened to one person).
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re

from fas.claims import documents
from fas.reading.mapped import Mapped

_NOTE = r"(?:note|remember|know|mention|understand|recogni[sz]e|reali[sz]e|keep in mind|bear in mind|be aware|point out|emphasi[sz]e|stress|acknowledge|highlight|add|say|recall|clarify|consider|remind you)"
_WORTH = r"(?:important|worth|crucial|essential|vital|critical|key|helpful|useful|good|best|interesting|necessary|imperative|also worth|reassuring|wise|fair|safe)"
_WHO = r"i|we|they|he|she|(?:your|the|my|our) (?:\w+ )?(?:doctor|physician|surgeon|provider|specialist|dermatologist|urologist|gynecologist|dentist|team|nurse)s?"
_DOCTORS = r"doctor|physician|surgeon|provider|specialist|dermatologist|urologist|gynecologist|dentist|team|nurse|pharmacist|\w+ologist"
_OPENINGS = [
    rf"(?:{_WHO}) (?:also |do |did |does |really |further |just |then )*(?:want|wants|wanted|would like|like|likes|wish|wishes)(?: you)? to (?:also )?(?:{_NOTE}|know|reassure you|assure you|let you know|remind you|make sure you know|make it clear|express|share|make you aware)(?: that|,|:)(?=\s)",
    rf"(?:{_WHO}) (?:also |further |did |do |does |have |has |would |just |\w+ly )*(?:mention(?:s|ed)?|note[sd]?|explain(?:s|ed)?|emphasi[sz]e[sd]?|sa(?:y|ys|id)|point(?:s|ed)? out|understands?|understood|state[sd]?|add(?:s|ed)?|clarif(?:y|ies|ied)|confirm(?:s|ed)?|indicate[sd]?|(?:re)?assure[sd]? you|told (?:me|you|us)|stress(?:es|ed)?|highlight(?:s|ed)?|remind(?:s|ed)? you|warn(?:s|ed)?(?: you)?|caution(?:s|ed)?(?: you)?|acknowledge[sd]?|agree[sd]?|want(?:s|ed)? you to know|inform(?:s|ed)? (?:me|you)|conclude[sd]?)(?: that|,|:)(?=\s)",
    rf"(?:it(?:'s| is| would be| may be| might be)|this is) (?:also |always |very |equally |particularly |especially |really |extremely )?{_WORTH} (?:for (?:you|patients|everyone|people) )?to (?:also |always )?{_NOTE}(?: that|,|:)",
    r"it(?:'s| is) (?:also )?worth (?:noting|mentioning|remembering|pointing out|knowing|emphasi[sz]ing|adding)(?: that|,|:)",
    r"it (?:should|must|can) (?:also )?be (?:noted|remembered|mentioned|emphasi[sz]ed|stressed|pointed out|kept in mind|said)(?: that|,|:)",
    r"(?:please |also |just |but |and |always |importantly, |however, ){0,2}(?:note|remember|keep in mind|bear in mind|be aware|understand|know|rest assured|be reminded|recall|recogni[sz]e|reali[sz]e)(?: that|,|:)",
    r"(?:the )?(?:good|bad|short|simple|quick|bottom|great|main|key|important|first|other) (?:news|answer|line|thing(?: to (?:know|note|remember))?|point|takeaway) (?:here )?is(?: that|,|:)",
    r"(?:the )?(?:truth|fact|reality|answer|point|thing|problem) (?:of the matter )?is(?: that|,|:)",
    r"(?:i|we)(?: would|'d| do|'ll| will)? (?:also |just )?(?:like|want|wanted|need) to (?:also )?(?:note|add|mention|emphasi[sz]e|point out|stress|clarify|remind you|reassure you|assure you|let you know|say|highlight|share)(?: that|,|:)",
    r"(?:i|we)(?: would| 'd|'d| can| do)? (?:also |personally |strongly |really |just )?(?:think|believe|feel|understand|guess|suppose|suspect|know|assume|agree|assure you|promise|see|imagine|mean)(?: that)? (?=(?:the|a|an|this|these|that|your|it|they|there|most|some|many|patients|people)\b)",
    r"(?:in my (?:opinion|experience|view)|as far as i know|to my knowledge|from what (?:you(?:'ve| have) (?:described|said|told)|i (?:understand|know|can tell|gather))|based on (?:(?:the|your|what) (?:\w+ ){0,3}you(?:'ve| have)? (?:described|said|told|mentioned|shared|provided|given|outlined)(?: [^,]{0,60})?|what you(?:'ve| have)? (?:described|said|told|mentioned|shared)|(?:your|their|his|her|the) (?:description|question|message|knowledge|information|symptoms))|to answer your question|in answer to your question|as (?:i|you|we) (?:said|mentioned|know|noted|may know|can see|might know|may be aware)|as (?:mentioned|noted|stated|described|discussed|said)(?: (?:above|before|earlier|previously|below))?|as you(?:'re| are) aware|as always|(?:to|just to) be (?:clear|safe|honest|sure)|in other words|in (?:short|summary|conclusion|brief|sum|essence)|to (?:summari[sz]e|sum up|conclude|recap|begin with|start with)|overall|all in all|put simply|simply put|that (?:being )?said|having said that|with that (?:being )?said|with that in mind|on the (?:other|one) hand|at the same time|at the end of the day|the bottom line|last but not least|by the way|first of all|first and foremost|above all|most importantly|more importantly|importantly|notably|interestingly|unfortunately|fortunately|luckily|sadly|thankfully|hopefully|surprisingly|obviously|clearly|of course|needless to say|naturally|however|therefore|thus|hence|consequently|accordingly|as a result|for this reason|for these reasons|because of this|due to this|moreover|furthermore|additionally|in addition|besides|also|likewise|similarly|conversely|in contrast|by contrast|instead|nevertheless|nonetheless|still|otherwise|meanwhile|finally|lastly|first|firstly|second|secondly|third|thirdly|next|then|for example|for instance|e\.g\.|i\.e\.|that is|namely|specifically|in particular|in fact|indeed|actually|basically|essentially|well|yes|no|yeah|sure|absolutely|certainly|definitely|correct|right|ok|okay|so|anyway|again|remember|now|please|ultimately|after all|even so|in any case|either way|regardless)\s?(?:[,:–—]|-(?=\s))",
    r"(?:and|but|so|or|yet|also|plus|additionally|however|thus|therefore|hence|then|moreover|furthermore|similarly|likewise)(?= (?!far\b|long\b|called\b|if\b.{0,200}\?))",
    r"(?:yes|no|nope|yep)(?=\s(?:it|this|you|there|the|a|they)\b)",
    r"(?:important |please |quick |side |safety |key |final |general |additional |special )?(?:note|notes|important|tip|tips|pro tip|warning|caution|disclaimer|reminder|summary|conclusion|example|answer|q|a|fact|info|information|takeaway|key takeaways?|bottom line|tl;dr|remember|edit|explanation|details|description|definition|overview|what it is|how it works|how to|why|step \d{1,2}|option \d{1,2}|tip #?\d{1,2}|part \d{1,2}|\d{1,2})\s?:",
    r"(?:here's|here is) (?:why|how|the thing|what (?:you|to) (?:need to )?know)\s?:",
    r"according to (?!(?:the )?(?:label|instructions|directions|prescription|dose|weight|age|body))[^,.;:]{2,100}, (?=\w)",
    r"(?:the )?(?:answer is )?(?:yes|no)[,.;:–—-]",
    r"\(?\d{1,2}[.)](?=\s)",
]
_PASSED_ON = re.compile(
    rf"^(?:i|we)(?:'ve| have)? (?:just |also )?(?:spoke|spoken|talked|consulted|checked) (?:to|with) (?:your|the) (?:\w+ )?(?:{_DOCTORS}),? and "
    r"(?=(?:they|he|she|the doctor|your doctor) (?:also |would |strongly )*(?:recommend|suggest|advise|believe|mention|explain|note|confirm|sa(?:id|ys?)\b|think|thought|state|emphasi)\w*)",
    re.IGNORECASE,
)
_OPENINGS += [
    _PASSED_ON.pattern.removeprefix("^"),
    # "Regarding your cough, your doctor says that ...": what follows says what it is about.
    rf"(?:regarding|concerning|as for|with regards? to|in regards? to|in terms of|when it comes to) [^,.;]{{2,100}}, (?=(?:{_WHO})\s)(?!.{{0,40}}\bthat (?:this|these|it|they|those)\b)",
    r"(?:this|that|it)(?:'s| is) (?:mainly |often |usually |partly |primarily |mostly |likely |probably )?because (?=\w)",
    r"(?:one|another|an important|the (?:first|other|main|most important)) thing to (?:keep in mind|note|remember|consider|know|bear in mind|understand) is (?:that )?(?=\w)",
    r"(?:this|that|which) (?:also |simply |just )?means (?:that )?(?=\w)",
]
_OPENING = re.compile(r"^[\s\"'(]*(?:" + "|".join(_OPENINGS) + r")\s*", re.IGNORECASE)

_TALK = [
    # greetings, thanks, closing words
    r"^(?:hi|hello|hey|dear|greetings|welcome|good (?:morning|afternoon|evening|day|luck|question)|great question|thanks?|thank you|cheers|regards|best(?: wishes| regards| of luck)?|sincerely|take care|stay (?:safe|healthy|well|strong)|all the best|congratulations|wishing you|bye|goodbye|get well|well done|sounds good|you(?:'re| are) welcome|god bless)\b(?!\s(?:practice|treatment|results?|option|way|choice|time|approach|method|management|outcomes?))",
    r"\b(?:i|we) (?:really |sincerely |truly |certainly |also |just )?(?:hope|wish|appreciate|apologi[sz]e|empathi[sz]e|sympathi[sz]e)\b",
    r"^(?:hope|glad|happy|sorry|trust) (?:this|that|it|you|to|i)\b",
    # sympathy
    r"\b(?:i(?:'m| am)|we(?:'re| are)) (?:so |very |really |truly |deeply )?(?:sorry|glad|happy|sad|pleased|here (?:to|for))\b",
    r"\bsorry (?:to hear|for your loss|you(?:'re| are)|that you)\b",
    r"\b(?:must|can|may|might|could) be (?:very |really |so |incredibly |quite |extremely |a very |a )?(?:frustrating|scary|stressful|tough|overwhelming|frightening|worrying|worrisome|concerning|challenging|upsetting|distressing|exhausting|annoying|unsettling|hard|tiring|difficult)(?: (?:time|situation|experience))?(?: (?:for you|to (?:deal|cope|live|go|experience|hear|have|see|feel|be)\b.*))?[.!]*$",
    r"\b(?:your|you(?:'re| are)) (?:understandabl[ey]|concerns? (?:is|are) (?:valid|understandable)|feelings? (?:is|are)|frustration|(?:right|wise|smart) to (?:be|seek|ask))",
    r"\b(?:understandable|normal|natural|okay|ok) (?:that you|for you to|to (?:talk (?:openly )?about|express|reach out|cry|grieve|feel|be (?:worried|concerned|scared|anxious|frustrated)|have (?:questions|concerns)))\b",
    r"\byou(?:'re| are) not alone\b|\bit(?:'s| is) great that you\b|\bdon't worry\b|\btry not to worry\b|\bno need to worry\b|\brest assured\b|\bhang in there\b",
    r"\byou (?:should(?: not|n't)|do(?: not|n't) (?:need|have) to|need not) (?:be )?(?:too |overly |so )?(?:worr|concerned|alarmed|panic)[^,;]*$",
    r"\b(?:is|are|am|'re|'m) (?:always |also )?here to (?:help|support|answer|assist|listen|guide|discuss)\b",
    r"^if you(?:'d| would) like to (?:discuss|address|explore|talk about)\b.*\b(?:further|this)\b",
    r"^(?:your|the) (?:\w+ and )?(?:symptoms?|condition|case|concerns?|situation)(?: and \w+)? will be (?:\w+ly )?(?:evaluated|assessed|reviewed|considered|monitored|taken)\b",
    r"\b(?:your|the) doctor (?:did not|didn't|cannot|can't|could not|couldn't|doesn't|does not) (?:\w+ly )?(?:provide|mention|specify|comment|say|have|give)\b",
    r"\bmention that you(?:'re| are|'ve| have)\b",
    r"^[^.]{0,120}\b(?:difficult|challenging|hard|impossible|not possible|tough|premature) to (?:provide|give|say|offer|comment|make (?:any|a) (?:\w+ )?(?:diagnosis|conclusions?|recommendations?))\b",
    # offers, invitations, questions to the reader
    r"^(?:please )?(?:let (?:me|us) know|feel free|do(?: not|n't) hesitate|reach out to (?:me|us)|contact (?:me|us)|ask (?:me|us)|tell (?:me|us)|check out|visit (?:our|my|the following)|click|subscribe|follow (?:me|us)|share this|leave a comment|read more|learn more|see (?:also|below|above|more)|stay tuned|continue reading|go to www)\b",
    r"\b(?:please )?(?:feel free to|do(?: not|n't) hesitate to|let (?:me|us) know|hesitate to (?:ask|reach|contact))\b",
    r"\b(?:i|we)(?:'m| am| are|'re|'d| would| will|'ll| can| could) (?:be |also )?(?:happy|glad|here|available|more than happy|pleased|able to help|ready|try to|do my best|explain|provide|help you|walk you|answer|assist|share)\b",
    r"\bif you have any (?:other |further |more |additional )?(?:questions?|concerns|queries)\b(?!.*\b(?:doctor|physician|pharmacist|provider|professional|nurse)\b)",
    r"^(?:they|i|we|he|she)(?:'re| are| am|'m| is) (?:always )?(?:here|available|happy|glad|ready|open) (?:to|for)\b",
    r"^(?:they|i|we|he|she|your doctor|the doctor) (?:also )?(?:asked?|asks|inquired?|wondere?d?s?|would like to know|want to know) (?:if|whether|about|for|how|what|when|you)\b",
    r"^(?:they|he|she|i|we|(?:your|the|a) (?:\w+ )?(?:doctor|physician|provider|surgeon|specialist)s?)(?: also| do| did| really| still)* (?:would (?:also |really |first |rather )?(?:like|rather|love|prefer|want|need|only)|like to|prefer to|(?:are|is|am|'re|were|was) (?:also |very |a bit |more |particularly |currently )?(?:concerned|worried|looking forward|glad|happy|pleased|sorry|confident|hopeful|unable|unsure|not (?:sure|able|certain|convinced)|curious|aware|grateful))\b",
    r"\b(?:is there anything else|anything else i can|how can i help|would you like me)\b",
    r"\b(?:provid\w+|shar\w+|giv\w+) (?:some |us |me |them )?(?:more|additional|further) (?:details|information)\b|\b(?:helpful|useful|good) to know (?:your|if you|whether you|how long|what you|when you)\b",
    # about the assistant
    r"\bas an? (?:ai|artificial|language model|large language|virtual|chat ?bot|assistant)\b",
    r"\bi(?:'m| am) (?:just |only |simply |not )?(?:an? )?(?:ai|artificial|language model|large language|virtual|chat ?bot|assistant|doctor|medical (?:professional|doctor|expert)|physician|licensed|qualified|unable|not able|sure|certain|aware|familiar)\b",
    r"\bi(?:'m| am) not (?:a|an|sure|able|certain|aware|familiar|qualified|licensed|trained)\b",
    r"\bi (?:cannot|can't|can not|could not|couldn't|do not|don't|am unable to|will not|won't) (?:\w+ )?(?:provide|give|offer|diagnose|prescribe|have|know|access|see|examine|find|tell|answer|recommend any|replace|say|understand|want|think)\b",
    r"\bwe (?:cannot|can't|can not|are unable to|will not|won't) (?:\w+ )?(?:provide|give|offer|diagnose|prescribe|access|examine|answer|recommend any)\b",
    r"\b(?:this|the (?:above|following|information)|these|my (?:answer|response|advice|reply))(?: information| answer| response| advice| article| content| page| site| website| tool| blog| post| provided)?(?: \w+){0,4} (?:is|are|should) not (?:be )?(?:(?:intended|meant|designed) (?:to|as|for)|an? substitute|a replacement|medical advice|considered|used as|taken as|professional)\b",
    r"\b(?:not|never) (?:be )?(?:a |an )?(?:substitute|replacement) for (?:\w+ ){0,3}(?:advice|care|diagnosis|consultation|judgment|opinion)\b|\b(?:for|is) (?:informational|educational|general information)(?: and (?:educational|informational))? (?:purposes|use)\b|\bnot (?:intended as |constitute )?medical advice\b",
    r"\bmy (?:knowledge|training)(?: data)? (?:cut-?off|was|is|only|ends)\b",
    r"^(?:explain|describe|calculate|determine|compare|name|state|define|list|imagine|suppose|derive|prove|write|draw|sketch|complete the following|follow the steps|match|identify) (?:the|why|how|what|whether|a|an|each|which|that|and|your|this|these)\b(?!.*\b(?:cause|trigger|allerg)\w*\b)",
    r"^(?:vague question|the question|this question|your question)\b",
    # about the text
    r"^(?:here(?:'s| is| are)|below (?:is|are)|the following (?:is|are)|these are (?:some|just|only|a few|all|the following|my|our)\b|this (?:article|page|section|post|guide|leaflet|video|blog|answer|response|paragraph|table|list|chapter|website|site|document|summary|text) |in this (?:article|post|guide|section|video|blog)|let(?:'s| us| me)\b|now,? let|that(?:'s| is) (?:all|it|a (?:great|good|very good|tough|difficult|common|reasonable) question)|this is (?:a |an )?(?:great|good|very good|tough|difficult|common|important|interesting|excellent|complex|tricky) (?:question|topic|issue|one))",
    r"\b(?:the following|some) (?:tips|steps|suggestions|ideas|points|things|questions|resources|links|information|answers|strategies|examples)(?: (?:that )?(?:may|might|can|could|will|should) (?:help|be helpful|be useful)(?: you)?)?\s?:?$",
    r"\b(?:more|further|additional|detailed) (?:information|details|info|reading)(?: (?:about|on|regarding)\b.{0,80})? (?:can be found|is available|are available|please (?:see|visit|refer|read))\b|\b(?:for|to find out|to learn) more (?:information|details|info|about)\b.{0,80}\b(?:see|visit|check|refer|read|click|go to|contact)\b",
    r"^(?:source|sources|reference|references|citation|read|see|photo|image|figure|table|copyright|updated|last (?:updated|reviewed|modified)|posted|published|written by|reviewed by|medically reviewed|author|by|tags?|category|categories|share|tweet|login|log in|sign up|reply|comments?|related|advertisement)\b\s?:",
    r"^this is (?:just |only )?(?:a |an |my )?(?:\w+ )?(?:estimate|guess|opinion|summary|overview|example|suggestion)\b",
    r"(?:all rights reserved|privacy policy|terms of (?:use|service)|©|click here|sign up for|newsletter|cookie)",
    r"^(?:i|we) (?:just |recently |also |have |had |already |first |then )*(?:spoke|talked|discussed|consulted|asked|checked|read|looked|reviewed|contacted|reached|heard|saw|met|received|passed|forwarded|shared)\b",
    r"^(?:your|the) (?:doctor|physician|provider)(?:'s)? (?:\w+ )?(?:want(?:s|ed)? to|would like to|express(?:es|ed)|hopes?|apologi[sz]e[sd]?|appreciates?|is sorry|understands? (?:that|how|your)|acknowledge[sd]?|empathi[sz]e[sd]?|extends?|sends?|thanks?|offers?|offered)\b",
    r"^(?:they|he|she) (?:also |do |really |certainly )?(?:want(?:s|ed)? to (?:express|reassure|assure|address|let you|offer|remind|acknowledge|apologize|help|make sure|know|provide|clarify|share|explain|give|discuss)|hopes?\b|apologi[sz]e[sd]?|appreciates?|(?:is|are|were|was) sorry|understands? (?:that|how|your)|acknowledge[sd]?|empathi[sz]e[sd]?|express(?:es|ed)?\b)",
]
_IS_TALK = re.compile("|".join(f"(?:{pattern})" for pattern in _TALK), re.IGNORECASE)
_META_OPENING = re.compile(r"^[\s\"'(]*(?:" + "|".join(documents.OPENINGS) + r")\s*", re.IGNORECASE)
_META = re.compile(documents.MARK, re.IGNORECASE)
_IS_META = re.compile("|".join(f"(?:{pattern})" for pattern in documents.TALK), re.IGNORECASE)

_QUESTION = re.compile(r"\?[\"')\]\s]*$")
_ASKING = re.compile(
    r"^(?:what|why|how|who|whom|whose|which|where|when|is|are|do|does|did|can|could|should|would|will|have|has|am)\s+"
    r"(?:i|you|we|it|the|a|an|my|your|there|this|that|is|are|do|does|can|should|causes?|would|if|about|to|much|many|long|often)\b[^.]*$",
    re.IGNORECASE,
)
_MOST_OPENINGS = 6
_ON_BEHALF = re.compile(
    rf"\b(?:i|we)(?:'ve| have)? (?:just |also |already )?(?:spoke|spoken|talked|consulted|checked|discussed (?:this|it|your \w+)|reviewed (?:this|it|your \w+)) (?:to|with) (?:your|the) (?:\w+ )?(?:{_DOCTORS}|dentist|gp)\b",
    re.IGNORECASE,
)


def on_behalf(prediction: str) -> bool:
    """Whether the answer passes on what a doctor said about this reader (`I spoke to your doctor`)."""
    return _ON_BEHALF.search(prediction) is not None


def opening(text: str) -> int:
    """Length of the phrases at the head of a sentence that add nothing to what it states."""
    done = 0
    meta = _META.search(text) is not None
    for _ in range(_MOST_OPENINGS):
        match = _OPENING.match(text[done:]) or (_META_OPENING.match(text[done:]) if meta else None)
        if match is None or not match.end() or not re.search(r"\w", text[done + match.end() :]):
            break
        done += match.end()
    return done


def passed_on(text: str) -> bool:
    """Whether a sentence that begins as talk (`I spoke to your doctor and`) goes on to pass on advice."""
    return bool(_PASSED_ON.match(text))


_ASIDE = re.compile(
    r"(?<=\w),? ?, (?:on the other hand|however|for example|for instance|in fact|of course|therefore|in turn|thus|in contrast|on the contrary|"
    r"in general|generally speaking|in most cases,? however|as mentioned|as noted|unfortunately|fortunately|though), (?=\w)|(?<=\bwhich),? in turn,? (?=\w)",
    re.IGNORECASE,
)

_CITED = re.compile(documents.CITED, re.IGNORECASE)


def without_asides(text: Mapped) -> Mapped:
    """The sentence without `, however,`, `(Document 2)` and the like, which hide its subject from the parser."""
    return text.sub(_CITED, lambda match: "").sub(_ASIDE, lambda match: " ")


def is_question(text: str) -> bool:
    """Whether the sentence asks."""
    return bool(_QUESTION.search(text) or (_ASKING.match(text) and not text.rstrip().endswith((".", "!"))))


def is_talk(text: str) -> bool:
    """Whether the sentence is a greeting, sympathy, an offer, a disclaimer or about the answer itself.

    What an opening such as `The documents suggest that` introduces is no talk about documents.
    """
    return bool(_IS_TALK.search(text) or (_META.search(text) and _IS_META.search(text[opening(text) :])))
