"""The decomposers that published scores are made with, each with its own request.

What differs from the papers' programs, and why: prompts are our own; sentences come from the
suite's splitter, which knows lists and tables; the temperature is 0 everywhere; a reply that cannot
be read is a failure instead of "no claim" or a claim.
"""

from __future__ import annotations

from fas.claims.llm.decomposer import Decomposer, Method


class FActScore(Decomposer):
    """Atomic facts of a sentence, without its context (Min et al., 2023)."""

    method = Method("factscore", "lines", "sentence", max_tokens=1024)


class RND(Decomposer):
    """The smallest statements of a sentence, with the examples nearest to it (Wanner et al., 2024).

    Russellian and neo-Davidsonian: every property and every part of an event is a claim. DnDScore decomposes so
    (section 3.2), with `decontextualise` before or after it.
    """

    method = Method("rnd", "lines", "sentence", max_tokens=2048)


class MedScore(Decomposer):
    """Condition-aware facts of a sentence of a medical answer, with the whole answer as context.

    Huang, DeLucia, Tiyyala, Dredze: MedScore, section 3.2. The question is not shown unless a
    prompt file asks for it.
    """

    method = Method("medscore", "lines", "sentence", max_tokens=1024)


class MedScoreGeneral(Decomposer):
    """MedScore's facts of an answer about anything, with the question beside it (section 4.3.2).

    For sets outside medicine, as CaLMQA; the paper takes two words out of its prompt, and the question is ours.
    """

    method = Method("medscore-general", "lines", "sentence", max_tokens=1024)


class VeriScore(Decomposer):
    """Verifiable claims of a sentence, marked in a window of three sentences before and one after.

    Song, Kim, Iyyer: VeriScore, 2024. The question stands before the window; without one, the first
    sentence of an answer of more than five. A claim that an answer states twice is kept once.
    """

    method = Method("veriscore", "lines", "window", max_tokens=1024, unique=True)


class DnD(Decomposer):
    """Subclaims and their decontextualised forms in one request (Wanner, Van Durme, Dredze: DnDScore, 2025).

    The claim's text is the subclaim and its `context` the decontextualised form, for the verifier
    `dnd`; `form = "decontextualised"` makes the longer form the claim, for any other.
    """

    method = Method("dnd", "pairs", "sentence", max_tokens=2048)
