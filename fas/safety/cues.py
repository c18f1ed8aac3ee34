"""Words and patterns that advice is recognised by: verbs of use and of stopping, negation, hypotheses, reports."""

from __future__ import annotations

import re

START_VERBS = frozenset(
    "take use start begin commence introduce dab smear try apply inject inhale give add increase "
    "double triple raise switch "
    "change prescribe administer "
    "initiate choose pick get buy put resume restart swallow drink chew dissolve place insert instill rub spread "
    "massage offer receive combine opt go ingest consume squirt spray replace treat manage supplement premedicate "
    "substitute need halve quadruple reduce decrease lower cut".split()
)
WITH_VERBS = frozenset({"treat", "manage", "supplement", "premedicate", "replace", "substitute"})
CONTINUE_VERBS = frozenset({"continue", "keep", "maintain", "stay", "resume"})
STOP_VERBS = frozenset(
    "avoid dodge ditch stop discontinue hold "
    "withhold quit refrain eliminate omit cease abstain skip reject exclude forgo".split()
)
ADVISE_VERBS = frozenset({"recommend", "suggest", "advise", "propose", "prefer"})
IMPERATIVES = (
    START_VERBS | CONTINUE_VERBS | STOP_VERBS | frozenset({"consider", "ask", "talk", "call", "see", "tell", "consult"})
)

GERUNDS = {
    **{verb + "ing": verb for verb in IMPERATIVES},
    **{verb[:-1] + "ing": verb for verb in IMPERATIVES if verb.endswith("e") and verb != "see"},
    "beginning": "begin", "getting": "get", "putting": "put", "stopping": "stop", "quitting": "quit",
    "omitting": "omit", "skipping": "skip", "opting": "opt",
}  # fmt: skip
TALK_VERBS = frozenset({"ask", "talk", "call", "see", "tell", "consult"})
FORMS = {**GERUNDS, **{verb: verb for verb in IMPERATIVES | ADVISE_VERBS}}

YOU = (
    r"(?:you|u|he|she|they|we|your (?:sister|brother|grandmother|grandfather|friend|aunt|uncle|girlfriend|"
    r"boyfriend|child|son|daughter|baby|wife|husband|mother|father|partner|mom|dad|kid|infant|teen\w*))"
)
PEOPLE = (
    r"(?:family members|patients?|people|adults?|women|men|children|kids|individuals|those|persons?|"
    r"anyone|someone|one|everyone|"
    r"pregnant women|infants|adolescents|teenagers|mothers|moms|mums|asthmatics|diabetics|"
    r"school-?(?:children|kids)|toddlers|babies|newborns|preschoolers|preteens|teens|youngsters|mothers-to-be|"
    r"the elderly|seniors|residents|sufferers|\w+-year-olds?|"
    r"(?:who|that) (?:are|have|is|has|had|were|was|developed|reported|report|take|takes|use|uses))"
    r"(?: (?!should|can|could|may|must|will|might|who|need)[\w¤-]+){0,6}"
)
CLINICIAN = (
    r"(?:doctors?|physicians?|providers?|pharmacists?|specialists?|clinicians?|dermatologists?|"
    r"psychiatrists?|pediatricians?|"
    r"dentists?|gynecologists?|cardiologists?|nurses?|they|he or she|professionals?|practitioners?|"
    r"obstetricians?|gp|vet\w*)"
)
NOT = r"(?:not|n't|never)"
MODAL = (
    r"(?:can|could|may|might|should|must|will|'ll|would|'d|need to|needs to|have to|has to|ought to|want to|be able to)"
)

