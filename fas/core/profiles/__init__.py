"""Built-in run configurations, as TOML."""
