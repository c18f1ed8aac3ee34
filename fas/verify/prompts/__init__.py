"""Prompts of the language-model verifiers, one TOML file each; `fas.verify.llm` reads them."""
