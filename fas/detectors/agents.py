"""A detector in conversation with a critic of harm, a critic of explanations, and a reviewer.

Lasko et al., section 3.1 (Agentic). All conversations of a batch take their turn together, in one batch of requests.
Without draws every request is at temperature 0, and its cache key is the whole conversation, so that a killed run
repeats no request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from fas.core.cache import content_key
from fas.core.parts import Retriever
from fas.core.records import Answer, Claim
from fas.detectors.asking import Asker, Asking, check_positive, load_findings_prompt
from fas.detectors.dialogue import MAX_MESSAGES, Dialogue, DialogueRound, Role
from fas.detectors.records import DetectedFinding, Findings
from fas.detectors.replies import SCHEMA, as_json, read_findings
from fas.llm import Message, Prompt, Reply, parse_reply
from fas.llm.passages import merge_passages, number_passages
from fas.llm.tokens import estimate_tokens


def _make_schema(**types: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": of} for name, of in types.items()}, "required": [*types]}


CRITIC_SCHEMA = {**_make_schema(ok="boolean", feedback="string"), "additionalProperties": False}
REVIEWER_SCHEMA = {**_make_schema(approve="boolean", instruction="string"), "additionalProperties": False}
# Extra keys of a reply do no harm; the flags must be there.
_READ = {"critic": _make_schema(ok="boolean"), "reviewer": _make_schema(approve="boolean")}
_SHOWN: dict[Role, str] = {"harm": "Critic of harm", "explanation": "Critic of explanations"}
_SHOWN |= {"reviewer": "Reviewer", "detector": "Detector"}
_PLACEHOLDERS = ("question", "answer", "findings", "discussion", "passages", "complaint")
_WINDOW = 16_000


class Agents:
    """Detector, critics and reviewer in turns.

    Args:
        retriever: Passages for the critic of explanations, found by the explanation; None for its own knowledge.
        max_messages: The most messages of a conversation; then its last list is the result.
        window: Estimated tokens of a prompt; a longer one omits the oldest rounds, never question, answer or last list.
        asking: The model and its options (`fas.detectors.asking.Asking`).

    Raises:
        ValueError: An option is impossible.
    """

    def __init__(
        self,
        *,
        retriever: Retriever | None = None,
        max_messages: int = MAX_MESSAGES,
        window: int = _WINDOW,
        **asking: Unpack[Asking],
    ) -> None:
        check_positive("agents", "max_messages", max_messages)
        check_positive("agents", "window", window)
        self._retriever = None if retriever is None or retriever.signature == "none" else retriever
        self._most, self._window = max_messages, window
        self._asker = Asker("agents", **asking)
        self._prompts = {
            role: load_findings_prompt(f"agents-{role}", _PLACEHOLDERS, ("answer",))
            for role in ("detector", "harm", "explanation", "reviewer")
        }

    @property
    def signature(self) -> str:
        """E.g. `agents[gpt-5,prompts=1-5f0c2a9b/1-.../1-.../1-...,most=30,window=16000;index[...,k=3]]`."""
        prompts = "/".join(prompt.signature for prompt in self._prompts.values())
        parts = [self._asker.model.signature, f"prompts={prompts}", f"most={self._most}", f"window={self._window}"]
        source = "none" if self._retriever is None else self._retriever.signature
        return f"agents[{','.join([*parts, *self._asker.settings()])};{source}]"

    def detect(self, answers: Sequence[Answer]) -> list[Findings]:
        """The last list of each conversation; an empty answer has none.

        Raises:
            RunStopped: The model cannot be reached at all, or the budget is spent; the cache has the messages so far.
        """
        talks = [Dialogue(answer, most=self._most) for answer in answers if answer.prediction.strip()]
        while active := [talk for talk in talks if not talk.over]:
            passages = self._look_up_explanations([talk for talk in active if talk.turn == "explanation"])
            replies = self._asker.model.complete([self._request(talk, passages.get(id(talk))) for talk in active])
            for talk, reply in zip(active, replies, strict=True):
                _take(talk, reply)
        found = {talk.answer.id: talk.result() for talk in talks}
        return [found.get(answer.id) or Findings(answer.id) for answer in answers]

    def _request(self, talk: Dialogue, passages: str | None) -> Prompt:
        prompt = self._prompts[talk.turn]
        schema = {"detector": SCHEMA, "reviewer": REVIEWER_SCHEMA}.get(talk.turn, CRITIC_SCHEMA)
        values: dict[str, str | None] = {
            "question": talk.answer.question,
            "answer": talk.answer.prediction.strip(),
            "findings": json.dumps({"findings": as_json(talk.findings)}, ensure_ascii=False, indent=1)
            if talk.rounds
            else None,
            "passages": passages,
            "complaint": talk.complaint,
        }
        shown = list(talk.rounds)
        while True:
            messages = prompt.messages({**values, "discussion": _discussion(shown, talk.turn)})
            if len(shown) <= 1 or _tokens(messages) + self._asker.max_tokens <= self._window:
                break
            shown.pop(0)
        talk.dropped = max(talk.dropped, len(talk.rounds) - len(shown))
        return self._asker.prompt(messages, schema)

    def _look_up_explanations(self, talks: Sequence[Dialogue]) -> dict[int, str | None]:
        """The passages found for the explanations of each talk's list, as the critic reads them."""
        if self._retriever is None or not talks:
            return {}
        queries = [(talk, one) for talk in talks for one in talk.findings if one.explanation.strip()]
        results = self._retriever.retrieve(
            [Claim(one.explanation) for _, one in queries], [talk.answer for talk, _ in queries]
        )
        found: dict[int, str | None] = {}
        for talk in talks:
            own = [result for (other, _), result in zip(queries, results, strict=True) if other is talk]
            text = number_passages(merge_passages([result.passages for result in own]))
            failed = sum(result.failure is not None for result in own)
            note = f"({failed} of {len(own)} searches failed.)" if failed else None
            found[id(talk)] = "\n\n".join(part for part in (text, note) if part) or "(The searches found nothing.)"
        return found

    @staticmethod
    def made_up(prompt: Prompt) -> Reply:
        """For a dry run: a talk that goes on to the last message allowed."""
        words = content_key(prompt.messages[-1].content)[:8]  # no two messages are alike, so that no talk ends early
        if prompt.schema == CRITIC_SCHEMA:
            return Reply(json.dumps({"ok": False, "feedback": f"Look again ({words})."}), finish="stop")
        if prompt.schema == REVIEWER_SCHEMA:
            return Reply(json.dumps({"approve": False, "instruction": f"Revise it ({words})."}), finish="stop")
        finding = DetectedFinding("A sentence.", f"It is wrong ({words}).", harm="low", confidence=0.5)
        return Reply(json.dumps({"findings": as_json((finding,))}), finish="stop")


