"""Requests and tokens per minute. Oracle: every window of the log, counted one by one, by a clock of the test's own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.llm.pace import RateLimiter


class Clock:
    """Time that passes when the test says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def drive(limiter, clock, jobs, *, step=0.25):
    """Each job: when it asks at the earliest, its tokens, what it came to; returns what was let through when."""
    log = []
    for at, tokens, actual in jobs:
        clock.now = max(clock.now, at)
        while (turn := limiter.take(tokens)) is None:
            clock.now += step
        log.append((clock.now, tokens))
        turn.tokens = actual
    return log


def fullest(log, window_s):
    """The most requests and the most tokens in any half-open window of that length."""
    most = (0, 0)
    for start, _ in log:
        inside = [tokens for moment, tokens in log if start <= moment < start + window_s]
        most = (max(most[0], len(inside)), max(most[1], sum(inside)))
    return most


@given(
    st.lists(st.tuples(st.floats(0, 200), st.integers(1, 100)), min_size=1, max_size=60),
    st.integers(1, 12) | st.none(),
    st.integers(100, 400) | st.none(),
)
@settings(max_examples=80, deadline=None)
def test_no_window_of_a_minute_ever_holds_more_than_the_limits(jobs, requests, tokens):
    clock = Clock()
    limiter = RateLimiter(requests=requests, tokens=tokens, clock=clock)
    log = drive(limiter, clock, [(at, used, used) for at, used in sorted(jobs)])
    assert len(log) == len(jobs)
    busiest = fullest(log, 60.0)
    assert requests is None or busiest[0] <= requests
    assert tokens is None or busiest[1] <= tokens


def test_the_limit_is_used_to_the_full_and_not_by_halves():
    clock = Clock()
    log = drive(RateLimiter(requests=10, clock=clock), clock, [(0.0, 1, 1)] * 35)
    assert fullest(log, 60.0)[0] == 10
    assert 180 <= log[-1][0] < 183  # three whole windows, and one per cent of slack each


def test_what_a_reply_did_not_use_is_free_again():
    clock = Clock()
    log = drive(RateLimiter(tokens=100, clock=clock), clock, [(float(i), 60, 10) for i in range(5)])
    assert [moment for moment, _ in log] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_request_that_was_never_sent_frees_its_place():
    limiter = RateLimiter(requests=1, clock=Clock())
    limiter.cancel(limiter.take(1))
    assert limiter.take(1)
    assert limiter.take(1) is None


def test_a_pause_holds_everything_back_and_a_shorter_one_after_it_ends_nothing():
    clock = Clock()
    limiter = RateLimiter(clock=clock)
    limiter.pause(7.0)
    limiter.pause(3.0)
    assert drive(limiter, clock, [(0.0, 1, 1)]) == [(7.0, 1)]


def test_what_can_never_pass_is_refused_instead_of_waiting_for_ever():
    limiter = RateLimiter(tokens=100, clock=Clock())
    assert limiter.allows(100)
    assert not limiter.allows(101)
    with pytest.raises(ValueError, match="101 tokens is above the limit of 100"):
        limiter.take(101)


@pytest.mark.parametrize("limit", [{"requests": 0}, {"tokens": -1}, {"window_s": 0}])
def test_limits_are_above_zero(limit):
    with pytest.raises(ValueError, match="must be above 0"):
        RateLimiter(**limit)
