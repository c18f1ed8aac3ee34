"""Write a training run's model as `fas-nli-mini`: its own layers in half precision.

    python export.py --run runs/experts/all --out ../../../fas/models/fas_nli_mini

The embedding table was frozen, so it is left out; the loader takes it from `fas-encoder-mini`.
A checkpoint of an unfinished run (`checkpoint.pt`) can be exported too.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from fas.models.readout import CONFIG_KEY

ENCODER = Path(__file__).resolve().parents[3] / "fas/models/fas_encoder_mini"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    finished = [f for f in (options.run / "model.safetensors", options.run / "model/model.safetensors") if f.is_file()]
    if finished:
        state = load_file(finished[0])
    else:
        state = torch.load(options.run / "checkpoint.pt", weights_only=True, map_location="cpu")["model"]
    shared = load_file(ENCODER / "model.safetensors")
    own = {}
    for name, tensor in state.items():
        bare = name.removeprefix("bert.")
        if bare.startswith("embeddings."):
            if bare in shared and not torch.equal(tensor.half(), shared[bare]):
                raise SystemExit(f"{name} differs from the encoder's; it was not frozen")
            continue
        own[name] = tensor.to(torch.float16).contiguous()
    options.out.mkdir(parents=True, exist_ok=True)
    save_file(own, options.out / "model.safetensors", metadata={"format": "pt"})
    (options.out / "model.safetensors").chmod(0o644)
    config = json.loads((ENCODER / "config.json").read_text())
    config.update(
        architectures=["BertForSequenceClassification"],
        id2label={"0": "entailment", "1": "neutral", "2": "contradiction"},
        label2id={"entailment": 0, "neutral": 1, "contradiction": 2},
    )
    trained = json.loads((finished[0].parent / "config.json").read_text()) if finished else {}
    if CONFIG_KEY in trained:
        config[CONFIG_KEY] = trained[CONFIG_KEY]
    (options.out / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    instructions = {"from": "fas-encoder-mini", "prefix": "bert."}
    (options.out / "shared_embeddings.json").write_text(json.dumps(instructions, indent=2) + "\n")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(ENCODER / name, options.out / name)


if __name__ == "__main__":
    main()
