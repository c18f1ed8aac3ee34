"""Reports: text, JSON, HTML, plots."""
