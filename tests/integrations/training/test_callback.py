"""The callback and `compute_metrics` inside real trainings of tiny models on a processor."""

import math

import pytest
import torch
from tiny_training import HELD_OUT, make_model, make_tokenizer
from transformers import (
    DataCollatorForSeq2Seq,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
)

from fas.integrations.training import FasCallback, FasReward, compute_metrics
from fas.integrations.training.answering import generate_answers


def make_trainer(folder, *, steps=4, **settings):
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
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


def test_the_mean_reward_is_logged_beside_the_score(tmp_path):
    trainer = make_trainer(tmp_path, steps=2, learning_rate=0.0)
    asked = {"prompt": lambda row: "metformin lowers"}
    reward = FasReward(unscored=-1.0)
    FasCallback(HELD_OUT, generate=GENERATE, reward=reward, **asked).attach(trainer)
    trainer.train()
    answers = generate_answers(trainer.model, trainer.processing_class, HELD_OUT, **GENERATE, **asked)
    columns = {name: [row[name] for row in HELD_OUT] for name in ("question", "references", "passages")}
    earned = reward(None, answers, **columns)
    assert fas_logs(trainer)[0]["eval_fas_reward"] == pytest.approx(sum(earned) / len(earned))


def test_the_best_model_is_chosen_by_fas(tmp_path):
    trainer = make_trainer(
        tmp_path,
        steps=24,
        eval_steps=8,
        learning_rate=0.05,
        save_strategy="best",
        metric_for_best_model="fas_evidence",
        greater_is_better=True,
    )
    FasCallback(HELD_OUT, generate=GENERATE, prompt=lambda row: "metformin lowers").attach(trainer)
    trainer.train()
    logs = fas_logs(trainer)
    known = {entry["eval_fas_step"]: entry["eval_fas_evidence"] for entry in logs if has_value(entry)}
    best = max(known, key=lambda step: (known[step], -step))  # the first of equals
    assert trainer.state.best_metric == known[best]
    assert trainer.state.best_model_checkpoint == str(tmp_path / f"checkpoint-{best:.0f}")


def has_value(entry):
    return not math.isnan(entry["eval_fas_evidence"])


def test_a_failed_scoring_is_a_gap_and_not_the_end_of_the_training(tmp_path, caplog):
    trainer = make_trainer(tmp_path)
    rows = [{**row, "passages": 7} for row in HELD_OUT]  # what the scorer refuses
    FasCallback(rows, generate=GENERATE).attach(trainer)
    assert trainer.train().global_step == 4
    assert fas_logs(trainer) == []
    assert "could not be scored" in caplog.text


@pytest.mark.parametrize(
    ("rows", "message"), [([], "no held-out rows"), ([{"question": "Q?"}, {"question": " "}], "row 2 has no question")]
)
def test_rows_without_a_question_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        FasCallback(rows)


LEARNT = ("metformin lowers glucose in adults .", "aspirin relieves pain .")


def make_seq2seq(folder, **settings):
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(tokenizer),
            d_model=16,
            d_kv=8,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            dropout_rate=0.0,
            pad_token_id=0,
            eos_token_id=2,
            decoder_start_token_id=0,
        )
    )
    rows = [
        {
            "input_ids": tokenizer(row["question"])["input_ids"],
            "labels": [*tokenizer(answer)["input_ids"], tokenizer.eos_token_id],
        }
        for row, answer in zip(HELD_OUT, LEARNT, strict=True)
    ]
    return Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments(
            output_dir=str(folder),
            max_steps=30,
            learning_rate=0.05,
            per_device_train_batch_size=2,
            per_device_eval_batch_size=1,  # so that the second is padded with -100 up to the first
            predict_with_generate=True,
            generation_max_length=10,
            eval_strategy="steps",
            eval_steps=15,
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
            **settings,
        ),
        train_dataset=rows,
        eval_dataset=rows,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model),
        processing_class=tokenizer,
        compute_metrics=compute_metrics(tokenizer, HELD_OUT),
    )


def test_a_sequence_to_sequence_model_is_scored_by_what_it_generates_and_by_the_callback_alike(tmp_path):
    trainer = make_seq2seq(tmp_path, save_strategy="best", metric_for_best_model="fas", greater_is_better=True)
    trainer.train()
    found = [entry for entry in trainer.state.log_history if "eval_fas" in entry]
    assert found[-1]["eval_rouge1"] >= 0.9  # it has learnt the two answers
    assert found[-1]["eval_support"] >= 0.5
    assert trainer.state.best_metric == max(entry["eval_fas"] for entry in found if not math.isnan(entry["eval_fas"]))

    trainer.compute_metrics = None
    FasCallback(HELD_OUT, generate={"max_new_tokens": 9}).attach(trainer)
    answered = trainer.evaluate()
    assert {name: answered[f"eval_fas_{name}"] for name in ("support", "contra")} == {
        name: found[-1][f"eval_{name}"] for name in ("support", "contra")
    }
    assert answered["eval_fas"] == pytest.approx(found[-1]["eval_fas"])
