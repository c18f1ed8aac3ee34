"""What an adviser thinks beside what is advised, cut off or set apart before the sentence is parsed.

`Stop the drug, as they believe it does harm, and your doctor encourages you to rest` is one order
and one piece of advice; why somebody believes in it is not what the reader was told to do.
"""

# ruff: noqa: E501 - patterns are easier to check on one line

from __future__ import annotations

import re

from fas.claims.mapped import Mapped

_WHO = r"(?:they|he|she|(?:your|the) (?:\w+ )?(?:doctor|physician|surgeon|provider|specialist|team|nurse|dentist|\w+ologist)s?)"
_MINDED = (
    r"(?:(?:are|is|'re|were|was) (?:\w+ly )?(?:concerned|worried|unsure|not sure|confident|hopeful|aware)|(?:believe|think|feel|suspect|want|hope|understand|worry|doubt|agree)s?|"
    r"believed|thought|felt|suspected|wanted|hoped|would (?:like|want|need|prefer)|need(?:s|ed)? (?:more|to (?:see|know|examine|rule)))"
)
_GROUNDS = re.compile(
    rf"\s?,? (?:as|since|because|given that) {_WHO}(?: also| \w+ly| do| did| may)? {_MINDED}\b[^.;]*", re.IGNORECASE
)
_AND = re.compile(
    rf",? (?:and|but|so)(?: that is why| that's why)? (?={_WHO} (?:also |would |do |may |might |\w+ly )*(?:(?:recommend|suggest|advise|encourage|urge|understand|acknowledge|emphasi[sz]e|stress|note|mention|explain|believe|think|feel|hope|appreciate|want|like to|ask|express|remind|reassure)(?:s|d|ed)?|(?:is|are) (?:here|available|glad|happy|willing|sorry|concerned|confident))\b)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3


def without_grounds(text: Mapped) -> Mapped:
    """The sentence without what somebody believes or fears as the reason for it (`..., as they suspect ...`)."""
    return text.sub(_GROUNDS, lambda match: "")


def set_apart(text: Mapped) -> list[Mapped]:
    """The sentence, and what it goes on to say of somebody's advice or feelings (`..., and your doctor recommends ...`)."""
    pieces: list[Mapped] = []
    done = 0
    for match in _AND.finditer(text.text):
        if len(text.text[done : match.start()].split()) < _FEWEST_WORDS or not _has_verb(
            text.text[done : match.start()]
        ):
            continue
        pieces.append(text.slice(done, match.start()))
        done = match.end()
    pieces.append(text.slice(done))
    return pieces


# "Doctors and your physician recommend ..." names two who recommend.
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|can|may|might|should|will|would|could|must|has|have|had|do|does|did|recommend\w*|suggest\w*|advis\w+|help\w*|want\w*)\b|'s\b|\w[^s]s \w",
    re.IGNORECASE,
)


def _has_verb(text: str) -> bool:
    return _VERB.search(text) is not None
