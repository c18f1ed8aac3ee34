"""What explanations say of their sources, of answer options and of their own steps.

Models that answer from documents, or that choose between options, wrap what they state in
reports (`Document [2] also mentions that`, `Based on the provided documents,`) and talk about the
task (`To answer the question, we need to look at ...`). `OPENINGS` are wrappings with a statement
behind them, `TALK` are sentences without one; `frames` applies both.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

_SAYS = (
    r"(?:stat|mention|not|report|indicat|suggest|conclud|explain|highlight|emphasi[sz]|confirm|demonstrat|describ|discuss|impl|reveal|provid)(?:e|es|ed|s|y|ies|ied|ing)?|"
    r"(?:show|find|point|add|support|report|mention|suggest|explain|highlight|confirm)(?:s|ed|n|ing)?(?: out)?|found|says?|said"
)
_KINDS = r"(?:relevant|provided|given|available|above|following|retrieved|mentioned|aforementioned|cited)"
_PAPERS = r"(?:documents?|passages?|snippets?|abstracts?|excerpts?|context|references?|articles?|texts?|sources?)"
_INDEX = r"(?:\s?[\[(#]?\d{1,3}[\])]?(?:(?:\s?,|\s?,?\s?and)\s?(?:document\s)?[\[(#]?\d{1,3}[\])]?){0,8})?"
_DOCUMENT = rf"(?:(?:in |from )?(?:the |these |those |this |both |all |several |some |many |multiple |two |three |most |the majority of the |most of the |all of the )?(?:{_KINDS} ){{0,2}}{_PAPERS}{_INDEX}(?:,? (?:and|or)(?: documents?)?{_INDEX})?(?: (?:above|below|provided|given))?)"
# As a subject: `the passage` alone may be one of the nose, `the source` one of an infection.
_SUBJECT = rf"(?:(?:(?:the |these |those |this |both |all )?(?:{_KINDS} ){{0,2}}(?:documents?|snippets?|excerpts?)|(?:the |these |those |this ){{1}}(?:abstracts?|(?:{_KINDS} ){{1,2}}{_PAPERS}|{_PAPERS} (?:above|below|provided|given))){_INDEX}(?: and{_INDEX})?)"
_EVIDENCE = r"(?:the |this |current |available |existing |some |strong |good |scientific |growing |increasing |substantial |clinical |considerable |ample |overall |medical ){1,4}(?:evidence|literature|data|research|information)(?: (?:provided|available|presented|given|from|in|of) (?:the |these |this )?(?:\w+ ){0,2}\w+)?"
_ADVERBS = (
    r"(?:also |further |clearly |specifically |explicitly |additionally |directly |both |all |strongly |indeed )*"
)
_BACKING = r"(?:provides? (?:strong |some |further |clear |additional )?(?:evidence|support|information)|(?:supports?|confirms?) (?:this|it|the (?:idea|notion|claim|statement|conclusion|fact|view|hypothesis))|makes? it clear|(?:directly )?(?:addresses|answers?|address) (?:this|the|your) (?:question|issue))"
_LETTER = r"[\"'(*]*(?:(?:option|choice) )?[\"'(*]*[A-Ea-e](?:[.):]+|(?=[\s,]))[\"'*]*"

OPENINGS = [
    # "Document [2] also mentions that", "the evidence from these documents suggests that"
    rf"{_DOCUMENT},? {_ADVERBS}(?:{_SAYS})(?: that|:)(?=\s)",
    rf"{_EVIDENCE},? {_ADVERBS}(?:{_SAYS}) that(?=\s)",
    rf"{_DOCUMENT} {_ADVERBS}{_BACKING}(?: (?:by )?(?:{_SAYS}))?,?(?: (?:by )?(?:{_SAYS}))? that(?=\s)",
    r"(?:it|they) (?:also |further |then |only )?(?:stat|mention|report|not|conclud|indicat|explain|describ|highlight|emphasi[sz])(?:s|es|e|ed)? that(?=\s)",
    r"(?:after|by|upon|on) (?:reviewing|analy[sz]ing|examining|reading|looking at|considering) [^,;:]{3,80}, (?=\w)",
    # "Based on the information provided in the documents,"
    rf"(?:based|relying|drawing) (?:on|upon|from) (?:(?:the|this|these|all|current|available|such|our|that|what|general|my) )+(?:[\w-]+ ){{0,5}}(?:{_PAPERS}|evidence|information|literature|data|findings?|knowledge|research|facts?|analysis|considerations?|points?|reasoning|studies|definitions?|understanding|results?)(?: [^,;:]{{1,70}})?, (?=\w)",
    rf"(?:according to|as (?:stated|mentioned|noted|described|reported|indicated|shown|seen|discussed) in|in|from|given|per) {_DOCUMENT}, (?=\w)",
    r"(?:given|considering|in (?:the )?light of|from) (?:this|these|the above|the (?:provided|given|available)) (?:information|evidence|data|facts?|findings?|points?|considerations?|points?), (?=\w)",
    r"(?:there (?:is|are)) (?:some |also |strong |good |scientific |growing |substantial |considerable |clinical |ample |many |several |numerous |multiple |various ){0,3}(?:evidence|literature|data|research|studies|reports) (?:that |which |to )?(?:suggests?|suggesting|shows?|showing|indicates?|indicating|demonstrates?|demonstrating|supports? that|supporting that)(?: that)? (?=\w)",
    r"(?:it|we|one|i) (?:can|could|may) (?:also |therefore |thus |reasonably |safely )?(?:be )?(?:conclude[d]?|inferr?(?:ed)?|see[n]?|deduced?|say|said|assumed?)(?: that)(?=\s)",
    r"it (?:is|seems|would be) (?:safe|reasonable|fair|possible|logical) to (?:conclude|infer|say|assume|deduce)(?: that)(?=\s)",
    # "the answer is B. no, X", "option B is wrong because X"
    rf"(?:the |my )?(?:(?:correct|best|final|right|most \w+) ){{0,2}}(?:answer|choice|option)(?: to (?:the|this|your) question(?: ['\"][^'\"]{{1,300}}['\"])?)? (?:is|would be|should be|must be)(?: likely| most likely| probably)?:? (?:{_LETTER},? ?)?[\"']?(?:yes|no|maybe)\b[\"')]*\s?(?:[,;:–—-]|\.(?=\s\w{{2}}))(?: (?:as|because|since)(?= ))?",
    rf"(?:the |my )?(?:(?:correct|best|final|right|most \w+) ){{0,2}}(?:answer|choice|option)(?: to (?:the|this|your) question)? (?:is|would be|should be|must be):? {_LETTER}[,:;]? (?=[A-Z][a-z]+ \w+ \w+)",
    rf"(?:therefore, |so, |thus, )?(?:option|choice|answer) {_LETTER}[^.,]{{0,60}} (?:is|can be|would be) (?:\w+ )?(?:in)?(?:correct|wrong|right|ruled out|eliminated|true|false|the answer|the best answer),? (?:because|as|since) (?=\w)",
    r"[\"'(]*[A-E][.):]+\s?[\"']?(?:yes|no|maybe)[\"')]*[,;:] (?=\w)",
    r"step (?:\d{1,2}|one|two|three|four|five)\s?[:.–-]",
]

_LOOK = r"(?:look|search|refer|review|examin|analy[sz]|consider|evaluat|consult|find|check|identif|understand|determin|assess|investigat|compar|go through|read|see|know|explor|gather|choos|select|pick|provid)(?:e|y|ing)?"
TALK = [
    # the task: "To determine whether X, we need to ..."
    rf"^(?:to|in order to) (?:answer|determine|assess|evaluate|find out|understand|decide|address|see|figure out|identify|verify|establish|solve)\b[^.]*?,? (?:we|i|one|it|let's|let us)\b(?: \w+){{0,2}} (?:need|must|can|should|have|is|will|could|{_LOOK})\b",
    rf"^(?:(?:first|next|then|finally|additionally|we|let's|let us|,|also|now|can|could|should|will|need to|must|have to) ?)+,? (?:\w+ )?{_LOOK} (?:at |for |to |into |through )?(?:the |any |these |this |each |all |whether |if |some |more )?(?:\w+ ){{0,20}}?(?:question|literature|studies|evidence|documents?|information|options?|answers?|choices?|passages?|abstracts?|context|interactions|functions|results of these)\b",
    # "We can start by searching for ...", "By examining the studies, we can determine whether ..."
    r"^(?:we|one|i) (?:can|could|will|should|need to|must|have to) (?:also |first |then )?(?:start|begin) by \w+ing\b",
    r"^(?:by [^,]{3,150}, )?(?:we|one|i) (?:can|could|will|should|need to|must|have to) (?:also |first |then |better )?(?:determine|decide|find out|assess|evaluate|conclude|see|understand|consider) (?:whether|if|how|which|what|that|the|all|each|several)\b",
    r"^one way to (?:determine|answer|find out|assess|evaluate|check)\b.*\b(?:literature|studies|evidence|documents|databases?)\b",
    r"^(?:identify|read|analy[sz]e|review|understand|examine|consider|evaluate|determine|look at|break down|summari[sz]e|search|recall) (?:the |each |all |any )?(?:\w+ ){0,3}(?:question|documents?|options?|passages?|evidence|answers?|information provided|information|context|abstract|literature|choices?|problem|available data|key terms?|claim)\b",
    # the documents and the options
    rf"^{_SUBJECT} (?:\w+ ){{0,4}}?(?:do|does|did|is|are|was|were|has|have|can|may|contains?|focus(?:es|ed)?|discuss(?:es|ed)?|describ(?:es?|ed)|examin(?:es?|ed)|provid(?:es?|ed)|address(?:es|ed)?|support(?:s|ed)?|highlight(?:s|ed)?|mention(?:s|ed)?|stat(?:es?|ed)|report(?:s|ed)?|suggest(?:s|ed)?|explor(?:es?|ed)|present(?:s|ed)?|compar(?:es?|ed)|evaluat(?:es?|ed)|investigat(?:es?|ed)|titled|refers?|relat(?:es?|ed)|found|and|deals?|talks?|covers?|lists?|reviews?|shows?|explains?|analy[sz]es?|indicat(?:es?|ed)|confirms?|confirmed|conclud(?:es?|ed)|demonstrat(?:es?|ed)|finds?|specif\w+|makes?|notes?|adds?|impl(?:y|ies)|reveal(?:s|ed)?)\b",
    rf"\b(?:no|not (?:any|enough|sufficient)|insufficient|limited|little|any|enough|sufficient) (?:\w+ ){{0,3}}(?:information|mention|data|evidence|answer|discussion|details?)\b[^.]{{0,80}}\b(?:in|from|by|within) (?:the |these |this |any of the |any )(?:{_KINDS} ){{0,2}}{_PAPERS}\b",
    rf"^(?:none|neither|both|all|one|some|several|most|the majority) of (?:the |these |those )(?:{_KINDS} ){{0,2}}{_PAPERS}\b",
    rf"\b(?:in|from) (?:the |these )(?:{_KINDS} ){{1,2}}{_PAPERS}\b(?!,)[^,]*$",
    r"\b(?:answer|question|choice|options?) (?:is|are|can(?:not)? be|cannot be|could be|should be|would be) (?:not |likely |therefore |thus )*(?:[\"'(*]*(?:option )?[A-E]\b[.):]*(?! \w+ \w+ \w+)|unclear|inconclusive|uncertain|unknown|(?:definitively )?(?:answered|determined|correct|incorrect|eliminated|chosen|selected))",
    r"^there(?:'s| is| are| was) no (?:direct |specific |explicit )?mention\b",
    r"^there(?:'s| is| are) (?:no |not |an? )*(?:\w+ ){0,2}answers? to (?:this|your|the|that) question\b",
    r"^(?:the|this) (?:question|answer options?|query|statement|problem|prompt|passage) (?:is asking|asks?|asked|seems to|appears to|is about|is whether|does not|doesn't|requires?|refers?|mentions?|can be|cannot be|specifically)\b",
    r"^(?:the |my )?(?:(?:correct|best|final|right|most \w+) ){0,2}(?:answer|choice|option)\b[^.]{0,320} (?:is|would be|should be|must be)(?: likely| most likely| probably)?:? [\"'(*]*(?:(?:option )?[\"'(*]*[A-E]\b[.):]*\s?)?[\"'(*]*(?:yes|no|maybe)?[\"')*]*\s?[.!]*$",
    r"\b(?:provide|give)s? (?:you )?(?:with )?an? (?:\w+ ){0,2}(?:safe|accurate|precise|specific|definitive|definite|better|correct|conclusive)(?: and \w+)? (?:\w+ )?(?:response|answer|recommendation|comment)\b",
    r"^(?:i|we) (?:would|will|can|could|must|should) (?:choose|select|pick|conclude|answer|go with|say)\b",
]

MARK = r"\b(?:documents?|passages?|snippets?|abstracts?|excerpts?|context|references?|articles?|texts?|sources?|evidence|literature|data|research|studies|reports|information|knowledge|findings?|facts?|points?|definitions?|understanding|analysis|reasoning|results?|considerations?|options?|choices?|answers?|questions?|query|statement|problem|prompt|claim|mention|reviewing|analy[sz]ing|examining|key terms?|response|comment|concluded?|conclude|inferr?(?:ed)?|see|seen|deduced?|say|said|assumed?|infer|step|interactions|functions|start|begin|determine|decide|whether|consider|states?|mentions?|notes?|concludes?)\b|^\W*(?:in order )?to \w|^\W{0,3}[A-E][.):]"
"""Something that every opening and every piece of talk here has in it, which is cheap to look for."""

CITED = r"\s?[(\[](?:see |from |in |cf\.? |source: )?(?:the )?documents?\b[^()\[\]]{0,60}[)\]]|,? as (?:stated|mentioned|noted|described|reported|indicated|shown|seen|discussed|highlighted|evidenced|supported|suggested) (?:in|by) (?:the (?:\w+ )?)?documents?(?: \d{1,3})?(?:(?:, | and )\d{1,3}){0,5}(?:,? and)?(?=[,.;)]|$)|(?-i: (?:in|by|from) Documents?)(?: \d{1,3})?(?:(?:, | and )\d{1,3}){0,5}(?:,? and)?(?=[ ,.;)]|$)"
"""Mentions of a document within or behind a statement."""
