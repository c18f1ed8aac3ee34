"""The reward inside a real GRPO run of two steps; needs the extra `trl`."""

import pytest
import torch
from tiny_training import HELD_OUT, make_model, make_tokenizer

from fas.integrations.training import FasReward

trl = pytest.importorskip("trl", reason="trl is not installed: pip install 'fact-aligned-score[trl]'")
datasets = pytest.importorskip("datasets")


@pytest.mark.slow
def test_grpo_trains_two_steps_on_the_reward(tmp_path):
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    rows = [{"prompt": row["question"], "question": row["question"], "passages": row["passages"]} for row in HELD_OUT]
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=FasReward(unscored=0.0),
        args=trl.GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=2,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=8,
            logging_steps=1,
            report_to="none",
            use_cpu=True,
            bf16=False,
            disable_tqdm=True,
        ),
        train_dataset=datasets.Dataset.from_list(rows * 4),
        processing_class=tokenizer,
    )
    assert trainer.train().global_step == 2
    logged = [entry for entry in trainer.state.log_history if "rewards/fas/mean" in entry]
    assert len(logged) == 2
    assert all("fas/unscored" in entry for entry in logged)
