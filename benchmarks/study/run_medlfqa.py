"""MedLFQA's stored answers of seven models, and the experts' preferences, scored.

python -m benchmarks.study.run_medlfqa --limit 10 --out runs/study
"""

from benchmarks.study.common import main_for

if __name__ == "__main__":
    main_for("a", "MedLFQA's stored answers of seven models, and the experts' preferences, scored.")