NEGATED = re.compile(
    rf"(?:\b{NOT}|\bcannot|\bno one should|\bnobody should|\bno need to|\bno reason to|\bwithout|"
    r"\b(?:un(?:safe|wise)|dangerous|"
    rf"inadvisable|risky|harmful|inappropriate) (?:for \w+ )?to|\bagainst|\brefrain from|\binstead of|\brather than)"
    r"(?:(?: \w+ly| also| ever| be| just| start| try| to| take| use| both| either| or| recommend\w*|"
    r" advis\w+| safe| suitable| "
    r"appropriate| a good idea| okay| ok| for you| for patients| want| have| need| supposed| allowed|"
    r" begin| the| routinely|"
    r" go| continue| even| self-medicate| combine| give| any| ,)*)$"
)
PSEUDO_NOT = re.compile(
    r"\b(?:not only|not (?:harmful|dangerous|unsafe|risky) to|no contraindications? to|why not|"
    r"not just|whether or not|nothing wrong with)\b[^.]*$"
)
ASK = re.compile(
    r"\b(?:ask|talk|speak|discuss|consult|check|see)\b[^.;]*\b(?:ensure|make sure|confirm|verify|be sure)\b[^.;]*$|"
    r"\b(?:ask|talk|speak|discuss|tell|inform|consult|check|know|wonder|decide|determine|see|find out|"
    r"question|unclear|unsure)\b"
    r"[^.;]*\b(?:whether|if|about|with your|before|how|when)\b[^.;]*$|\b(?:ask|talk|speak|consult|"
    r"check|see) (?:to |with )?(?:your|a|the)\b"
    r"[^.;]*\b(?:about|before|regarding|on)\b[^.;]*$"
)
REPORTED = re.compile(
    r"\b(?:an?|the|this|our|systematic|cochrane|recent|literature) review\b|\breview (?:of|compar\w+|found|show\w+)\b|"
    r"\b(?:background|objectives?|methods|results|conclusions?|summary|hypothesi[sz]\w*|we (?:suggest|"
    r"show|found|propose)|(?<!short )(?<!brief )(?<!therapeutic )trials?(?! (?:is|would be) (?:acceptable|"
    r"reasonable|worth|fine|sensible))|study|studies|participants?|cohort|randomi[sz]ed|placebo|"
    r"meta-analysis|"
    r"reviewed|researchers|investigators|"
    r"subjects|enrolled|assigned|(?:treatment|study|placebo|control|active|intervention|\w+ mg|first|second|each|one|"
    r"the other|both|two|three) arms?|arms (?:of|received|were|had)|case report|rats|mice|in vitro|received|"
    r"were treated|"
    r"was treated|were given)\b",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"\b(?:label(?:ing)?|package insert|prescribing information|leaflet|boxed warning|black box|monograph)\b[^.;]{0,40}"
    r"\b(?:lists?|says?|states?|warns?|reads?|mentions?|includes?|contraindicat\w+|notes?|carries|describes?|:)",
    re.IGNORECASE,
)

POSITIVE = (
    r"(?:recommended|suitable|appropriate|safe|fine|okay|ok|all right|alright|good|best|right|"
    r"preferred|effective|acceptable|"
    r"reasonable|ideal|excellent|helpful|indicated|allowed|permitted|useful|sensible|great)"
)
CHOICE = (
    r"(?:choice|option|alternative|first-line|first line|second-line|bet|pick|addition|add - on|adjunct|"
    r"replacement|substitute|"
    r"swap|(?:usual|typical|good|"
    r"great|recommended|preferred|best|standard|solid|sensible|sound|decent|right|viable|perfect|"
    r"effective|safe|reasonable|suitable|appropriate) (?:\w+ )?(?:start|candidate|solution|fit|match|step|"
    r"treatment|therapy|medication|"
    r"drug|medicine|agent|remedy|approach|idea|dose|one))"
)
BE = (
    r"(?:is|are|'s|'re|be|would be|should be|will be|may be|might be|can be|could be|is going to be|seems|"
    r"remains|stays|"
    r"looks|has been)"
)
DEGREE = r"(?: (?!not\b|n't\b|no\b|never\b|used\b|contraindicated\b)[\w-]+){0,3}?"

# A verdict that allows, where the verb is left out ("X: safe in pregnancy").
ALLOWING = r"(?:safe|fine|ok|okay|acceptable|suitable|compatible|allowed|permitted|well tolerated)"
ALLOWING_DEGREE = r"(?:(?:\w+ly|often|considered|likely) ){0,2}"

