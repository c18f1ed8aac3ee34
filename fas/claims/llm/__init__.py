"""Claims by language models: prompts, replies, decomposers, decontextualisation."""
