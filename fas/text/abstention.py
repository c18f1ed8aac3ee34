"""Answers that do not answer: refusals, not knowing, an offer of help, nothing at all."""

from __future__ import annotations

import re

_MOST_WORDS = 120
_NOTHING = re.compile(
    r"(?:(?:i'm|i am|we're|we are) (?:not (?:\w+ )?sure|unsure|sorry|afraid|unable)"
    r"|i (?:really |just )?(?:do not|don't|cannot|can't|could not|couldn't|have no|am not able|will not|won't)\b"
    r"(?! (?:think|believe) so)"
    r"|i (?:can|would|will|could|'d|'ll) (?:be \w+ to )?(?:help|assist|answer|try|explain|provide|like|need|look)"
    r"|ref(?:erence|s)?\b|as an ai|sorry\b|unfortunately, i\b|no idea|n/?a\b|none given|unknown\b"
    r"|not (?:known|available|sure|applicable|enough)|no answer"
    r"|cannot (?:say|tell|answer|determine)|can't (?:say|tell|answer)|unable to|insufficient|please\b)",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """Whether *text* begins by refusing, not knowing or offering help instead of an answer; so does an empty one.

    It may state something afterwards: an answer abstains if it says nothing and has no claims.

    >>> says_nothing("I'm not sure."), says_nothing("I can help you with that."), says_nothing("dementia")
    (True, True, False)
    """
    plain = " ".join(text[:4000].replace("’", "'").split()).strip("\"'( .")
    return not re.search(r"\w", plain) or (len(plain.split()) <= _MOST_WORDS and bool(_NOTHING.match(plain)))
