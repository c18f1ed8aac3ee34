"""Budgets, prices, totals and dry runs. Oracle: the server's log and arithmetic by hand."""

import threading

import pytest
from chat_server import ChatServer, Text

from fas.core.errors import BudgetExceeded, InputError, RunStopped
from fas.llm import Budget, DryRun, Message, Prompt, Reply, chat_model, run_defaults
from fas.llm.prices import find_price

TABLE = """
[[price]]
models = ["test-model", "gpt-4o-mini"]
input = 1000.0
cached_input = 100.0
output = 10000.0
noted = 2026-01-31
"""


pytestmark = pytest.mark.usefixtures("fresh_cache")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(TABLE)
    return path


def ask(*texts, **settings):
    return [Prompt((Message("user", text),), **{"max_tokens": 20, **settings}) for text in texts]


def model_at(server, **options):
    return chat_model("test-model", **{"base_url": server.url, "backoff_s": 0.002, "timeout_s": 10.0, **options})


def echo(request):
    return f"about {request.text}"


# -- Budgets ---------------------------------------------------------------------------------------


def test_a_budget_of_calls_stops_cleanly_and_the_run_goes_on_with_a_larger_one():
    prompts = ask(*map(str, range(20)))
    with ChatServer(echo) as server:
        with pytest.raises(BudgetExceeded, match=r"budget of 7 calls .*spent so far: 7 calls.*larger budget resumes"):
            model_at(server, max_calls=7, concurrency=4).complete(prompts)
        assert len(server.log) == 7
        replies = model_at(server, max_calls=13).complete(prompts)
        assert [reply.text for reply in replies] == [f"about {i}" for i in range(20)]
        assert sum(reply.cached for reply in replies) == 7
        assert len(server.log) == 20


def test_requests_under_way_are_finished_and_kept_when_the_budget_ends():
    with ChatServer(lambda request: Text(echo(request), delay_s=0.2)) as server:
        with pytest.raises(BudgetExceeded):
            model_at(server, max_calls=3, concurrency=8).complete(ask(*map(str, range(8))))
        known = model_at(server).estimate(ask(*map(str, range(8))))
    assert (known.cached, known.calls) == (3, 5)


@pytest.mark.parametrize(("limit", "of"), [({"max_total_tokens": 200}, "tokens"), ({"max_cost": 0.9}, "cost")])
def test_a_budget_of_tokens_or_money_is_never_passed(limit, of, table):
    with ChatServer(echo) as server:
        model = model_at(server, prices=str(table), concurrency=8, **limit)
        with pytest.raises(BudgetExceeded):
            model.complete(ask(*map(str, range(100))))
    usage = model.usage()
    spent = usage.prompt_tokens + usage.completion_tokens if of == "tokens" else usage.cost
    allowed = next(iter(limit.values()))
    # The last request is refused because it might use 20 tokens of reply, not because it would.
    most = 28 if of == "tokens" else 8 * 0.001 + 20 * 0.01
    assert allowed - most < spent <= allowed


def test_one_budget_is_shared_by_models_and_threads():
    budget = Budget(calls=10)
    stopped = []

    def work(name):
        try:
            chat_model(name, base_url=server.url, budget=budget).complete(ask(*map(str, range(20))))
        except BudgetExceeded as error:
            stopped.append(error)

    with ChatServer(echo) as server:
        threads = [threading.Thread(target=work, args=(name,)) for name in ("m1", "m2", "m3")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.log) == 10
    assert len(stopped) == 3
    assert budget.spent.calls == 10


def test_what_the_cache_answers_costs_no_budget():
    with ChatServer(echo) as server:
        model_at(server).complete(ask("a", "b"))
        assert all(reply.cached for reply in model_at(server, max_calls=0).complete(ask("a", "b")))


# -- Prices and totals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not toml", "cannot be read"),
        ("[[prices]]\n", r"holds \[\[price\]\] entries only"),
        (TABLE + "[[price]]\nmodels = 'x'\n", "number 2: field 'models': expected a list of names, found 'x'"),
        (TABLE.replace("1000.0", "-1.0", 1), "field 'input': expected US dollars .* found -1.0"),
        (TABLE.replace("10000.0", "'free'"), "field 'output'"),
        (TABLE.replace("noted = 2026-01-31", ""), "field 'noted': .* found nothing"),
        (TABLE.replace("noted", "when"), "field 'when': expected one of the fields"),
        (TABLE + "endpoint = 3\n", "field 'endpoint': expected a text"),
    ],
)
def test_a_wrong_table_is_told_with_its_place(tmp_path, text, message):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        find_price("x", "y", table=path)
    assert str(caught.value).startswith(str(path))


# -- Dry runs --------------------------------------------------------------------------------------


def test_a_dry_run_sends_nothing_and_says_what_it_would_take(table):
    prompts = [*ask("known", "new", "new", "another"), Prompt(())]
    with ChatServer(echo) as server:
        model_at(server).complete(ask("known"))
        dry = DryRun()
        model = model_at(server, prices=str(table), dry_run=dry)
        replies = model.complete(prompts)
        model.complete(ask("new"))
        assert len(server.log) == 1
    assert replies[0].text == "about known"
    assert replies[1] == Reply(failure="dry run: not sent")
    assert model.signature == "test-model"
    estimate = dry.total()
    assert (estimate.calls, estimate.cached, estimate.refused) == (2, 3, 1)
    assert estimate.max_completion_tokens == 40
    assert estimate.cost == pytest.approx(estimate.prompt_tokens * 0.001 + 40 * 0.01)
    assert "2 calls" in str(dry)
    assert "estimated" in str(dry)


def test_replies_can_be_made_up_so_that_later_stages_are_counted():
    dry = DryRun(reply=lambda prompt: Reply("made up", "stop"))
    model = chat_model("m", base_url="http://127.0.0.1:9/v1", dry_run=dry)
    assert model.complete(ask("a"))[0].text == "made up"
    assert chat_model("m", base_url="http://127.0.0.1:9/v1", dry_run=dry) is model
    assert dry.total().cost is None


def test_a_run_can_be_made_dry_offline_or_limited_from_outside():
    dry, budget = DryRun(), Budget(calls=1)
    with ChatServer(echo) as server:
        with run_defaults(dry_run=dry, budget=budget):
            inside = model_at(server)
        inside.complete(ask("a"))
        assert dry.total().calls == 1
        assert inside.model.budget is budget
        model_at(server).complete(ask("a"))
        assert len(server.log) == 1
        with run_defaults(offline=True), pytest.raises(RunStopped, match="--offline"):
            model_at(server).complete(ask("b"))
