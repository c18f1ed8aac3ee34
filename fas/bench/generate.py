"""Answers of models to a benchmark's questions: prompted, batched, kept on disk, resumed.

The study's method: greedy decoding, at most 512 new tokens, and one of two prompts, a short one for questions (BioASQ
factoid and list, PubMedQA) and one that asks for a summary (BioASQ summary, MedLFQA). The prompts ask for the same in
our words; a file of one's own takes their place. The study's fourth row, PubMedBERT, generates nothing: it gives the
question's own abstract for the answer (`CopiedAbstract`).

A file of answers grows by a batch at a time, each on disk before the next begins, so that a killed run resumes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from fas.bench.dataset import Candidate, Item, Template
from fas.core.checks import whole_number
from fas.core.errors import InputError, ProfileError
from fas.core.guards.reasoning import remove_reasoning
from fas.llm.messages import ChatModel, Message, Prompt, Reply
from fas.llm.prompt_files import PromptFile, load_prompt_file
from fas.pipeline.runs.lines import Lines
from fas.pipeline.runs.loop import RunLoop
from fas.text.choices.options import options_text

ABSTRACT = "abstract"
_PUBMEDBERT = "microsoft/BiomedNLP-PubMedBERT-base-uncased-abstract"
MAX_NEW_TOKENS = 512
_KINDS: Mapping[str, Template] = {"factoid": "qa", "list": "qa", "yesno": "qa", "summary": "summary"}


class Generation(NamedTuple):
    """One answer, or why there is none (*failure*); *finish* is `stop`, `length` for one cut off, or None."""

    text: str = ""
    finish: str | None = None
    failure: str | None = None


class Generator(Protocol):
    """Anything that answers questions; *identity* pins the answers: weights, number format, settings."""

    name: str
    identity: str
    batch_size: int

    def answer(self, items: Sequence[Item], prompts: Sequence[str]) -> list[Generation]:
        """One answer per question, in order, or a failure.

        A RunStopped where nothing works at all; what was finished is kept.
        """


def read_question_prompt(source: str) -> PromptFile:
    """The built-in prompt called *source* (`qa`, `summary`), or the one in the file *source*.

    Its user message holds `{question}`. With `{options}`, the stem of a multiple-choice question and its options are
    filled in apart; without, `{question}` is the whole question.

    Raises:
        ProfileError: There is no such prompt, it has no `{question}`, or it has a system message, which a question to
            an evaluation harness cannot carry.
    """
    prompt = load_prompt_file(
        source, package="fas.bench.prompts", placeholders=("question", "options"), required=("question",)
    )
    if prompt.system is not None:
        raise ProfileError(f"prompt {prompt.name}: field 'system' is not allowed here; put its words into 'user'")
    return prompt


def prompt_for(item: Item, default: Template, prompt: PromptFile | None = None) -> str:
    """The words that ask *item*: by *prompt*, or by the built-in prompt for its options, its kind, else *default*.

    >>> prompt_for(Item("1", "What is BRCA1?", (), kind="factoid"), "summary").splitlines()[0]
    'Give a short and correct answer to this medical question.'
    """
    options = options_text(item.meta["options"]) if item.meta.get("options") else None
    if prompt is None and options is None:
        prompt = read_question_prompt(_KINDS.get(item.kind or "", default))
    if prompt is None:  # as `fas revise` asks
        names = ("knowledge", "question", "options")
        prompt = load_prompt_file("choice", package="fas.leaf.prompts", placeholders=names, required=names[1:])
    apart = options is not None and "{options}" in prompt.user
    return prompt.text({"question": str(item.meta["stem"]) if apart else item.question.strip(), "options": options})


def make_generator(model: str, **options: Any) -> Generator:
    """The generator called *model*.

    *model*: `abstract` (or the study's PubMedBERT) copies the question's abstract; `transformers:NAME_OR_FOLDER`, or a
    name with a slash or a folder, runs here, in FP16 on a GPU as in the study and in FP32 on a processor; an
    OpenAI-compatible endpoint answers for `openai:MODEL`, any other name, or any with the option `base_url`.
    *options*: `max_new_tokens` (512), `batch_size`, and those of `fas.llm.chat_model`; None leaves one out.

    Raises:
        LookupError: There is no such model.
        ValueError: An option is not known or has an impossible value.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if model in (ABSTRACT, _PUBMEDBERT):
        return CopiedAbstract()
    from fas.llm import chat_model

    longest = given.pop("max_new_tokens", MAX_NEW_TOKENS)
    kind, colon, name = model.partition(":")
    local = not colon and ("/" in model or Path(model).is_dir()) and "base_url" not in given
    if local or (colon and kind == "transformers"):
        import torch

        name = name if colon else model
        given = {"precision": "fp16" if torch.cuda.is_available() else "fp32", "batch_size": 8, **given}
        asked, size = chat_model(f"transformers:{name}", **given), given["batch_size"]
        name = Path(name).resolve().name if Path(name).is_dir() else name
    else:
        size = given.pop("batch_size", 16)
        asked, name = chat_model(model, **given), name if colon and kind == "openai" else model
    return CandidateGenerator(asked, name=name, max_new_tokens=longest, batch_size=size)


class CopiedAbstract:
    """The study's PubMedBERT row: an encoder cannot write, so that the answer is PubMedQA's abstract.

    It comes without its conclusion, which is the reference.
    """

    name = "PubMedBERT (abstract)"
    identity = "abstract"
    batch_size = 64

    def answer(self, items: Sequence[Item], prompts: Sequence[str]) -> list[Generation]:
        """The abstracts; a failure for a question that has none."""
        del prompts
        none = Generation(failure="the question comes with no abstract to copy (only PubMedQA's do)")
        return [Generation(str(i.meta["abstract"]), "stop") if i.meta.get("abstract") else none for i in items]


class CandidateGenerator:
    """A language model of `fas.llm`, which keeps its replies in a cache.

    The prompt is a user's message: a model run here gets it inside its own chat template, if it has one. The
    study does not say whether it did that, but its checkpoints were tuned on nothing else. A ValueError where
    *max_new_tokens* (of one answer) or *batch_size* (questions sent at a time) is below 1.
    """

    def __init__(self, model: ChatModel, *, name: str, max_new_tokens: int, batch_size: int) -> None:
        self.name, self.batch_size = name, whole_number("batch_size", batch_size)
        self._model, self._max_new_tokens = model, whole_number("max_new_tokens", max_new_tokens)
        self.identity = f"{model.signature}|{max_new_tokens}"

    def answer(self, items: Sequence[Item], prompts: Sequence[str]) -> list[Generation]:
        """The replies; a withheld or refused one is the text that came, which may be empty."""
        del items
        asked = [Prompt((Message("user", prompt),), max_tokens=self._max_new_tokens) for prompt in prompts]
        return [_read_reply(reply) for reply in self._model.complete(asked)]


def _read_reply(reply: Reply) -> Generation:
    outside = remove_reasoning(reply.text)
    if outside.cut_off and reply.failure is None:
        return Generation("", reply.finish, "the answer was cut off while the model was thinking")
    return Generation(outside.text.strip(), reply.finish, reply.failure)


class Generated(NamedTuple):
    """The answers of a generator in the order of the questions, and why questions (by id) *failed*."""

    candidates: tuple[Candidate, ...]
    failed: Mapping[str, str]
    n_cut: int


def generate(
    items: Sequence[Item], generator: Generator, path: Path, *, default: Template, prompt: PromptFile | None = None
) -> Generated:
    """Answer *items*, going on where an earlier run stopped.

    *path*: file of the answers, one JSON object a line; made or added to. Answers there to the same prompt by the same
    generator are kept; failures are tried again. *default*: prompt of questions whose kind does not decide it.

    Raises:
        InputError: The file holds answers of another generator, or cannot be read or written.
        RunStopped: Nothing works at all; what was finished is in the file.
    """
    prompts = {item.id: prompt_for(item, default, prompt) for item in items}
    failed: dict[str, str] = {}

    def is_of_prompt(record: Mapping[str, Any]) -> bool:
        """An answer to another wording of the question stays in the file and is not used."""
        if record["generator"] != generator.identity:
            raise InputError(
                f"was generated by {record['generator']!r}, now it is {generator.identity!r}; give another folder with "
                "-o, or delete this file",
                kind="other_run",
            )
        return bool(prompts.get(record["item"]) == record["prompt"])

    kept = Lines(path, key="item", holds=is_of_prompt)
    kept.trim_partial_line()

    def answer(batch: Sequence[Item]) -> list[dict[str, Any]]:
        records = []
        answers = generator.answer(batch, [prompts[item.id] for item in batch])
        for item, one in zip(batch, answers, strict=True):
            if one.failure is not None:
                failed[item.id] = one.failure
                continue
            said = {"item": item.id, "prompt": prompts[item.id], "text": one.text, "finish": one.finish}
            records.append({**said, "model": generator.name, "generator": generator.identity})
        return records

    RunLoop[Item](kept, size=generator.batch_size).run(lambda: items, lambda chunks: map(answer, chunks))
    candidates = tuple(
        Candidate(item.id, generator.name, 0, str(one["text"]), meta={"finish": one["finish"]})
        for item in items
        if (one := kept.get(item.id)) is not None
    )
    return Generated(candidates, failed, sum(one.meta["finish"] == "length" for one in candidates))
