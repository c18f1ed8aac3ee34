"""What one sentence says about using one drug, as a record.

A directive is *strong* (an instruction or a permission addressed to the reader: "take",
"you can take", "is safe for you"), *weak* (an option: "first-line treatment is", "can be
used"), or none (mechanism, history, trial arms, hypotheses). Polarity is positive, negative
(do not take, is contraindicated) or continuation (do not stop, keep taking).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Strength = Literal["strong", "weak", "none"]
Polarity = Literal["positive", "negative", "continuation"]


@dataclass(frozen=True, slots=True)
class Directive:
    """What one sentence says about using one drug.

    Attributes:
        strength: strong, weak or none.
        polarity: positive, negative or continuation.
        permissive: It allows use ("is safe in ...") rather than asking for it.
        compatible: It says that use is possible in general, beside another drug or in some circumstance ("can be
            taken with food"), and tells nobody to start.
        allowed: The reader may use it ("you can take", "is safe to take"), which does not say that he should.
        manner: It says when or with what the drug is taken ("in the evening", "with food").
        example: The drug stands as an example ("such as").
        deferred: It sends the reader to the package for the dose.
        as_prescribed: It sends the reader to an existing prescription.
        relative: It changes a dose without naming one ("double your ...").
        offered: No words of advice were found, but its amount and how often stand beside it.
        in_entry: An entry of a table or list allows it under a condition, which tells nobody to take it.
        bare: A negative without a qualification ("do not take X", not "for more than 10 days").
        clause: First and last-plus-one character of the clause, in the sentence.
    """

    strength: Strength = "none"
    polarity: Polarity = "positive"
    permissive: bool = False
    compatible: bool = False
    allowed: bool = False
    manner: bool = False
    example: bool = False
    deferred: bool = False
    as_prescribed: bool = False
    relative: bool = False
    offered: bool = False
    in_entry: bool = False
    bare: bool = False
    clause: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Item:
    """A token, or a drug name taken as one."""

    text: str
    tag: str
    token: int


@dataclass(frozen=True, slots=True)
class Context:
    """What the sentence stands in.

    Attributes:
        heading: Heading or lead-in of a list item, table row or sentence; "" without one.
        in_list: The sentence is a list item or table row.
        in_row: It is a table row.
        asks_for_drug: The question asks what to take or how to treat.
        first: It is the first sentence of the answer.
        has_question: There is a question.
    """

    heading: str = ""
    in_list: bool = False
    in_row: bool = False
    asks_for_drug: bool = False
    first: bool = False
    has_question: bool = False
