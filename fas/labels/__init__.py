"""Labels of people: choosing what to label, reading labels, and what they say of a run."""
