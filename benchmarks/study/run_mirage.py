"""MIRAGE's right and wrong explanations, scored.

python benchmarks/study/run_mirage.py --limit 10 --out runs/study
"""

from common import main_for

if __name__ == "__main__":
    main_for("b", "MIRAGE's right and wrong explanations, scored.")
