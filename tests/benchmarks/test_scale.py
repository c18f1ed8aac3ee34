"""What is told of the engines comes from what was measured."""

from benchmarks.scale.page import render, stored


def test_the_page_is_what_the_stored_results_say(root):
    folder = root / "benchmarks" / "scale"
    many = stored("many")
    assert (folder / "README.md").read_text(encoding="utf-8") == render(many, stored("growth"))
    whole = {name: found for name, found in many["runs"].items() if "rows" in found}
    assert {"processes, 2", "three shards, merged", "ray, disturbed"} <= set(whole)
    for found in whole.values():
        assert (found["rows"], found["ids"]) == (many["answers"], many["answers"])
        assert found["same_bytes"]
        assert found["same_report"]
    ray = whole["ray, disturbed"]
    assert (
        0 < ray["rows_when_node_removed"] < ray["rows_when_driver_killed"] <= ray["rows_after_kill"] < many["answers"]
    )
