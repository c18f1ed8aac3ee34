"""Claims by a language model, a sentence at a time.

Every sentence of an answer is one request. A sentence whose reply cannot be used (unparsable, empty,
refused, withheld, cut off, never came) does not vanish: it comes back as one claim, the sentence
itself, with the reason as its `failure`. The pipeline calls such a claim `unverified`: it is left out
of the shares and counted in `n_unverified`, as every claim is that could not be checked. The rest of
the answer is scored, because losing a whole answer for one sentence would lose long answers most often.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from fas.claims.llm.asking import ask
from fas.claims.llm.decontextualise import DecontextualisedStatement, Decontextualiser
from fas.claims.llm.digest import llm_claims_digest
from fas.claims.llm.lines import NON_CLAIM, Subclaim, UnreadableReply, is_bare, parse_lines
from fas.claims.llm.prompts import DecomposerPrompt, load_prompt
from fas.claims.llm.replies import PAIRS_SCHEMA, ReplyFailure, parse_pairs
from fas.claims.llm.units import Unit, answer_units, surroundings, window
from fas.core.checks import count_of, is_whole
from fas.core.records import Answer, Claim
from fas.core.records.digests import SHOWN
from fas.core.records.signature import PartSignature
from fas.llm import chat_model
from fas.llm.messages import ChatModel, Prompt
from fas.llm.tally import ReplyTally

Order = Literal["none", "before", "after"]
Form = Literal["subclaim", "decontextualised"]
_PLACEHOLDERS = frozenset({"sentence", "context", "window", "question"})
_RESERVED = re.compile(r"[|:,\[\]\s]")


MOST = 5_000
"""An answer has no more claims than this; a sentence beyond it is a failure, and nothing is asked about it."""


@dataclass(frozen=True, slots=True)
class Method:
    """What distinguishes one decomposition from another.

    Attributes:
        name: Name of the extractor and of its built-in prompt.
        reply: `lines`, or `pairs` of subclaims and decontextualised forms.
        shows: The placeholder without which a request does not say what to decompose.
        max_tokens: The longest reply by default.
        unique: A claim that occurs twice in an answer is kept once.
    """

    name: str
    reply: Literal["lines", "pairs"]
    shows: Literal["sentence", "window"]
    max_tokens: int
    unique: bool = False


class _Read(NamedTuple):
    """The claims of a reply, with the sentence of the prompt's example whose reply it repeats word for word, if any."""

    claims: list[Subclaim]
    copied: str | None


class _Item(NamedTuple):
    """A sentence with its place, and how it is put to the model (or why it cannot be)."""

    answer: int
    place: int
    unit: Unit
    wording: str | ReplyFailure


