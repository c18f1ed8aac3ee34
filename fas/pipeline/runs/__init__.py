"""A run: its folder on disk, what it tells beside its records, and what it would cost."""