def _take(talk: Dialogue, reply: Reply) -> None:
    """Let *reply* have its effect."""
    if reply.failure is not None:
        talk.failed(f"the message of the {_SHOWN[talk.turn].lower()}: {reply.failure}")
        return
    if talk.turn == "detector":
        read = read_findings(reply, talk.answer.prediction)
        if read.failure is None:
            talk.listed(read.findings, read.left_out)
        elif read.again or talk.rounds:
            talk.unlisted(read.failure)
        else:
            # Refused, withheld or cut off before there was any list.
            talk.failed(read.failure)
        return
    parsed = parse_reply(reply, _READ["reviewer" if talk.turn == "reviewer" else "critic"])
    if not parsed.ok:
        talk.add_unreadable()
        return
    content: Mapping[str, Any] = parsed.value
    if talk.turn == "reviewer":
        instruction = _words(content.get("instruction"))
        # Neither approved nor told what to change: there is nothing to go on with.
        if not content["approve"] and instruction is None and not talk.rounds[-1].objections:
            talk.add_unreadable()
        else:
            talk.add_review(None if content["approve"] else (instruction or "Do what the critics ask."))
        return
    talk.add_criticism(None if content["ok"] else (_words(content.get("feedback")) or "This does not convince me."))


def _discussion(rounds: Sequence[DialogueRound], turn: Role) -> str | None:
    """The rounds as a prompt shows them: earlier lists and what was said, then what was said about the last list."""
    parts = []
    for i, one in enumerate(rounds):
        lines = [f"{_SHOWN[role]}: {text}" for role, text in one.remarks]
        if i < len(rounds) - 1:
            lines.insert(0, f"An earlier list: {json.dumps(as_json(one.findings), ensure_ascii=False)}")
        elif not lines and turn == "reviewer":
            lines.append("The critics have no objection to the list." if one.findings else "The list is empty.")
        parts += lines
    return "\n".join(parts) or None


def _tokens(messages: Iterable[Message]) -> int:
    return sum(estimate_tokens(message.content) for message in messages)


def _words(value: object) -> str | None:
    return value.strip() if isinstance(value, str) and value.strip() else None
