"""The embedded models and their loaders."""
