"""Prompts of the decomposers, one TOML file each; `fas.claims.llm.prompts` reads them."""
