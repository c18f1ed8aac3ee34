"""Scoring on a Ray cluster of this machine, as docs/how-to/scale.md says; needs ray (extra `ray`), and minutes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from fas.api import score_file
from fas.core.profile import load_profile

ray = pytest.importorskip("ray", reason="ray is not installed (extra ray)")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

from fas.integrations.ray import Actors, score  # noqa: E402

PROFILE = '[claims]\nname = "given"\n[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nn_resamples = 20\n'


def answer(i, **fields):
    claims = ["Ibuprofen reduces fever.", f"Aspirin was given to {i % 9} patients."]
    passages = ["Ibuprofen reduces fever in adults.", "Aspirin was given to 4 patients."]
    return {"id": f"a{i}", "prediction": " ".join(claims), "claims": claims, "passages": passages, **fields}


def write(path, n, bad=()):
    rows = [answer(i) for i in range(1, n + 1)]
    for i in bad:
        del rows[i - 1]["prediction"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 3, "include_dashboard": False})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def profile(tmp_path):
    (tmp_path / "p.toml").write_text(PROFILE)
    return load_profile(tmp_path / "p.toml")


def test_actors_write_the_bytes_of_one_process_and_take_every_processor(cluster, tmp_path, profile):
    source = write(tmp_path / "answers.jsonl", 200, bad=(7, 90))
    score_file(source, tmp_path / "one", profile=profile, on_error="record")
    score_file(source, tmp_path / "ray", profile=profile, on_error="record", workers=Actors)
    assert (tmp_path / "ray" / "scores.jsonl").read_bytes() == (tmp_path / "one" / "scores.jsonl").read_bytes()
    reports = [json.loads((tmp_path / name / "report.json").read_text()) for name in ("one", "ray")]
    for report in reports:
        del report["timing"]
    assert reports[0] == reports[1]


def test_an_actor_that_is_killed_costs_nothing(cluster, tmp_path, profile):
    source = write(tmp_path / "answers.jsonl", 200)
    made = []

    class Watched(Actors):
        def start(self, number):
            made.append(super().start(number))
            return made[-1]

    def kill(n, work):
        if len(made) and not killed:
            killed.append(made[0])
            ray.kill(made[0].handle)

    killed = []
    score_file(source, tmp_path / "ray", profile=profile, workers=Watched, progress=kill)
    score_file(source, tmp_path / "one", profile=profile)
    assert len(made) > len(killed) == 1
    assert (tmp_path / "ray" / "scores.jsonl").read_bytes() == (tmp_path / "one" / "scores.jsonl").read_bytes()


def test_a_dataset_is_scored_row_by_row_with_errors_as_rows(cluster, tmp_path, profile):
    rows = [answer(i) for i in range(1, 101)]
    rows[4] = {**rows[4], "prediction": None}
    rows[9] = {**rows[9], "id": None}
    dataset = ray.data.from_items(rows).repartition(4)
    found = score(dataset, profile=profile, cpus=0.5, has_claims=True).take_all()
    assert len(found) == 100
    by_id = {row["id"]: row for row in found}
    assert "prediction" in by_id["a5"]["error"]
    assert sum(row["error"] is not None for row in found) == 2
    source = write(tmp_path / "answers.jsonl", 100)
    score_file(source, tmp_path / "one", profile=profile)
    for line in (tmp_path / "one" / "scores.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["id"] not in ("a5", "a10"):
            assert json.loads(by_id[record["id"]]["record"]) == record


def test_a_dataset_from_parquet_goes_on_by_ray_datas_checkpoint(cluster, tmp_path, profile):
    import pyarrow
    import pyarrow.parquet
    from ray.data.checkpoint import CheckpointConfig

    plain = [
        {"id": row["id"], "prediction": row["prediction"], "passages": row["passages"]}
        for row in map(answer, range(300))
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(plain), tmp_path / "in.parquet")
    context = ray.data.DataContext.get_current()
    before = context.checkpoint_config
    context.checkpoint_config = CheckpointConfig(
        id_column="id", checkpoint_path=str(tmp_path / "checkpoint"), delete_checkpoint_on_success=False
    )
    try:
        for _ in range(2):
            dataset = ray.data.read_parquet(str(tmp_path / "in.parquet")).repartition(target_num_rows_per_block=50)
            score(dataset, profile=profile, cpus=0.25, claims="given").write_parquet(str(tmp_path / "out"))
    finally:
        context.checkpoint_config = before
    ids = [row["id"] for row in pyarrow.parquet.read_table(tmp_path / "out").to_pylist()]
    assert sorted(ids) == sorted(row["id"] for row in plain)


def test_a_killed_driver_and_a_lost_node_leave_every_answer_once(tmp_path, root, profile):
    from ray.cluster_utils import Cluster

    source = write(tmp_path / "answers.jsonl", 3000)
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = made.add_node(num_cpus=1)
    command = [sys.executable, "-m", "fas", "score", str(source), "-o", str(tmp_path / "ray"), "--quiet"]
    command += ["--profile", str(tmp_path / "p.toml"), "--engine", "ray", "--address", made.address]
    scores = tmp_path / "ray" / "scores.jsonl"

    def lines():
        return scores.read_bytes().count(b"\n") if scores.exists() else 0

    def at_least(n):
        until = time.monotonic() + 200
        while lines() < n:
            assert driver.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)

    environment = {**os.environ, "PYTHONPATH": str(root)}
    try:
        driver = subprocess.Popen(command, env=environment, start_new_session=True)
        at_least(300)
        made.remove_node(second)
        at_least(600)
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        assert lines() < 3000
        assert subprocess.run(command, env=environment, timeout=250, check=False).returncode == 0
    finally:
        made.shutdown()
    score_file(source, tmp_path / "one", profile=profile)
    assert scores.read_bytes() == (tmp_path / "one" / "scores.jsonl").read_bytes()
