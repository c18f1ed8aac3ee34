"""What every other package builds on: records, settings, files, guards, caches and the protocols of parts."""
