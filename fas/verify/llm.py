"""Verification by a language model: one request per claim, all its passages in it.

| Name        | Reads                                            | Published as                              |
|-------------|--------------------------------------------------|-------------------------------------------|
| `internal`  | nothing: the model's own knowledge               | MedScore, section 3.3                     |
| `provided`  | a given text (a reference, a doctor's answer)    | FActScore; MedScore, section 3.3          |
| `retrieved` | the passages of any evidence source, k at a time | FActScore; MedScore; VeriScore            |
| `dnd`       | passages, and a longer form of the claim         | DnDScore, section 4.2                     |
| `rafe`      | the question, and passages if there are any      | LEAF, section 2.1 (`fas.verify.rafe`)     |

These papers judge a claim once, with all passages in one prompt, where an NLI model judges each
passage alone; so these are joint verifiers (`fas.core.parts.JointVerifier`).

What a verdict becomes. With two labels, the papers' prompts say "False" for a claim the evidence
contradicts and for one it does not mention: MedScore's appendix A.7 puts 70% of its False claims
down to missing evidence. Such a claim is `unsupported` here, never `contradicted`, and Contra@k says
nothing (a note in the report says so). With three labels "False" means contradicted:

    true     P(support) = 1, P(contradict) = 0     supported
    false    two labels: 0, 0                      unsupported
             three labels: 0, 1                    contradicted
    unclear  0, 0                                  unsupported
    failure  none                                  unverified

Where the server gives log-probabilities, these take the place of 1 and 0: the words that stand for a label are
pooled at the first token that decides, and p is their softmax. So the same thresholds, calibration and labels serve
these verifiers and the embedded ones; `probabilities = "word"` goes by the word alone. `fas.verify.llm_verdict` has
the grammar of replies.

A prompt is a TOML file:

    version = 1         # raised whenever a word changes
    labels = 2          # 2: True or False (not supported); 3: True, False (contradicted) or Unclear
    system = "..."      # may be missing
    user = "..."

`{claim}`, `{passages}`, `{context}` and `{question}` stand for what is judged. A paragraph of the
user message with a placeholder that has no value (no question is known, the claim has no longer
form) is left out. Other braces are plain text. Built-in prompts are called `NAME-LABELS.vVERSION.toml`;
an old version stays, so that an old score can be made again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from fas.core.checks import is_whole
from fas.core.errors import ProfileError
from fas.core.records import Case, Judgement, Pair, Passage, failed_judgement
from fas.core.records.signature import PartSignature
from fas.llm import ChatModel, Prompt, Reply, chat_model
from fas.llm.prompt_files import FIELDS, PromptFile, digest_of, read_prompt
from fas.llm.prompt_files import prompt_names as names_in
from fas.llm.tally import ReplyTally
from fas.verify.llm_verdict import Truth, VerdictReading, read_verdict

PLACEHOLDERS = ("claim", "passages", "context", "question")
_PACKAGE = "fas.verify.prompts"


@dataclass(frozen=True, slots=True)
class VerifierPrompt(PromptFile):
    """A prompt, read from its file, that offers 2 or 3 verdicts."""

    labels: int = 2

    @property
    def instructions(self) -> str:
        """The words of both messages that are the same for every claim."""
        return "\n\n".join(part for part in (self.system, self.pattern.sub(" … ", self.user)) if part)


def load_prompt(source: str, *, labels: int | None = None) -> VerifierPrompt:
    """The built-in prompt called *source*, or the one in the file *source* (its name ends in `.toml`).

    `internal`, `provided`, `retrieved` or `dnd` is the newest version, `internal-2.v1` that one; *labels* are 2 by
    default, or what the file says.

    Raises:
        ProfileError: There is no such prompt, or the file cannot be used; the message says where and why.
    """
    if labels not in (None, 2, 3):
        raise ProfileError(f"`labels` must be 2 or 3, got {labels!r}")
    with_labels = f"{source}-{labels or 2}"
    built_in = any(name.startswith(f"{with_labels}.v") for name in prompt_names())
    name, raw = read_prompt(
        with_labels if built_in else source,
        package=_PACKAGE,
        fields={**FIELDS, "labels": int},
        needed=("version", "labels", "user"),
    )
    if raw["labels"] not in (2, 3):
        raise ProfileError(f"prompt {name}: field 'labels' must be 2 or 3, got {raw['labels']!r}")
    if "{claim}" not in raw["user"]:
        raise ProfileError(
            f"prompt {name}: field 'user' has no {{claim}}, so that the model would not see what to judge"
        )
    if labels not in (None, raw["labels"]):
        raise ProfileError(f"prompt {source}: it offers {raw['labels']} labels, but `labels` is {labels}")
    system, user = raw.get("system"), raw["user"]
    digest = digest_of(system or "", user)
    return VerifierPrompt(name, raw["version"], system, user, PLACEHOLDERS, digest, labels=raw["labels"])


def prompt_names() -> list[str]:
    """The built-in prompts, sorted, e.g. `internal-2.v1`."""
    return names_in(_PACKAGE)


Judged = Literal["claim", "decontextualised"]
Order = Literal["best_first", "best_last"]
Probabilities = Literal["auto", "word"]

_CHOICES = (("true", "yes", "correct", "supported"), ("false", "no", "not", "incorrect", "unsupported", "contradicted"))
_UNCLEAR = ("unclear",)
_ALLOWED: Mapping[str, Sequence[str]] = {
    "judge": get_args(Judged),
    "order": get_args(Order),
    "probabilities": get_args(Probabilities),
}
_MAX_TOKENS = 256  # as MedScore, appendix A.13


class LlmVerifier:
    """Asks a language model whether each claim is true; the named verifiers differ in what they show it.

    Args:
        model: Name for `fas.llm.chat_model`, or a `ChatModel`.
        prompt: A prompt file of your own (.toml) instead of the verifier's.
        labels: 2: True, or False for whatever is not supported. 3: True, False for what is
            contradicted, Unclear. 2 by default, or what the prompt file says.
        judge: Whether the claim itself or its decontextualised form (where it has one) is judged.
        order: For `retrieved`: whether the passage of the best rank stands first (MedScore) or last (FActScore).
        max_tokens: Room for a reply; one that is cut off is a failed judgement.
        probabilities: `auto`: those of the model where its server gives them. `word`: 1 and 0, by the word alone.

    Raises:
        ValueError: An option is impossible, or the prompt file cannot be used.
    """

    name: ClassVar[str]
    needs_evidence = True
    reads_passages = True
    by_word = True
    """A reply is one word for a label, whose probability can be asked for."""
    room = _MAX_TOKENS
    offers: ClassVar[int | None] = None
    """Labels that every prompt of this verifier offers; None for 2 or 3."""
    fixed: ClassVar[Collection[str]] = ("order",)
    """Options that this verifier does not have."""

    def __init__(
        self,
        *,
        model: str | ChatModel | None = None,
        prompt: str | None = None,
        labels: int | None = None,
        judge: Judged | None = None,
        order: Order | None = None,
        base_url: str | None = None,
        concurrency: int | None = None,
        max_tokens: int | None = None,
        probabilities: Probabilities | None = None,
    ) -> None:
        chosen = {"labels": labels, "judge": judge, "order": order, "probabilities": probabilities}
        for option, value in chosen.items():
            if value is not None and option in self.fixed:
                raise ValueError(f"verifier {self.name!r} has no option {option!r}")
            allowed = _ALLOWED.get(option)
            if value is not None and allowed and value not in allowed:
                names = " or ".join(map(repr, allowed))
                raise ValueError(f"verifier {self.name!r}: `{option}` must be {names}, got {value!r}")
        self.max_tokens = self.room if max_tokens is None else max_tokens
        if not is_whole(self.max_tokens) or self.max_tokens < 1:
            raise ValueError(f"verifier {self.name!r}: `max_tokens` must be at least 1, got {max_tokens!r}")
        if model is None or model == "":
            raise ValueError(
                f"verifier {self.name!r} needs the name of a language model: --model NAME, "
                "or `model` in the profile's [verify] table"
            )
        self.prompt: VerifierPrompt = load_prompt(prompt or self.name, labels=labels or self.offers)
        self.judge: Judged = judge or "claim"
        self.order: Order = order or "best_first"
        options = {"base_url": base_url, "concurrency": concurrency}
        given = {key: value for key, value in options.items() if value is not None}
        if given and not isinstance(model, str):
            raise ValueError(
                f"verifier {self.name!r}: `{next(iter(given))}` goes with the name of a model, not with one"
            )
        self._tally = ReplyTally()
        self._by_word = probabilities == "word" or not self.by_word
        self._choices: tuple[tuple[str, ...], ...] | None = () if self._by_word else None
        self._known: bool | None = False
        self._n_verdicts = self._n_probable = 0
        self.model: ChatModel = chat_model(model, **given) if isinstance(model, str) else model

    @property
    def signature(self) -> str:
        """E.g. `retrieved[gpt-4o,prompt=1-5f0c2a9b]`, with every option that can change a verdict."""
        parts = [self.model.signature, f"prompt={self.prompt.signature}", *self._list_settings()]
        return PartSignature(self.name, *parts)

    def recount(self) -> None:
        """Reset the counts."""
        self._tally = ReplyTally()
        self._n_verdicts = self._n_probable = 0

    def notes(self) -> list[str]:
        """What a reader of the report must know."""
        unusable = self._tally.note()
        notes = [] if unusable is None else [f"verifier {self.name!r}: {unusable}; their claims are unverified"]
        if self._n_probable < self._n_verdicts and self.choices():
            n = self._n_verdicts - self._n_probable
            notes.append(f"verifier {self.name!r}: {n} of {self._n_verdicts} verdicts came without a probability")
        if self.prompt.labels == 3:
            return notes
        return [
            *notes,
            f"verifier {self.name!r} tells supported from not supported only: no claim can be 'contradicted', so that "
            "contra@k is 0 by construction and enters fas and fas_evidence as if nothing were contradicted",
        ]

    def verify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair, each passage alone; the pipeline asks `verify_claims` instead."""
        return self.verify_claims([Case(p.claim, () if p.passage is None else (p.passage,), p.question) for p in pairs])

    def verify_claims(self, cases: Sequence[Case]) -> list[Judgement]:
        """One judgement per claim, on all its passages together.

        A claim with nothing to read it by (no passage has a text or a title) is not asked about, unless the verifier
        needs no evidence: nothing supports it, and nothing contradicts it.
        """
        # Without a word to read, a model would answer from its own knowledge; as with `nli`, such passages say nothing.
        judgements = [Judgement(0.0, 0.0)] * len(cases)
        asked = []
        for i, case in enumerate(cases):
            lacking = self._find_lack(case)
            if lacking is not None:
                judgements[i] = failed_judgement(f"{self.name}: {lacking}")
            elif not self.needs_evidence or any(map(_has_words, case.passages)):
                asked.append(i)
        replies = self.model.complete(self.prompts([cases[i] for i in asked])) if asked else []
        for i, reply in zip(asked, replies, strict=True):
            reading = self._read(reply, cases[i])
            self._tally.count([reading.failure])
            judgements[i] = (
                failed_judgement(f"{self.name}: {reading.failure}")
                if reading.truth is None
                else self._make_judgement(reading.truth, reply)
            )
        return judgements

    def prompts(self, cases: Sequence[Case]) -> list[Prompt]:
        """What would be sent for *cases*, one request each."""
        choices = self.choices()
        return [
            Prompt(self.prompt.messages(self._fill_values(case)), max_tokens=self.max_tokens, choices=choices)
            for case in cases
        ]

    def choices(self) -> tuple[tuple[str, ...], ...]:
        """The words whose probabilities are asked for; none where the server gives none, or may not be asked."""
        if self._choices is None:
            gives = getattr(self.model, "gives_logprobs", None)
            known = self._known = gives() if gives is not None else False
            words = _CHOICES if self.prompt.labels == 2 else (*_CHOICES, _UNCLEAR)
            self._choices = words if known else ()
        return self._choices

    def probabilities(self) -> str | None:
        """The source of the probabilities of verdicts, for a dry run to report; None if there is nothing to report."""
        if self._by_word:
            return None
        if self.choices():
            return "verdicts carry the model's log-probabilities"
        if self._known is None:
            return "whether the server gives log-probabilities is not known yet: one more request finds out"
        return "the server gives no log-probabilities: verdicts go by the word alone"

    def _make_judgement(self, truth: Truth, reply: Reply) -> Judgement:
        self._n_verdicts += 1
        if not reply.logprobs or reply.logprobs[0][0] != truth:
            return make_judgement(truth, labels=self.prompt.labels)
        # The token that decides says what the whole reply says.
        self._n_probable += 1
        largest = max(value for _, value in reply.logprobs)
        odds = {name: math.exp(value - largest) for name, value in reply.logprobs}
        total = sum(odds.values())
        return Judgement(odds["true"] / total, odds["false"] / total if self.prompt.labels == 3 else 0.0)

    def _find_lack(self, case: Case) -> str | None:
        """What *case* lacks so that it cannot be asked about, or None."""
        return None

    def _read(self, reply: Reply, case: Case) -> VerdictReading:
        """The verdict in *reply*."""
        return read_verdict(
            reply, labels=self.prompt.labels, shown=list_shown_texts(case), instructions=self.prompt.instructions
        )

    def _fill_values(self, case: Case) -> dict[str, str | None]:
        claim = case.claim
        judged = (claim.context or claim.text) if self.judge == "decontextualised" else claim.text
        return {
            "claim": judged.strip(),
            "passages": self._show_passages(case.passages),
            "question": case.question,
            "context": None,
        }

    def _show_passages(self, passages: Sequence[Passage]) -> str | None:
        ranked = passages if self.order == "best_first" else passages[::-1]
        return "\n\n".join(_format_passage(passage) for passage in ranked if _has_words(passage)) or None

    def _list_settings(self) -> list[str]:
        """Settings named in the signature, those that differ from the default."""
        settings = ["labels=3"] if self.prompt.labels == 3 else []
        settings += ["p=logprobs"] if self.choices() else []
        settings += ["judge=decontextualised"] if self.judge != "claim" else []
        settings += [f"max={self.max_tokens}"] if self.max_tokens != self.room else []
        return settings + (["order=best_last"] if self.order != "best_first" else [])