RIGHT_NEGATIVE = re.compile(
    r"\bavoid (?:it|this|them|using|taking)\b|\b(?:contra-?indicated|(?:is|are|was|were|be|'s|do|does|"
    r"can|could|should|must|may|would|will|"
    rf"has|have|ca|wo) ?{NOT}|cannot|"
    r"should(?: \w+)? be (?:avoided|stopped|discontinued|withheld|held|reserved)|(?:must|to|can|may|"
    r"best|should|usually|generally|are|is) "
    r"(?:be )?(?:avoided|stopped|discontinued|withheld|held)|unsafe|dangerous|harmful|fatal|"
    r"inappropriate|unsuitable|inadvisable|(?:declined|refused|turned down) by|"
    r"(?:something|one|a (?:drug|medicine|medication|tablet|pill)|what)(?: that| which)? (?:you|he|she|"
    r"they) (?:\w+ly )?"
    r"(?:should|must|need to|needs to|ought to|have to|has to) (?:\w+ly )?(?:avoid|stop|skip|refuse|leave|stay|"
    r"steer|not)|"
    r"ruled out|off[- ]limits|out of the question|never|a (?:bad|poor) (?:idea|choice)|(?:was|were|"
    r"been) withdrawn|no longer(?! than))\b|"
    rf"\bn't\b"
)
RIGHT_STRONG = re.compile(
    rf"\b{BE}{DEGREE} {POSITIVE}(?: ?[\w-]+(?: [\w-]+){{0,4}}?)?? ?(?:for (?:you|him|her)\b|in your case|"
    r"for your (?!doctor)|to (?:take|use|start|give|try|continue|restart|resume|go back on|begin|reintroduce))\b|"
    rf"\b{BE}{DEGREE}(?: (?!used)[\w-]+){{0,4}}? ?(?:for you|in your case|for your (?!doctor))\b|"
    r"\b(?:should|must|needs? to|has to|have to) (?:\w+ly )?be (?:started|initiated|given|"
    r"administered|added|begun|increased|tried)\b|\bshould (?:\w+ly )?be prescribed\b|"
    rf"\b(?:would|will|should) (?:suit|help|work (?:well )?for) you\b|"
    r"\bmakes? (?:\w+ )?sense (?:for (?:you|him|her)\b|in your)|\bis what you (?:need|should)\b"
)
RIGHT_PERMISSIVE = re.compile(
    rf"\b{BE}{DEGREE} (?:safe|safest|fine|okay|ok|all right|acceptable|appropriate|suitable|well tolerated|compatible|"
    rf"allowed|harmless|risk-free|risk - free|(?:well |ideally )?suited|unproblematic)\b|"
    r"\b(?:can|may|could) (?:still |also |\w+ly )?be (?:\w+ly )?(?:used|taken|given|continued|"
    r"prescribed|combined|co ?- ?administered|co ?- ?prescribed|co-?administered|co-?prescribed|paired|"
    r"started|initiated|had)\b|\bno problem\b|"
    r"\b(?:has|have) (?:an? )?(?:\w+ ){0,2}safety (?:record|profile) (?:in|during|for|with)\b|"
    rf"\bposes? no (?:risk|problem|danger)|\b(?:no|without) (?:\w+ )?(?:risk|harm|danger) (?:to|in|for|during)\b"
)
RIGHT_WEAK = re.compile(
    rf"\b{BE}{DEGREE} {POSITIVE}\b|\b{BE}(?: [\w-]+){{0,5}} {CHOICE}\b|\bworks? (?:well|best|great|fine|nicely|"
    rf"wonders)\b|"
    r"\b(?:can|may|could|will|should) (?:also |often |usually |\w+ly )?(?:help|relieve|treat|work|"
    r"be (?:\w+ly )?(?:used|taken|given|tried|applied|effective|helpful|added|prescribed|continued|"
    r"started))\b|"
    r"\b(?:helps?|relieves?) (?:with|to|relieve|reduce|your|the|pain|fever|symptoms)\b|\b(?:should|"
    r"must) be (?:used|taken|applied)\b|\bposes? no\b|\bno problem\b|\bis the way to go\b"
)
DESCRIPTIVE = re.compile(
    r"^(?:,? ?(?:\([^)]*\) ?)?)(?:(?:is|are|was|were|will be|has been)(?: \w+){0,2} (?:used|given|taken|prescribed|"
    r"approved|indicated|marketed|sold|known|associated|"
    r"metabolized|excreted|available|thought|believed|designed|an?n? (?!\w*\s?(?:good|safe|reasonable|"
    r"excellent|effective|option|alternative|choice))\w+))\b"
)
LISTING = re.compile(
    r"\b(?:options?|treatments?|medications?|medicines?|choices?|therap(?:y|ies)|drugs?|remed(?:y|"
    r"ies)|antibiotics?|alternatives?|"
    r"relievers?|agents?|first-line|painkillers?|creams?|inhibitors?|blockers?|antihistamines?|"
    r"antidepressants?|nsaids?|class)\b"
    r"[^.;]{0,60}\b(?:include|includes|including|are|is|be|such as|like|e\.g\.|:)[^.;]{0,60}$"
)
ADVERSE = re.compile(
    r"\b(?:contra-?indicat\w*|avoid\w*|interact\w*|concomitant\w*|co-?administ\w*|not|n't|never|"
    r"caus\w+|complicat\w+|conditions?|risks?|taking|receiving|"
    r"treated with|history|allerg\w+|sensitiv\w+|hypersensitiv\w+|increas\w+|decreas\w+|induc\w+|"
    r"inhibit\w*|affect\w*|effects?|react\w+|overdos\w+|"
    r"toxic\w*|levels?|who (?:take|use|are|have)|substrates?|metaboli\w+|withdrawal|abus\w+|addict\w*|"
    r"deficien\w+|factors?|studied|studies|trial|"
    r"prolong\w*|known as|called|brand names?|names?|sold|contain\w*|class|group|types?|adverse|"
    r"warn\w*|caution\w*|depend\w*|worsen\w*|trigger\w*)\b",
    re.IGNORECASE,
)
EXAMPLE = re.compile(r"(?:\bsuch as|\blike|\bincluding|\be\.g\.|\bfor example|\bi\.e\.)(?:[^.;]{0,60})$")
CHOICE_IS = re.compile(
    r"\b(?:first[- ](?:line|choice)|second[- ]line|treatment|drug|medication|therapy|choice|option|"
    r"antibiotic|medicine)\b[^.;]{0,60}"
    r"\b(?:is|are|would be|includes?|consists? of)(?: (?:a|an|the|usually|often|typically|generally|"
    r"oral|intravenous|high-dose|low-dose))*$"
)
FOR_YOU = re.compile(
    r"\bfor (?:you|your|him|her)\b|\bin (?:you|him)\b|"
    r"\bin (?:your|her|his) (?:case|situation|condition|position|circumstances|child|son|daughter|baby|wife|husband)\b"
)
MORE_THAN = re.compile(
    r"\b(?:more than|longer than|over|above|extra|additional|a double|double|two doses|exceed\w*|"
    r"too much|missed|higher than|greater than|"
    r"all(?: of)? your|full bottle|overdos\w+)\b[^.;]*$"
)
DEFERRED = re.compile(
    r"\b(?:as|per|follow(?:ing)?|according to) (?:directed|indicated|instructed|stated|described|"
    r"the)?(?: ?(?:on|by|in|to|the))*"
    r" (?:package|packaging|label|box|bottle|instructions|directions|leaflet|product)\b|\bper (?:label|package)\b|"
    r"\bmanufacturer'?s? (?:\w+ )?(?:guidelines|instructions|directions|recommendations)\b|"
    r"\bfollow(?:ing)? (?:the )?(?:\w+ )?(?:package|label|dosage|dosing) (?:\w+ )?(?:instructions|directions)",
    re.IGNORECASE,
)
AS_PRESCRIBED = re.compile(
    r"\b(?:(?:exactly )?as (?:your (?:doctor|physician|provider)|prescribed|directed|instructed)|"
    r"as (?:usual|before|normal)|"
    r"(?:prescribed|directed|instructed|recommended|told|ordered) by (?:your|a|the) (?:doctor|"
    r"physician|provider|healthcare))",
    re.IGNORECASE,
)
UNQUALIFIED = re.compile(
    r"(?:\s+(?:at all|any ?more|now|please|should be avoided|must be avoided|must not be (?:used|"
    r"taken)))?[\s.!,;\"')*]*"
)
MODAL_SUBJECT = re.compile(
    rf"\b(?P<who>{YOU}|{PEOPLE}|i|it) (?:\w+ly |also |then |still |"
    rf"just )?(?P<modal>{MODAL})(?: {NOT})?(?: \w+ly| also| just| then| still| either| safely|"
    r" probably| first| simply| each| both| all| be| be able to| always| even| continue to| try to| at least)*$"
)
INSTRUCTION_BREAK = re.compile(
    r"[,;:)(.!?|]|\b(?:and|then|or|please|instead|first|next|yes|no|okay|sure|so|well|finally|therefore|otherwise|"
    r"continue to|try to|remember to|make sure to|be sure to|important to)\b"
)
LIGHT_ADVERBS = re.compile(
    r"(?:(?:^|\s)(?:also|just|only|simply|always|initially|definitely|now|today|afterwards?|carefully|gently))+\s*$"
)
ADVISABLE = re.compile(
    r"\b(?:safe|fine|ok|okay|alright|right|best|better|reasonable|recommended|advised|appropriate|"
    r"acceptable|important|necessary|idea|helpful|advisable|possible|allowed|free|need|needs|have|"
    r"ought|sure|beneficial|wise|worth|crucial|essential|good|welcome|permitted|encouraged)(?: (?:for|"
    r"in) (?:you|your \w+|most people|adults|patients|people|women|children|"
    r"pregnant women))?(?: to start| to try)?$"
)
ECHOED_QUESTION = re.compile(
    r"\W*(?:is|are|can|could|should|do|does|did|will|would)\s+(?:it|i|you|he|she|they|there|this|that|"
    r"the|my|your|we|people)\b",
    re.IGNORECASE,
)
MISSED_DOSE = re.compile(
    r"\b(?:miss(?:ed|ing)? (?:a|an|your|the|one|any) (?:\w+ )?(?:dose|pill|tablet)|missed dose|as soon as (?:you|they) "
    r"remember|as soon as possible after (?:you|they) remember)\b",
    re.IGNORECASE,
)
ANIMAL = re.compile(
    r"\b(?:for|to|in|give|gives|giving|treat\w*|dos(?:e|es|ed|ing)|kill\w*|poison\w*|with) (?:(?:your|the|an?|"
    r"his|her|their|my|"
    r"most|small|some) )?(?:[\w-]+ )?{0}\b|\b{0}(?:'s?)? (?:can|should|must|may|might|needs?|weigh\w*|get|gets|"
    r"take\w*|given|"
    r"receiv\w+|tolerat\w*|is|are|was|were|with|at)\b|\bveterinar\w+".format(
        r"(?:dogs?|cats?|pupp(?:y|ies)|kittens?|horses?|cattle|pets?)(?! (?:dander|hair|allerg\w+))"
    ),
    re.IGNORECASE,
)
COMPOUND = re.compile(
    r"[\w ]{3,40}-(?:rich|free|based|type|containing|resistant|like|induced|related|fortified)\b", re.IGNORECASE
)
BODY_PROCESS = re.compile(r"\W*(?:secretion|levels?|resistance|sensitivity|production|release|response|activity)\b")
RELATIVE_CHANGE = frozenset(
    {"double", "triple", "quadruple", "increase", "raise", "halve", "reduce", "decrease", "lower", "cut"}
)
LESSENING = frozenset({"reduce", "decrease", "lower", "cut"})  # of a drug only with its owner or its dose


