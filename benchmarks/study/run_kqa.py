"""K-QA's fifty answers judged by physicians, scored.

python benchmarks/study/run_kqa.py --limit 10 --out runs/study
"""

from common import main_for

if __name__ == "__main__":
    main_for("c", "K-QA's fifty answers judged by physicians, scored.")
