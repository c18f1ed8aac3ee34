"""Rules as data files, one for each use case; see `fas.detectors.rules`."""
