"""What a reply says: every shape of the module's table, and none of them true by accident."""

from __future__ import annotations

import itertools

import pytest

from fas.llm.messages import Reply
from fas.verify.llm_verdict import read_verdict

# Reply, its truth with two labels, its truth with three; None and a word of the reason where there is none.
CASES = [
    ("True", "true", "true"),
    ("true.", "true", "true"),
    ("TRUE!", "true", "true"),
    ("  True\n", "true", "true"),
    ("**True**", "true", "true"),
    ("`True`", "true", "true"),
    ('"True."', "true", "true"),
    ("'True'", "true", "true"),
    ("(True)", "true", "true"),
    ("[True]", "true", "true"),
    ("- True", "true", "true"),
    ("1. True", "true", "true"),
    ("Supported", "true", "true"),
    ("True\n\nThe passage reports the same dose.", "true", "true"),
    ("True - the passage says so", "true", "true"),
    ("True (passage 2 says so)", "true", "true"),
    ("True — because of the trial.", "true", "true"),
    ("True, as the second passage reports.", "true", "true"),
    ("Answer: True", "true", "true"),
    ("**Answer:** True", "true", "true"),
    ("Output:\nTrue", "true", "true"),
    ("Final answer: **True**.", "true", "true"),
    ("The answer is True.", "true", "true"),
    ("The claim is true because it is in the text.", "true", "true"),
    ("The statement is supported by passage 2.", "true", "true"),
    ("It is supported in the second trial.", "true", "true"),
    ("True, in the abstract of passage 3.", "true", "true"),
    ("It is unclear whether it helps. True", "true", "true"),
    ("The claim that aspirin is false hope is true.", "true", "true"),
    ("It's true.", "true", "true"),
    ("Yes, the claim is true.", "true", "true"),
    ("The passage reports fewer strokes. So the claim is true.", "true", "true"),
    ('{"verdict": "true"}', "true", "true"),
    ("Label: True\nScore: 0.6", "true", "true"),
    ("True or False? True", "true", "true"),
    ("Input: aspirin thins blood. True or False?\nOutput: True", "true", "true"),
    ("<think>It may be false, or not.</think>\nTrue", "true", "true"),
    ("False", "false", "false"),
    ("false.", "false", "false"),
    ("Untrue", "false", "false"),
    ("Answer: false", "false", "false"),
    ("No, it is false.", "false", "false"),
    ("It is contradicted by the passage.", "false", "false"),
    ("Refuted.", "false", "false"),
    ("False. The passage does not say that this is true.", "false", "false"),
    ("The statement is not true; it is false.", "false", "false"),
    ("not true", "false", "false"),
    ("Not true.", "false", "false"),
    ("The claim is not true.", "false", "false"),
    ("The claim isn't true.", "false", "false"),
    ("The claim isn’t true.", "false", "false"),
    ("This is not true", "false", "false"),
    ("not supported", "false", "unclear"),
    ("Unsupported.", "false", "unclear"),
    ("The claim is not supported by the text.", "false", "unclear"),
    ("Unclear", "unclear", "unclear"),
    ("inconclusive.", "unclear", "unclear"),
    ("Not enough evidence.", "unclear", "unclear"),
    ("Insufficient information", "unclear", "unclear"),
    ("Not sure.", "unclear", "unclear"),
    ("Unclear: the passage does not say whether this is true or false.", "unclear", "unclear"),
    ("not false", None, "negated"),
    ("The claim is not contradicted.", None, "negated"),
    ("not unclear", None, "negated"),
    ("", None, "empty"),
    (" \n\t", None, "empty"),
    ("<think>Surely true.</think>", None, "empty"),
    ("I'm sorry, I cannot help with that.", None, "refused"),
    ("I cannot verify whether this is true.", None, "refused"),
    ("As an AI, I do not judge medical claims.", None, "refused"),
    ("I don't know.", None, "refused"),
    ("True. False.", None, "two verdicts"),
    ("False\nTrue", None, "two verdicts"),
    ("1. True\n2. False", None, "two verdicts"),
    ("True, not false", None, "two verdicts"),
    ("True, and the second half is false", None, "two verdicts"),
    ("Yes, it is false.", None, "two verdicts"),
    ("No, it is true.", None, "two verdicts"),
    ("True. The claim is not supported by the passage.", None, "two verdicts"),
    ("Answer: True. In conclusion, the claim is false.", None, "two verdicts"),
    ("Unclear, false", None, "two verdicts"),
    ('{"true": false}', None, "two verdicts"),
    ("True, but only for adults.", None, "qualified"),
    ("True, if it is taken daily", None, "qualified"),
    ("True, in mice.", None, "qualified"),
    ("The claim is supported by the text in part.", None, "qualified"),
    ("The claim is true in mice.", None, "no verdict"),
    ("True for adults", None, "no verdict"),
    ("It is true as of 2020.", None, "no verdict"),
    ("True given a normal kidney", None, "no verdict"),
    ("It is unclear whether aspirin helps.", None, "no verdict"),
    ("Say True of a statement that is correct.", None, "no verdict"),
    ("False, although the trend is right", "false", "false"),
    ("Partly true", None, "qualified"),
    ("The claim is mostly true.", None, "qualified"),
    ("not entirely true", None, "qualified"),
    ("Half-true", None, "qualified"),
    ("Probably.", None, "no verdict"),
    ("It is probably true", None, "no verdict"),
    ("Maybe", None, "no verdict"),
    ("Yes", "true", "true"),
    ("No.", "false", "false"),
    ("Correct.", "true", "true"),
    ("Incorrect.", "false", "false"),
    ("The statement is wrong.", "false", "false"),
    ("The statement is accurate because passage 1 reports it.", "true", "true"),
    ("False: the correct dose is 5 mg.", "false", "false"),
    ("Yes, the trial reports fewer strokes.", "true", "true"),
    ("Yes. The passages support the claim.", "true", "true"),
    ("Answer: No", "false", "false"),
    ("No, the passages do not mention it.", "unclear", "unclear"),
    ("No. The passages do not support the claim.", "false", "unclear"),
    ("The passage reports fewer strokes.\nYes", "true", "true"),
    ("Yes, but only in mice.", None, "qualified"),
    ("Yes. However, this only holds in mice.", None, "qualified"),
    ("Yes. The claim is false.", None, "two verdicts"),
    ("No. The passages support the claim.", None, "two verdicts"),
    ("Yes, the passages do not support the claim.", None, "two verdicts"),
    ("Yes and no.", None, "no verdict"),
    ("No trial has looked at it.", None, "no verdict"),
    ("False. This only holds in mice.", "false", "false"),
    ("False, because it only holds in mice.", "false", "false"),
    ("False (only in mice)", "false", "false"),
    ("False, but true in adults", None, "two verdicts"),
    ("```\nTrue\n```", "true", "true"),
    ('```json\n{"verdict": "False"}\n```', "false", "false"),
    ("~~~\nThe claim is not supported by the text.\n~~~", "false", "unclear"),
    ("```\nTrue", "true", "true"),
    ("Here is my verdict:\n```\nFalse\n```", "false", "false"),
    ("True or False", None, "no verdict"),
    ("True/False", None, "no verdict"),
    ("True?", None, "no verdict"),
    ("Neither true nor false", None, "no verdict"),
    ("It is not the case that it is true", None, "no verdict"),
    ("true only in adults", None, "no verdict"),
    ("True (partially)", None, "qualified"),
    ("Truely", None, "no verdict"),
    ("True-ish", None, "no verdict"),
    ("False positives are common with this test.", None, "no verdict"),
    ("The true prevalence is unknown to me.", None, "no verdict"),
    ("Aspirin thins the blood.", None, "no verdict"),
    ("<think>It says so, thus true", None, "cut off"),
    # Verdicts that are announced.
    ("The answer is: True", "true", "true"),
    ("Verdict is: False", "false", "false"),
    ("Verdict - False", "false", "false"),
    ("Final verdict – False.", "false", "false"),
    ("The verdict is: not true", "false", "false"),
    ("Answer: The claim is true.", "true", "true"),
    ("Answer: Yes, the claim is true.", "true", "true"),
    ("Answer: No, the claim is true.", None, "two verdicts"),
    ("Result - false positives are common", None, "no verdict"),
    ("The claim is therefore true.", "true", "true"),
    ("The claim is, therefore, not true.", "false", "false"),
    ("The claim is not therefore true.", None, "no verdict"),
    ("The claim is therefore partly true.", None, "qualified"),
    (r"\boxed{True}", "true", "true"),
    (r"The final answer is $\boxed{\text{False}}$.", "false", "false"),
    (r"\[\boxed{\text{not supported}}\]", "false", "unclear"),
    ("Based on the provided passages, the claim is true.", "true", "true"),
    ("According to the passages, the statement is true.", "true", "true"),
    ("According to passages 1, 2 and 3, the statement is false.", "false", "false"),
    ("Based on the evidence in the passages, the claim is false.", "false", "false"),
    ("Based on the information provided, it is unclear.", "unclear", "unclear"),
    ("The passages disagree. However, the claim is false.", "false", "false"),
    # Not from what was shown, or not stated.
    ("According to some people, the claim is true.", None, "no verdict"),
    ("Based on a trial in mice, the claim is true.", None, "no verdict"),
    ("Given that the claim is true, nothing follows.", None, "no verdict"),
    ("Although the claim is true, it is old.", None, "no verdict"),
    # Taken back in part by the sentence right behind; further on, "however" belongs to the explanation.
    ("True. However, this only holds in adults.", None, "qualified"),
    ("True. But only in mice.", None, "qualified"),
    ("True\n\nAlthough one trial disagrees.", None, "qualified"),
    ("True; except in children.", None, "qualified"),
    ("True. But is it so in children?", None, "qualified"),
    ("False. However, it may hold in adults.", "false", "false"),
    ("True. The passages state it. However, the claim does not mention the dose.", "true", "true"),
    ("The passages are few. But they agree. True", "true", "true"),
    # Taken back altogether.
    ("The claim is true. No, wait: it is false", None, "two verdicts"),
    ("True. Wait, no, it is false.", None, "two verdicts"),
    ("True. But the claim is false.", None, "two verdicts"),
    ("True. The passages state it. However, the claim is false.", None, "two verdicts"),
    # "The second" without a noun is a passage where nothing follows that it could belong to.
    ("Supported by the first passage; contradicted by the second.", None, "two verdicts"),
    ("Supported by the first passage; contradicted by the second because it reports harm.", None, "two verdicts"),
    ("Supported by the first and contradicted by the second.", None, "two verdicts"),
    ("Supported by the first.", "true", "true"),
    ("Supported by the first, second, and third.", "true", "true"),
    ("It is true in the second and third trimester.", None, "no verdict"),
    ("It is true in the first, second and third trimester.", None, "no verdict"),
    ("True, in the first trimester.", None, "qualified"),
    # What is unclear may be named, with "if" as with "whether"; it may not be decided or half decided.
    ("unclear: the text does not say if it is false", "unclear", "unclear"),
    ("Unclear, as the text does not tell when this is true.", "unclear", "unclear"),
    ("Unclear: unclear: it is open.", "unclear", "unclear"),
    ("Unclear: it is false", None, "two verdicts"),
    ("Unclear, but probably true", None, "qualified"),
]


@pytest.mark.parametrize(("text", "two", "three"), CASES, ids=[repr(case[0])[:50] for case in CASES])
def test_each_reply_says_what_the_table_says(text, two, three):
    if two is None:
        for labels in (2, 3):
            reading = read_verdict(Reply(text, finish="stop"), labels=labels)
            assert reading.truth is None
            assert three in reading.failure
    else:
        assert read_verdict(Reply(text, finish="stop"), labels=2).truth == two
        assert read_verdict(Reply(text, finish="stop"), labels=3).truth == three


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
