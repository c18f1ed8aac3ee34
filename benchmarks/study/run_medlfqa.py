"""MedLFQA's stored answers of seven models, and the experts' preferences, scored.

python benchmarks/study/run_medlfqa.py --limit 10 --out runs/study
"""

from common import main_for

if __name__ == "__main__":
    main_for("a", "MedLFQA's stored answers of seven models, and the experts' preferences, scored.")
