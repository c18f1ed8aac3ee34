"""A scorer that is loaded once: the same scores as one call after the other, from threads and tasks at once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

import fas

ANSWERS = [
    {
        "id": str(number),
        "question": f"Does drug {number} help?",
        "prediction": f"Metformin lowers blood glucose. It causes weight gain in {number} patients.",
        "references": ["Metformin lowers glucose and does not cause weight gain."],
        "passages": ["Metformin reduced fasting glucose in adults. Weight did not increase."],
    }
    for number in range(1, 9)
]


def records(report):
    return [score.as_dict(5) for score in report.answers]


@pytest.fixture(scope="module")
def scorer():
    with fas.Scorer("mini") as made:
        yield made


def test_a_scorer_scores_as_score_answers_does(scorer):
    report = scorer.score(ANSWERS)
    assert records(report) == records(fas.score_answers(ANSWERS))
    assert report.signature == fas.score_answers(ANSWERS).signature


def test_calls_from_sixteen_threads_give_what_one_gives(scorer):
    expected = records(scorer.score(ANSWERS))
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: records(scorer.score(ANSWERS)), range(16)))
    assert all(each == expected for each in found)


def test_tasks_await_scores_while_the_loop_goes_on(scorer):
    async def several():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        ticking = asyncio.create_task(tick())
        reports = await asyncio.gather(*(scorer.ascore(ANSWERS[:2]) for _ in range(4)))
        ticking.cancel()
        return ticks, reports

    ticks, reports = asyncio.run(several())
    assert ticks > 0
    assert all(records(report) == records(reports[0]) for report in reports)


def test_a_closed_scorer_says_so():
    made = fas.Scorer("mini")
    made.close()
    made.close()
    with pytest.raises(ValueError, match="closed"):
        made.score(ANSWERS)