class InternalVerifier(LlmVerifier):
    """Judges by the model's own knowledge; nothing is looked up."""

    name = "internal"
    needs_evidence = False
    reads_passages = False


class ProvidedVerifier(LlmVerifier):
    """Judges by a given text: the passages that came with the answer, put together in their order."""

    name = "provided"
    keeps_order = True


class RetrievedVerifier(LlmVerifier):
    """Judges by the k passages that any evidence source found, all in one request.

    The passage of the best rank stands first (`best_first`, MedScore) or last (`best_last`, FActScore's program).
    """

    name = "retrieved"
    fixed = ()


class DndVerifier(LlmVerifier):
    """Judges the subclaim by the passages, with its decontextualised form as context.

    A claim without such a form gets the sentence it was taken from, as in the first row of DnDScore's table 3; without
    either the context is left out of the prompt. There is no `judge`: it is always the claim.
    """

    name = "dnd"
    reads_context = True
    fixed = ("judge", "order")

    def _fill_values(self, case: Case) -> dict[str, str | None]:
        return {**super()._fill_values(case), "context": case.claim.context or case.source}


def list_shown_texts(case: Case) -> list[str]:
    """The texts that a prompt shows of *case*."""
    claim = case.claim
    passages = [text for passage in case.passages for text in (passage.title, passage.text)]
    return [text for text in (*passages, claim.text, claim.context, case.source, case.question) if text]


def make_judgement(truth: Truth, *, labels: int) -> Judgement:
    """The judgement for a verdict; the module's table has every case."""
    if truth == "true":
        return Judgement(1.0, 0.0)
    return Judgement(0.0, 1.0 if truth == "false" and labels == 3 else 0.0)


def _has_words(passage: Passage) -> bool:
    return bool(passage.text.strip() or (passage.title or "").strip())


def _format_passage(passage: Passage) -> str:
    return f"Title: {passage.title}\n{passage.text}" if passage.title else passage.text
