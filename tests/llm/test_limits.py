"""Requests and tokens per minute. Oracle: every window of the log, counted one by one, in simulated time."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.llm.limits import PromptRateLimiter


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting."""

    def __init__(self):
        super().__init__()
        self.now = 0.0
        select = self._selector.select

        def jump(timeout=None):
            events = select(0)
            if not events and timeout:
                self.now += timeout
            return events

        self._selector.select = jump

    def time(self):
        return self.now


def simulate(main):
    loop = SimulatedLoop()
    try:
        return loop.run_until_complete(main(loop))
    finally:
        loop.close()


def fullest(log, window_s):
    """The most requests and the most tokens in any half-open window of that length."""
    most = (0, 0)
    for start, _ in log:
        inside = [tokens for moment, tokens in log if start <= moment < start + window_s]
        most = (max(most[0], len(inside)), max(most[1], sum(inside)))
    return most


async def drive(loop, limiter, jobs):
    """Each job: when it asks, its tokens, how long it takes to leave, what it came to; returns what left when."""
    log = []

    async def one(at, tokens, leaving_s, actual):
        await asyncio.sleep(at)
        turn = await limiter.take_turn(tokens)
        await asyncio.sleep(leaving_s)
        limiter.left(turn)
        log.append((loop.time(), tokens))
        turn.tokens = actual

    await asyncio.gather(*(one(*job) for job in jobs))
    return sorted(log)


@given(
    st.lists(
        st.tuples(st.floats(0, 200), st.integers(1, 100), st.sampled_from([0.0, 0.0, 0.3, 5.0])),
        min_size=1,
        max_size=60,
    ),
    st.integers(1, 12) | st.none(),
    st.integers(100, 400) | st.none(),
)
@settings(max_examples=80, deadline=None)
def test_no_window_of_a_minute_ever_holds_more_than_the_limits(jobs, requests, tokens):
    async def main(loop):
        limiter = PromptRateLimiter(requests=requests, tokens=tokens, clock=loop.time)
        return await drive(loop, limiter, [(at, used, leaving, used) for at, used, leaving in jobs])

    log = simulate(main)
    assert len(log) == len(jobs)
    busiest = fullest(log, 60.0)
    assert requests is None or busiest[0] <= requests
    assert tokens is None or busiest[1] <= tokens


def test_the_limit_is_used_to_the_full_and_not_by_halves():
    async def main(loop):
        limiter = PromptRateLimiter(requests=10, clock=loop.time)
        return await drive(loop, limiter, [(0.0, 1, 0.0, 1)] * 35)

    log = simulate(main)
    assert fullest(log, 60.0)[0] == 10
    assert 180 <= log[-1][0] < 183  # three whole windows, and one per cent of slack each


def test_requests_go_in_the_order_in_which_they_asked():
    async def main(loop):
        limiter = PromptRateLimiter(requests=1, clock=loop.time)
        order = []

        async def one(number):
            limiter.left(await limiter.take_turn(1))
            order.append(number)

        await asyncio.gather(*(one(number) for number in range(5)))
        return order

    assert simulate(main) == [0, 1, 2, 3, 4]


def test_what_a_reply_did_not_use_is_free_again():
    async def main(loop):
        limiter = PromptRateLimiter(tokens=100, clock=loop.time)
        return await drive(loop, limiter, [(float(i), 60, 0.0, 10) for i in range(5)])

    assert [moment for moment, _ in simulate(main)] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_request_that_is_still_leaving_keeps_its_place():
    async def main(loop):
        limiter = PromptRateLimiter(requests=1, clock=loop.time)
        return await drive(loop, limiter, [(0.0, 1, 30.0, 1), (1.0, 1, 0.0, 1)])

    first, second = (moment for moment, _ in simulate(main))
    assert first == 30.0
    assert second >= 90.0


def test_a_request_that_was_never_sent_frees_its_place():
    async def main(loop):
        limiter = PromptRateLimiter(requests=1, clock=loop.time)
        limiter.cancel(await limiter.take_turn(1))
        await limiter.take_turn(1)
        return loop.time()

    assert simulate(main) == 0.0


def test_a_pause_holds_everything_back():
    async def main(loop):
        limiter = PromptRateLimiter(clock=loop.time)
        limiter.pause(7.0)
        limiter.pause(3.0)
        await limiter.take_turn(1)
        return loop.time()

    assert simulate(main) == pytest.approx(7.0)


def test_what_can_never_pass_is_refused_instead_of_waiting_for_ever():
    async def main(loop):
        limiter = PromptRateLimiter(tokens=100, clock=loop.time)
        assert limiter.allows(100)
        assert not limiter.allows(101)
        with pytest.raises(ValueError, match="101 tokens is above the limit of 100"):
            await limiter.take_turn(101)

    simulate(main)


@pytest.mark.parametrize("limit", [{"requests": 0}, {"tokens": -1}, {"window_s": 0}])
def test_limits_are_above_zero(limit):
    with pytest.raises(ValueError, match="must be above 0"):
        PromptRateLimiter(**limit)