class Decomposer:
    """Base of the language-model extractors; a subclass says what its request looks like.

    Args:
        model: Name for `fas.llm.chat_model`, or a `ChatModel`.
        prompt: A built-in prompt (`medscore.v1`) or the path of a `.toml` file in its place.
        decontextualise: `before`: each sentence is first rewritten so that it can be read alone, then
            decomposed, and is the `context` of its claims. `after`: each claim is rewritten.
        decontextualise_model: Another model for that, by name or a `ChatModel`.
        form: Which wording is the claim's text, searched for and verified, where there are two:
            `subclaim` (the other is its `context`) or `decontextualised`.
        base_url: Endpoint of the model; see `fas.llm.chat_model`.
        concurrency: Requests at a time.
        max_tokens: The longest reply; a longer one is a failure, never half a list.

    Raises:
        ValueError: An option is impossible, or the prompt file cannot be used.
    """

    method: ClassVar[Method]
    text_alone = False
    """It waits for a model, with time-outs of its own: `text_timeout` is none of its matter."""

    def __init__(
        self,
        *,
        model: str | ChatModel | None = None,
        prompt: str | None = None,
        decontextualise: Order = "none",
        decontextualise_model: str | ChatModel | None = None,
        form: Form | None = None,
        base_url: str | None = None,
        concurrency: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        method = self.method
        self._check("decontextualise", decontextualise, get_args(Order))
        if form is not None:
            self._check("form", form, get_args(Form))
        if max_tokens is not None and (not is_whole(max_tokens) or max_tokens < 1):
            raise ValueError(self._says(f"`max_tokens` must be a whole number of at least 1, got {max_tokens!r}"))
        two_forms = method.reply == "pairs" or decontextualise == "after"
        if method.reply == "pairs" and decontextualise == "after":
            raise ValueError(
                self._says("it decontextualises its claims itself; `decontextualise` is 'none' or 'before'")
            )
        if form is not None and not two_forms:
            raise ValueError(
                self._says('`form` chooses between two wordings, but without `decontextualise = "after"` there is one')
            )
        # A rewritten claim that no verifier looked at would be paid for in vain; DnDScore's verifier looks at both.
        self.form: Form = form or ("subclaim" if method.reply == "pairs" else "decontextualised")
        self.order: Order = decontextualise
        self.max_tokens = max_tokens or method.max_tokens
        self.prompt: DecomposerPrompt = load_prompt(
            prompt or method.name,
            reply=method.reply,
            allowed=_PLACEHOLDERS,
            required=frozenset({method.shows}),
        )
        self._examples = self._read_examples()
        self._tally = ReplyTally()
        self._n_without = 0
        self.model = self._chat_model(model, base_url, concurrency)
        if decontextualise_model is not None and decontextualise == "none":
            raise ValueError(
                self._says("`decontextualise_model` is for `decontextualise`, which is 'none': nothing is rewritten")
            )
        rewriter = (
            self.model
            if decontextualise_model is None
            else self._chat_model(
                decontextualise_model,
                base_url if isinstance(decontextualise_model, str) else None,
                concurrency if isinstance(decontextualise_model, str) else None,
            )
        )
        self._decontextualiser = (
            None if decontextualise == "none" else Decontextualiser(rewriter, max_tokens=self.max_tokens)
        )

    @property
    def signature(self) -> str:
        """`medscore[gpt-4o-mini,prompt=1-abcdef12,code=12345678]`, with every option that can change a claim."""
        parts = [self.model.signature, f"prompt={self.prompt.signature}"]
        if self._decontextualiser is not None:
            other = self._decontextualiser.model.signature
            own = f"@{other}" if other != self.model.signature else ""
            parts.append(f"{self.order}={self._decontextualiser.signature}{own}")
        if self.method.reply == "pairs" or self.order == "after":
            parts.append(f"form={self.form}")
        if self.max_tokens != self.method.max_tokens:
            parts.append(f"max={self.max_tokens}")
        parts.append(f"code={llm_claims_digest()[:SHOWN]}")
        return PartSignature(self.method.name, *(_RESERVED.sub("_", part) for part in parts))

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The claims of each answer, in the order of the text; those of one sentence as the model gave them.

        The span of a claim is its sentence. A sentence that failed is one claim with a `failure`.

        Raises:
            RunStopped: The model cannot be reached at all, or the budget is spent.
        """
        units = [answer_units(answer.prediction) for answer in answers]
        items = self._word_items(answers, units)
        usable = [item for item in items if not isinstance(item.wording, ReplyFailure)]
        texts = [[unit.text for unit in several] for several in units]
        prompts = (self._make_request(answers[item.answer], texts[item.answer], item) for item in usable)
        outcomes = ask(self.model, prompts, self._read)
        found = {
            (item.answer, item.place): self._refuse_copied(item, outcome)
            for item, outcome in zip(usable, outcomes, strict=True)
        }
        self._tally.count(outcome.reason if isinstance(outcome, ReplyFailure) else None for outcome in found.values())
        self._n_without += sum(not outcome for outcome in found.values() if not isinstance(outcome, ReplyFailure))
        claims: list[list[Claim]] = [[] for _ in answers]
        for item in items:
            outcome = item.wording if isinstance(item.wording, ReplyFailure) else found[item.answer, item.place]
            if not isinstance(outcome, ReplyFailure) and len(claims[item.answer]) + len(outcome) > MOST:
                outcome = ReplyFailure(f"the answer has too many claims: at most {MOST} are verified")
            claims[item.answer].extend(self._make_claims(item, outcome))
        if self.order == "after":
            claims = self._rewrite_claims(answers, claims)
        return [_drop_repeated(several) if self.method.unique else several for several in claims]

    def recount(self) -> None:
        """Forget what was counted."""
        self._tally = ReplyTally()
        self._n_without = 0

    def notes(self) -> list[str]:
        """How many replies could not be used and why; and how many sentences have no claim by the model's word.

        A weak model says of plain statements that they state nothing: the score is then one of few claims.
        """
        notes = []
        if self._n_without:
            sentences = count_of(self._tally.n, "sentence")
            notes.append(self._says(f"the model found no claim in {self._n_without} of {sentences}"))
        unusable = self._tally.note()
        if unusable is not None:
            notes.append(self._says(f"{unusable}; each leaves an unverified claim"))
        return notes

    def _parse(self, text: str) -> list[Subclaim]:
        return parse_pairs(text) if self.method.reply == "pairs" else parse_lines(text)

    def _read(self, text: str) -> _Read:
        claims = self._parse(text)
        key: object = tuple(claims) or " ".join(text.split())
        return _Read(claims, self._examples.get(key))

    def _read_examples(self) -> dict[object, str]:
        """What the prompt's examples reply, to the sentence they reply to: claims, else the text."""
        found: dict[object, str] = {}
        for example in self.prompt.examples:
            sentence = example.get("sentence") or example.get("window") or ""
            try:
                claims = tuple(self._parse(example["reply"]))
            except UnreadableReply:  # an example of the user's own need not be readable
                continue
            if claims or self.method.reply == "pairs":
                found[claims or " ".join(example["reply"].split())] = sentence
        return found

    def _refuse_copied(self, item: _Item, outcome: _Read | ReplyFailure) -> list[Subclaim] | ReplyFailure:
        """The claims, unless they are those of an example about something else."""
        if isinstance(outcome, ReplyFailure):
            # "- Yes" says of the sentence "Yes." what it holds: nothing that can be checked.
            return [] if is_bare(item.unit.text) and outcome.reason.startswith(NON_CLAIM) else outcome
        if outcome.copied is None or item.unit.text in outcome.copied:
            return outcome.claims
        if not outcome.claims and "?" in item.unit.text:
            return outcome.claims  # what the example says of a question holds for this one, too
        return ReplyFailure("the reply repeats an example of the prompt")

    def _word_items(self, answers: Sequence[Answer], units: Sequence[Sequence[Unit]]) -> list[_Item]:
        items = [
            _Item(a, place, unit, unit.text) for a, several in enumerate(units) for place, unit in enumerate(several)
        ]
        if self._decontextualiser is None or self.order != "before":
            return items
        rewritten = self._decontextualiser.rewrite([_make_statement(i.unit, answers[i.answer]) for i in items])
        return [item._replace(wording=wording) for item, wording in zip(items, rewritten, strict=True)]

    def _make_request(self, answer: Answer, texts: Sequence[str], item: _Item) -> Prompt:
        assert isinstance(item.wording, str)
        values = {
            "sentence": item.wording,
            "context": surroundings(answer.prediction, item.unit.start, item.unit.end),
            "window": window(texts, item.place, answer.question, wording=item.wording),
            "question": answer.question or "",
        }
        schema: Mapping[str, Any] | None = PAIRS_SCHEMA if self.method.reply == "pairs" else None
        return Prompt(self.prompt.messages(values), schema=schema, max_tokens=self.max_tokens)

    def _make_claims(self, item: _Item, outcome: list[Subclaim] | ReplyFailure) -> list[Claim]:
        _, start, end = item.unit
        if isinstance(outcome, ReplyFailure):
            return [Claim(item.unit.text, start, end, failure=f"{self.method.name}: {outcome.reason}")]
        sentence = item.wording if self.order == "before" and isinstance(item.wording, str) else None
        claims = []
        for subclaim in outcome:
            text, context = subclaim.text, subclaim.decontextualised or sentence
            if subclaim.decontextualised is not None and self.form == "decontextualised":
                text, context = subclaim.decontextualised, sentence
            claims.append(Claim(text, start, end, context=context))
        return claims

    def _rewrite_claims(self, answers: Sequence[Answer], claims: Sequence[Sequence[Claim]]) -> list[list[Claim]]:
        assert self._decontextualiser is not None
        flat = [(a, claim) for a, several in enumerate(claims) for claim in several]
        usable = [(a, claim) for a, claim in flat if claim.failure is None]
        outcomes = self._decontextualiser.rewrite([_make_statement(claim, answers[a]) for a, claim in usable])
        rewritten = iter(outcomes)
        result: list[list[Claim]] = [[] for _ in claims]
        for a, claim in flat:
            outcome = next(rewritten) if claim.failure is None else None
            result[a].append(claim if outcome is None else self._put_form(claim, outcome))
        return result

    def _put_form(self, claim: Claim, outcome: str | ReplyFailure) -> Claim:
        if isinstance(outcome, ReplyFailure):
            reason = f"decontextualise: {outcome.reason}"
            return Claim(claim.text, claim.start, claim.end, failure=reason)
        if self.form == "decontextualised":
            return Claim(outcome, claim.start, claim.end)
        return Claim(claim.text, claim.start, claim.end, context=outcome)

    def _chat_model(self, model: str | ChatModel | None, base_url: str | None, concurrency: int | None) -> ChatModel:
        if model is None or model == "":
            raise ValueError(
                self._says(
                    "it needs the name of a language model: --model NAME, or `model` in the profile's [claims] table"
                )
            )
        options = {"base_url": base_url, "concurrency": concurrency}
        given = {name: value for name, value in options.items() if value is not None}
        if isinstance(model, str):
            return chat_model(model, **given)
        if given:
            raise ValueError(self._says(f"`{next(iter(given))}` goes with the name of a model, but a model was given"))
        return model

    def _check(self, option: str, value: object, allowed: Sequence[str]) -> None:
        if value not in allowed:
            raise ValueError(self._says(f"`{option}` must be one of {', '.join(map(repr, allowed))}, got {value!r}"))

    def _says(self, problem: str) -> str:
        return f"claim extractor {self.method.name!r}: {problem}"


def _make_statement(taken: Unit | Claim, answer: Answer) -> DecontextualisedStatement:
    """A sentence or a claim with the answer around it, and the question."""
    assert taken.start is not None
    assert taken.end is not None
    around = surroundings(answer.prediction, taken.start, taken.end)
    return DecontextualisedStatement(
        taken.text, f"Question: {answer.question}\n\nAnswer: {around}" if answer.question else around
    )


def _drop_repeated(claims: Sequence[Claim]) -> list[Claim]:
    """The first of equal claims; failures all stay."""
    seen: set[str] = set()
    kept = []
    for claim in claims:
        if claim.failure is not None or claim.text not in seen:
            kept.append(claim)
        if claim.failure is None:
            seen.add(claim.text)
    return kept
