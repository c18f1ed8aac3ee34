"""Words and patterns that advice is recognised by: verbs of use and of stopping, negation, hypotheses, reports."""

from __future__ import annotations

from fas.reading.pattern_tables import patterns_of

START_VERBS = frozenset(
    "take use start begin commence introduce dab smear try apply inject inhale give add increase "
    "double triple raise switch "
    "change prescribe administer "
    "initiate choose pick get buy put resume restart swallow drink chew dissolve place insert instill rub spread "
    "massage offer receive combine opt go ingest consume squirt spray replace treat manage supplement premedicate "
    "substitute need halve quadruple reduce decrease lower cut".split()
)
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

CUES = patterns_of(__file__)
CLINICIAN = CUES.part("CLINICIAN")
MODAL = CUES.part("MODAL")
NOT = CUES.part("NOT")
YOU = CUES.part("YOU")


RELATIVE_CHANGE = frozenset(
    {"double", "triple", "quadruple", "increase", "raise", "halve", "reduce", "decrease", "lower", "cut"}
)
LESSENING = frozenset({"reduce", "decrease", "lower", "cut"})  # of a drug only with its owner or its dose


FINITE_WORDS = frozenset(
    "is are was were be has have had do does did can may should must will would could take use give "
    "cause causes contain contains".split()
)
