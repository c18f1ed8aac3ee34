"""Expert answers of which a known share was made false, scored.

python -m benchmarks.study.run_corruption --limit 10 --out runs/study
"""

from benchmarks.study.common import main_for

if __name__ == "__main__":
    main_for("d", "Expert answers of which a known share was made false, scored.")
