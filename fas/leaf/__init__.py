"""LEAF: check an answer, answer again with what the check found, and learn from checked answers.

What checks is any profile of `fas score`. Everything here works on files: answers that were generated, folders that
`fas score` wrote, and what is chosen from them. `fas.leaf.revise` answers again, `fas.leaf.samples`, `select` and
`train` make training data of checked answers and train on them.
"""
