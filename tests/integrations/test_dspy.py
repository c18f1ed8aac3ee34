"""The metric of the docs inside DSPy's own evaluation; run by `make test-integrations`."""

import pytest
from harness_page import blocks

dspy = pytest.importorskip("dspy", reason="DSPy is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")


def test_the_metric_of_the_page_gives_means_and_refuses_by_a_threshold():
    (code,) = blocks("DSPy", "python")
    named = {}
    exec(code, named)
    metric = named["fas_metric"]

    class Program(dspy.Module):
        def forward(self, question):
            return dspy.Prediction(answer="Metformin lowers glucose." if "do" in question else "It raises glucose.")

    examples = [
        dspy.Example(question=question, passages=["Metformin lowered glucose."]).with_inputs("question")
        for question in ("What does metformin do?", "Is metformin bad?")
    ]
    good, bad = (metric(example, Program()(**example.inputs())) for example in examples)
    assert good > bad
    assert metric(examples[0], Program()(**examples[0].inputs()), trace=[]) is True
    result = dspy.Evaluate(devset=examples, metric=metric, num_threads=1)(Program())
    assert result.score == pytest.approx(100 * (good + bad) / 2, abs=0.01)
