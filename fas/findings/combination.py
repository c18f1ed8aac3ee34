"""From folders of members to the folder of their combination, with its page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.files.own import replacing
from fas.findings.combining import combine
from fas.findings.detection import write_page
from fas.findings.detection_text import ablation_dict
from fas.findings.evaluate import Options
from fas.findings.evaluating import Ablation, choose_by_gold, material_of
from fas.findings.evaluating import ablate_rules as _ablate
from fas.findings.folder import fixed_decision, write_combination
from fas.findings.gold import Gold
from fas.findings.member import places, read_member


def combine_folders(
    folders: Sequence[str | Path],
    out: Path,
    *,
    gold: Mapping[str, Gold] | None,
    settings: Options,
    ablate_rules: bool = False,
    explain: bool = False,
    cluster_by: str | None = None,
    **more: Any,
) -> tuple[dict[str, Any], Ablation | None]:
    """Write the combination of *folders* to *out*; its report, with the ablation of rules if there is one.

    Args:
        folders: The members, as `fas.findings.member.places` reads them.
        out: Folder of the combination.
        gold: Answer to gold; it chooses the threshold where *settings* has none.
        settings: How measurements are made.
        ablate_rules: Also measure every rule's effect alone and together; needs rules and gold.
        explain: Explain false claims with what the evidence says against them.
        cluster_by: Field of the answers that are one unit.
        more: As for `fas.findings.combining.combine`.

    Raises:
        InputError: A folder cannot be read.
        ValueError: An option is out of range, or an ablation lacks rules or gold.
    """
    if ablate_rules and (gold is None or more.get("rules") is None):
        raise ValueError("--ablate-rules needs --rules and --gold")
    sources = places(folders)
    combination = combine([read_member(place, explain=explain) for place in sources], name=out.name, **more)
    material = None if gold is None else material_of(sources, gold, cluster_by=cluster_by)[0]
    decision = None
    if settings.threshold is not None:
        decision = fixed_decision(combination, settings.threshold)
    elif material is not None:
        decision = choose_by_gold(combination, material, settings)
    report = write_combination(combination, out, sources, decision=decision)
    write_page(out)
    if not ablate_rules or material is None:
        return {**report, "ablation": None}, None
    ablation = _ablate(combination, material, settings)
    with replacing(out / "ablation.json") as file:
        file.write(json.dumps(ablation_dict(ablation), indent=1, ensure_ascii=False) + "\n")
    return {**report, "ablation": ablation_dict(ablation)}, ablation
