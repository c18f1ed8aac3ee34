"""Scores inside harnesses of others: Inspect AI, lm-evaluation-harness, MLflow. Each module needs its harness."""
