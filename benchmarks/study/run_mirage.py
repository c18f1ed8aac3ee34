"""MIRAGE's right and wrong explanations, scored.

python -m benchmarks.study.run_mirage --limit 10 --out runs/study
"""

from benchmarks.study.common import main_for

if __name__ == "__main__":
    main_for("b", "MIRAGE's right and wrong explanations, scored.")
