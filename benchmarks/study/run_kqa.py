"""K-QA's fifty answers judged by physicians, scored.

python -m benchmarks.study.run_kqa --limit 10 --out runs/study
"""

from benchmarks.study.common import main_for

if __name__ == "__main__":
    main_for("c", "K-QA's fifty answers judged by physicians, scored.")
