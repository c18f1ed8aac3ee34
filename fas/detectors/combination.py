"""From folders of members to the folder of their combination, with its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.core.files.own import write_json
from fas.detectors.combine_folders import combine
from fas.detectors.detection import write_page
from fas.detectors.detection_text import ablation_dict
from fas.detectors.evaluate import EvaluationOptions
from fas.detectors.evaluation_text import Ablation, choose_by_gold, load_material
from fas.detectors.evaluation_text import ablate_rules as _ablate
from fas.detectors.folder import make_fixed_decision, write_combination
from fas.detectors.gold import GoldFindings
from fas.detectors.member import find_places, read_member


def combine_folders(
    folders: Sequence[str | Path],
    out: Path,
    *,
    gold: Mapping[str, GoldFindings] | None,
    settings: EvaluationOptions,
    ablate_rules: bool = False,
    explain: bool = False,
    cluster_by: str | None = None,
    **more: Any,
) -> tuple[dict[str, Any], Ablation | None]:
    """Write the combination of *folders* to *out*; its report, with the ablation of rules if there is one.

    Args:
        folders: The members, as `fas.detectors.member.find_places` reads them.
        out: Folder of the combination.
        gold: Answer to gold; it chooses the threshold where *settings* has none.
        settings: How measurements are made.
        ablate_rules: Also measure every rule's effect alone and together; needs rules and gold.
        explain: Explain false claims with what the evidence says against them.
        cluster_by: Field of the answers that are one unit.
        more: As for `fas.detectors.combine_folders.combine`.

    Raises:
        InputError: A folder cannot be read.
        ValueError: An option is out of range, or an ablation lacks rules or gold.
    """
    if ablate_rules and (gold is None or more.get("rules") is None):
        raise ValueError("--ablate-rules needs --rules and --gold")
    sources = find_places(folders)
    combination = combine([read_member(place, explain=explain) for place in sources], name=out.name, **more)
    material = None if gold is None else load_material(sources, gold, cluster_by=cluster_by)[0]
    decision = None
    if settings.threshold is not None:
        decision = make_fixed_decision(combination, settings.threshold)
    elif material is not None:
        decision = choose_by_gold(combination, material, settings)
    report = write_combination(combination, out, sources, decision=decision)
    write_page(out)
    if not ablate_rules or material is None:
        return {**report, "ablation": None}, None
    ablation = _ablate(combination, material, settings)
    write_json(out / "ablation.json", ablation_dict(ablation), indent=1)
    return {**report, "ablation": ablation_dict(ablation)}, ablation
