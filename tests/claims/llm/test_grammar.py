"""One grammar of replies in lines, tested on replies that are put together from its parts.

Oracle: the claims that went in. Whatever marks, headings, leads, closings and fences stand around them, these come out.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.claims.llm.lines import parse_lines
from fas.claims.llm.replies import ReplyFailure, read
from fas.llm.messages import Reply

CLAIMS = [
    "Aspirin thins the blood.",
    "E. coli is a bacterium.",
    "A. baumannii resists many antibiotics.",
    "Ibuprofen 400 mg lowers fever within 1.5 hours",
    "If the pain lasts longer than two days, see a doctor.",
    "No trial has tested zinc in children.",
    "Thanks to vaccines, smallpox is gone.",
    "Fact-checking of drug leaflets is required by law.",
    "Please note is a phrase; warfarin is a drug.",
    "Take vitamin D with food.",
    "5 mg of apixaban is taken twice a day.",
]
MARKERS = ["- ", "* ", "• ", "+ ", "{n}. ", "{n}) ", "({n}) ", "[{n}] ", "{n}: ", "Fact {n}: ", "**Fact {n}:** ",
           "- Claim {n}: ", "- {n}. ", "**{n}.** ", "  - ", "Atomic fact {n}: ", "Statement {n} - "]  # fmt: skip
LEADS = ["", "Facts:\n", "Sure! Here are the claims:\n\n", "Here is the list.\n", "**Claims:**\n\n", "### Facts:\n"]
CLOSINGS = [
    "",
    "\n\nHope this helps!",
    "\n\nI hope this is useful. Let me know if you have any questions.",
    "\nNote: the sentence also greets the reader.",
    "\n\nIf you need further assistance, feel free to ask.",
    "\n\nThese are all the verifiable claims of the sentence.",
    "\n- No verifiable claim",
    "\n\n(Note that the rest is an opinion.)",
    "\n\nThat's all.",
    "\n---",
]
some = st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=6, unique=True)


def texts(reply: str) -> list[str] | ReplyFailure:
    outcome = read(Reply(reply, "stop"), parse_lines)
    return outcome if isinstance(outcome, ReplyFailure) else [claim.text for claim in outcome]


@settings(max_examples=300, deadline=None)
@given(
    some,
    st.sampled_from(MARKERS),
    st.sampled_from(LEADS),
    st.sampled_from(CLOSINGS),
    st.booleans(),
    st.sampled_from("\n "),
)
def test_the_claims_that_went_in_come_out(claims, marker, lead, closing, fenced, blank):
    body = ("\n" + blank.strip(" ")).join(marker.format(n=i) + claim for i, claim in enumerate(claims, start=1))
    if fenced:
        body = f"```\n{body}\n```"
    assert texts(lead + body + closing) == claims


@pytest.mark.parametrize(
    "reply",
    [
        "- Zinc helps.\n" * 49,
        "- Zinc helps.\n- Iron helps.\n" * 10,
        "".join(f"{i}. Zinc helps.\n" for i in range(1, 60)),
        "Zinc helps.\n" * 49,
        json.dumps(["Zinc helps."] * 20),
    ],
)
def test_a_reply_that_runs_in_a_loop_is_unusable(reply):
    outcome = texts(reply)
    assert isinstance(outcome, ReplyFailure)
    assert outcome.reason.startswith("the reply repeats itself: ")
