"""Expert answers of which a known share was made false, scored.

python benchmarks/study/run_corruption.py --limit 10 --out runs/study
"""

from common import main_for

if __name__ == "__main__":
    main_for("d", "Expert answers of which a known share was made false, scored.")
