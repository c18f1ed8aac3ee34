"""What a reply says: every shape of the module's table, and none of them true by accident."""

from __future__ import annotations

import itertools

import pytest

from fas.llm.messages import Reply
from fas.verify.llm_verdict import read_verdict

# Truth with two labels and with three (None and a word of the reason where there is none), and the replies.
CASES = {
    ("true", "true"): [
        "True", "true.", "TRUE!", "  True\n", "**True**", "`True`", '"True."', "'True'", "(True)", "[True]", "- True",
        "1. True", "Supported", "True\n\nThe passage reports the same dose.", "True - the passage says so",
        "True (passage 2 says so)", "True — because of the trial.", "True, as the second passage reports.",
        "Answer: True", "**Answer:** True", "Output:\nTrue", "Final answer: **True**.", "The answer is True.",
        "The claim is true because it is in the text.", "The statement is supported by passage 2.",
        "It is supported in the second trial.", "True, in the abstract of passage 3.",
        "It is unclear whether it helps. True", "The claim that aspirin is false hope is true.", "It's true.",
        "Yes, the claim is true.", "The passage reports fewer strokes. So the claim is true.", '{"verdict": "true"}',
        "Label: True\nScore: 0.6", "True or False? True", "Input: aspirin thins blood. True or False?\nOutput: True",
        "<think>It may be false, or not.</think>\nTrue", "Yes", "Correct.",
        "The statement is accurate because passage 1 reports it.", "Yes, the trial reports fewer strokes.",
        "Yes. The passages support the claim.", "The passage reports fewer strokes.\nYes", "```\nTrue\n```",
        "```\nTrue", "The answer is: True", "Answer: The claim is true.", "Answer: Yes, the claim is true.",
        "The claim is therefore true.", r"\boxed{True}", "Based on the provided passages, the claim is true.",
        "According to the passages, the statement is true.",
        "True. The passages state it. However, the claim does not mention the dose.",
        "The passages are few. But they agree. True", "Supported by the first.",
        "Supported by the first, second, and third.",
    ],
    ("false", "false"): [
        "False", "false.", "Untrue", "Answer: false", "No, it is false.", "It is contradicted by the passage.",
        "Refuted.", "False. The passage does not say that this is true.", "The statement is not true; it is false.",
        "not true", "Not true.", "The claim is not true.", "The claim isn't true.", "The claim isn’t true.",
        "This is not true", "False, although the trend is right", "No.", "Incorrect.", "The statement is wrong.",
        "False: the correct dose is 5 mg.", "Answer: No", "False. This only holds in mice.",
        "False, because it only holds in mice.", "False (only in mice)", '```json\n{"verdict": "False"}\n```',
        "Here is my verdict:\n```\nFalse\n```", "Verdict is: False", "Verdict - False", "Final verdict – False.",
        "The verdict is: not true", "The claim is, therefore, not true.",
        r"The final answer is $\boxed{\text{False}}$.", "According to passages 1, 2 and 3, the statement is false.",
        "Based on the evidence in the passages, the claim is false.",
        "The passages disagree. However, the claim is false.", "False. However, it may hold in adults.",
    ],
    ("false", "unclear"): [
        "not supported", "Unsupported.", "The claim is not supported by the text.",
        "No. The passages do not support the claim.", "~~~\nThe claim is not supported by the text.\n~~~",
        r"\[\boxed{\text{not supported}}\]",
    ],
    ("unclear", "unclear"): [
        "Unclear", "inconclusive.", "Not enough evidence.", "Insufficient information", "Not sure.",
        "Unclear: the passage does not say whether this is true or false.", "No, the passages do not mention it.",
        "Based on the information provided, it is unclear.", "unclear: the text does not say if it is false",
        "Unclear, as the text does not tell when this is true.", "Unclear: unclear: it is open.",
    ],
    (None, "negated"): [
        "not false", "The claim is not contradicted.", "not unclear",
    ],
    (None, "empty"): [
        "", " \n\t", "<think>Surely true.</think>",
    ],
    (None, "refused"): [
        "I'm sorry, I cannot help with that.", "I cannot verify whether this is true.",
        "As an AI, I do not judge medical claims.", "I don't know.",
    ],
    (None, "two verdicts"): [
        "True. False.", "False\nTrue", "1. True\n2. False", "True, not false", "True, and the second half is false",
        "Yes, it is false.", "No, it is true.", "True. The claim is not supported by the passage.",
        "Answer: True. In conclusion, the claim is false.", "Unclear, false", '{"true": false}',
        "Yes. The claim is false.", "No. The passages support the claim.",
        "Yes, the passages do not support the claim.", "False, but true in adults", "Answer: No, the claim is true.",
        "The claim is true. No, wait: it is false", "True. Wait, no, it is false.", "True. But the claim is false.",
        "True. The passages state it. However, the claim is false.",
        "Supported by the first passage; contradicted by the second.",
        "Supported by the first passage; contradicted by the second because it reports harm.",
        "Supported by the first and contradicted by the second.", "Unclear: it is false",
    ],
    (None, "qualified"): [
        "True, but only for adults.", "True, if it is taken daily", "True, in mice.",
        "The claim is supported by the text in part.", "Partly true", "The claim is mostly true.", "not entirely true",
        "Half-true", "Yes, but only in mice.", "Yes. However, this only holds in mice.", "True (partially)",
        "The claim is therefore partly true.", "True. However, this only holds in adults.", "True. But only in mice.",
        "True\n\nAlthough one trial disagrees.", "True; except in children.", "True. But is it so in children?",
        "True, in the first trimester.", "Unclear, but probably true",
    ],
    (None, "no verdict"): [
        "The claim is true in mice.", "True for adults", "It is true as of 2020.", "True given a normal kidney",
        "It is unclear whether aspirin helps.", "Say True of a statement that is correct.", "Probably.",
        "It is probably true", "Maybe", "Yes and no.", "No trial has looked at it.", "True or False", "True/False",
        "True?", "Neither true nor false", "It is not the case that it is true", "true only in adults", "Truely",
        "True-ish", "False positives are common with this test.", "The true prevalence is unknown to me.",
        "Aspirin thins the blood.", "Result - false positives are common", "The claim is not therefore true.",
        "According to some people, the claim is true.", "Based on a trial in mice, the claim is true.",
        "Given that the claim is true, nothing follows.", "Although the claim is true, it is old.",
        "It is true in the second and third trimester.", "It is true in the first, second and third trimester.",
    ],
    (None, "cut off"): [
        "<think>It says so, thus true",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("two", "three", "text"), [(*key, text) for key, texts in CASES.items() for text in texts])
def test_each_reply_says_what_the_table_says(two, three, text):
    for labels, truth in ((2, two), (3, three)):
        reading = read_verdict(Reply(text, finish="stop"), labels=labels)
        assert reading.truth == (None if two is None else truth)
        assert two is not None or three in reading.failure


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("text", ["True", "True. The passage st", "False.", "Tr", ""])
def test_a_reply_that_was_cut_off_says_nothing_whatever_it_holds(text, labels):
    reading = read_verdict(Reply(text, finish="length"), labels=labels)
    assert reading.truth is None
    assert "cut off" in reading.failure


@pytest.mark.parametrize("text", ["True", "False", ""])
def test_a_reply_that_was_withheld_refused_or_never_came_says_nothing_whatever_it_holds(text):
    for reply, reason in (
        (Reply(text, finish="content_filter"), "content filter"),
        (Reply("I will not. True", finish="refusal"), "refused"),
        (Reply(failure="timed out after 3 tries"), "timed out after 3 tries"),
    ):
        reading = read_verdict(reply)
        assert reading.truth is None
        assert reason in reading.failure


@pytest.mark.parametrize("other", ["The claim is false.", "It is not true.", "But it is refuted.", "No, wait: false"])
@pytest.mark.parametrize("between", ["", "The passages state it. ", "See passage 2.\n\n", "However, they are old. "])
@pytest.mark.parametrize(
    "first", ["True. ", "Answer: True\n", r"\boxed{True}. ", "According to the text, it is true. "]
)
def test_a_later_statement_of_the_opposite_is_never_overlooked(first, between, other):
    for text in (first + between + other, f"{other}\n{between}{first}"):
        assert read_verdict(Reply(text, finish="stop")).truth is None, text


def test_no_sentence_without_a_plain_statement_is_ever_true():
    # Built from parts that hold the word "true" and do not state it.
    before = ["Is it ", "Whether this is ", "If it were ", "It cannot be ", "I doubt that it is ",
              "Nobody says it is not "]  # fmt: skip
    after = ["?", " is unknown.", ", I would tell you.", " or false.", " remains open."]
    for one, other in itertools.product(before, after):
        assert read_verdict(Reply(f"{one}true{other}", finish="stop")).truth is None
