"""What a small real language model does to every method that asks one."""
