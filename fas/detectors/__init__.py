"""Findings: sentences of an answer that a detector says are wrong, and how several detectors are put together.

    records     Finding, Findings (a line of `findings.jsonl`), Member (a folder of them)
    judge, grounded, agents     detectors that ask a language model; claims: false claims of a scored folder
    member      folders read as members
    align, combine, rules, threshold     pure functions over findings, no model
    evaluate    members against gold

Lasko, Karakos and Keith, Improving Medical Hallucination Detection with System Combination and Rule-based
Customization; what the paper leaves open is decided in docs/papers/detectors.md.
"""
