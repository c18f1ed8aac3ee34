"""Statistics: bootstrap, paired tests, correlation, agreement, calibration."""