FINITE_WORDS = frozenset(
    "is are was were be has have had do does did can may should must will would could take use give "
    "cause causes contain contains".split()
)
HEADING_NEGATIVE = re.compile(
    r"\b(?:avoid|do not|don't|never|not (?:to take|recommended|safe|take|use)|contraindicated|unsafe|"
    r"stop|stay away|should not|dangerous|interact\w*|"
    r"contraindications?|medications to avoid|cannot|shouldn't|harmful)\b",
    re.IGNORECASE,
)
HEADING_STRONG = re.compile(
    r"\b(?:you (?:can|could|should|may|must) (?:\w+ )?(?:take|use|try|start)|(?:take|use|try|start|"
    r"prescribe|give)(?: one| either| any| all| the| some)?(?: of)?(?: the| these)?(?: following)?"
    r"(?: \w+){0,2}$|i (?:recommend|suggest|would recommend)|we recommend|"
    r"your (?:plan|prescription|regimen)|medication changes|^(?:(?:management|treatment|suggested|proposed|the|"
    r"my) )?plan|"
    r"^rx|^immediate(?:ly)?|^orders?|(?:discharge|new) (?:medicines|medications|meds|prescriptions)|"
    r"^(?:please )?(?:take|use|give|start|prescribe) (?:these|the following|both|all)\b(?: [\w-]+){0,8}$)\b",
    re.IGNORECASE,
)
HEADING_WEAK = re.compile(
    r"\b(?:options?|treatments?|medications?|medicines?|choices?|therap(?:y|ies)|first[- ](?:line|"
    r"choice)|recommended|prefer(?:red)?|alternatives?|remed(?:y|ies)|"
    r"antibiotics?|safe|relief|management|drugs?)\b",
    re.IGNORECASE,
)
HEADING_NEUTRAL = re.compile(
    r"\b(?:side effects?|adverse|reactions?|reported|doc(?:tor)?s? (?:might|may|can|could|will)|"
    r"interactions?|causes?|risk factors?|examples? of|may cause|can cause|ask|"
    r"tell your|history|studied|trial|such as|what (?:is|are)|"
    r"how|why|mechanism|warnings?|precautions?|types? of|classes|include[sd]? in the study|symptoms)\b",
    re.IGNORECASE,
)
