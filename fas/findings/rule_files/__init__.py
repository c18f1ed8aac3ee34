"""Rules as data files, one for each use case; see `fas.findings.rules`."""
