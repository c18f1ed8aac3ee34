"""The callback and `compute_metrics` inside real trainings of tiny models on a processor."""

import json
import math

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
)

from fas.training import FasCallback, compute_metrics

WORDS = "metformin lowers blood glucose . does it ? aspirin relieves pain yes no what the in adults".split()
HELD_OUT = [
    {"question": question, "references": [reference], "passages": [passage]}
    for question, reference, passage in (
        ("does metformin lowers glucose ?", "Metformin lowers glucose.", "Metformin lowers glucose."),
        ("what relieves pain ?", "Aspirin relieves pain.", "Aspirin relieved pain."),
    )
]


def make_tokenizer():
    words = {word: number for number, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def make_trainer(folder, *, steps=4, **settings):
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
        )
    )
    ids = tokenizer("metformin lowers blood glucose in adults .")["input_ids"]
    rows = [{"input_ids": ids, "attention_mask": [1] * len(ids), "labels": ids}] * 8
    options = {"eval_strategy": "steps", "eval_steps": 2, "save_strategy": "no", **settings}
    return Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(folder),
            max_steps=steps,
            per_device_train_batch_size=2,
            logging_steps=1,
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
            **options,
        ),
        train_dataset=rows,
        eval_dataset=rows[:2],
        processing_class=tokenizer,
    )


def fas_logs(trainer):
    return [entry for entry in trainer.state.log_history if "eval_fas_step" in entry]


GENERATE = {"max_new_tokens": 6, "do_sample": False}


def test_each_evaluation_is_scored_in_the_background_and_logged_in_order(tmp_path):
    trainer = make_trainer(tmp_path)
    FasCallback(HELD_OUT, generate=GENERATE).attach(trainer)
    trainer.train()
    logs = fas_logs(trainer)
    assert [entry["eval_fas_step"] for entry in logs] == [2.0, 4.0]
    assert {"eval_fas", "eval_fas_evidence", "eval_fas_support", "eval_fas_unscored"} <= set(logs[0])


def test_every_n_steps_without_an_evaluation_and_from_a_file(tmp_path):
    path = tmp_path / "heldout.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in HELD_OUT), encoding="utf-8")
    trainer = make_trainer(tmp_path / "out", eval_strategy="no")
    trainer.add_callback(FasCallback(path, every=3, generate=GENERATE))
    trainer.train()
    assert [entry["eval_fas_step"] for entry in fas_logs(trainer)] == [3.0]


def test_the_best_model_is_chosen_by_fas(tmp_path):
    trainer = make_trainer(
        tmp_path,
        save_strategy="best",
        metric_for_best_model="fas_evidence",
        greater_is_better=True,
    )

    def answered(row):
        return "metformin lowers"

    FasCallback(HELD_OUT, generate=GENERATE, prompt=answered).attach(trainer)
    trainer.train()
    values = [entry["eval_fas_evidence"] for entry in fas_logs(trainer)]
    known = [value for value in values if not math.isnan(value)]
    if known:
        assert trainer.state.best_metric == pytest.approx(max(known))
    else:
        assert trainer.state.best_metric in (None, float("-inf"))


def test_a_failed_scoring_is_a_gap_and_not_the_end_of_the_training(tmp_path, caplog):
    trainer = make_trainer(tmp_path)
    rows = [{**row, "passages": 7} for row in HELD_OUT]  # what the scorer refuses
    FasCallback(rows, generate=GENERATE).attach(trainer)
    assert trainer.train().global_step == 4
    assert fas_logs(trainer) == []
    assert "could not be scored" in caplog.text


def test_only_the_first_process_answers(tmp_path):
    trainer = make_trainer(tmp_path)
    trainer.state.is_world_process_zero = False
    callback = FasCallback(HELD_OUT, every=1, generate=GENERATE)
    callback.on_step_end(trainer.args, trainer.state, trainer.control, model=trainer.model)
    assert not callback._waiting


def test_the_model_is_left_in_training_mode_and_the_tokenizer_as_it_was(tmp_path):
    trainer = make_trainer(tmp_path)
    side = trainer.processing_class.padding_side
    trainer.model.train()
    callback = FasCallback(HELD_OUT, generate=GENERATE, background=False)
    callback._begin(1, {"model": trainer.model, "processing_class": trainer.processing_class})
    assert trainer.model.training
    assert trainer.processing_class.padding_side == side


@pytest.mark.parametrize(
    ("rows", "message"), [([], "no held-out rows"), ([{"question": "Q?"}, {"question": " "}], "row 2 has no question")]
)
def test_rows_without_a_question_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        FasCallback(rows)


def test_generated_tokens_are_decoded_without_padding_and_matched_by_order():
    tokenizer = make_tokenizer()

    class Predicted:
        predictions = torch.tensor(
            [
                tokenizer("metformin lowers glucose .")["input_ids"],
                [*tokenizer("aspirin relieves pain")["input_ids"], -100],
            ]
        ).numpy()

    compute = compute_metrics(tokenizer, HELD_OUT)
    values = compute(Predicted)
    assert all(isinstance(value, float) for value in values.values())
    assert values["support"] > 0
    with pytest.raises(ValueError, match="2 predictions for 1 rows"):
        compute_metrics(tokenizer, HELD_OUT[:1])(Predicted)
