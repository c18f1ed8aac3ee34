"""The heaviest subset without a conflict (maximum-weight independent set), exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_TOLERANCE = 1e-7
# An answer whose claims take longer than this fails; half a search must not pass for the optimum.
_SECONDS = 60.0


def heaviest_subset(weights: Sequence[float], conflicts: Sequence[tuple[int, int]]) -> list[int]:
    """Positions of the subset of greatest weight that holds no two in conflict, in order.

    Of several such subsets it is the first in lexicographic order of membership: the one that has
    the first position if any has it, then the second, and so on. Weights that differ by less than one
    part in ten million count as equal. A weight of 0 or less is never chosen.

    >>> heaviest_subset([1.0, 1.0, 1.0], [(0, 1), (1, 2)])
    [0, 2]
    >>> heaviest_subset([1.0, 3.0, 1.0], [(0, 1), (1, 2)])
    [1]

    Raises:
        ValueError: A conflict names a position that does not exist.
        RuntimeError: The solver did not finish.
    """
    n = len(weights)
    if any(not (0 <= i < n and 0 <= j < n) or i == j for i, j in conflicts):
        raise ValueError(f"conflicts must be pairs of different positions below {n}")
    neighbours: dict[int, set[int]] = {i: set() for i in range(n) if weights[i] > 0}
    for i, j in conflicts:
        if i in neighbours and j in neighbours:
            neighbours[i].add(j)
            neighbours[j].add(i)
    chosen: list[int] = []
    for component in _split_components(neighbours):
        chosen += component if len(component) == 1 else _solve(component, weights, neighbours)
    return sorted(chosen)


def _split_components(neighbours: dict[int, set[int]]) -> Iterator[list[int]]:
    left = set(neighbours)
    for start in neighbours:
        if start not in left:
            continue
        reached, waiting = {start}, [start]
        while waiting:
            for other in neighbours[waiting.pop()] - reached:
                reached.add(other)
                waiting.append(other)
        left -= reached
        yield sorted(reached)


def _solve(nodes: list[int], weights: Sequence[float], neighbours: dict[int, set[int]]) -> list[int]:
    """The first heaviest subset of one connected component."""
    known = _find_heaviest(nodes, weights, neighbours)
    enough = _sum_weights(known, weights) * (1 - _TOLERANCE)
    taken: list[int] = []
    left = list(nodes)
    while left:
        first, *others = left
        rest = [node for node in others if node not in neighbours[first]]
        if first not in known:
            # Is there a subset as heavy with `first` in it?
            other = [*taken, first, *_find_heaviest(rest, weights, neighbours)]
            if _sum_weights(other, weights) < enough:
                left = others
                continue
            known = other
        taken.append(first)
        left = rest
    return taken


def _sum_weights(nodes: Sequence[int], weights: Sequence[float]) -> float:
    return sum(weights[node] for node in nodes)


def _find_heaviest(nodes: list[int], weights: Sequence[float], neighbours: dict[int, set[int]]) -> list[int]:
    """A subset of *nodes* of greatest weight without a conflict."""
    cliques = _cover_with_cliques(nodes, neighbours)
    if not cliques:
        return nodes
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    column = {node: i for i, node in enumerate(nodes)}
    rows = [row for row, clique in enumerate(cliques) for _ in clique]
    columns = [column[node] for clique in cliques for node in clique]
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(cliques), len(nodes)))
    result = milp(
        -np.array([weights[node] for node in nodes]),
        integrality=np.ones(len(nodes)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=np.ones(len(cliques))),
        # HiGHS stops by default at one part in ten thousand of the optimum.
        options={"mip_rel_gap": 0.0, "time_limit": _SECONDS},
    )
    if not result.success:
        raise RuntimeError(f"the choice among {len(nodes)} claims was not solved: {result.message}")
    return [node for node in nodes if result.x[column[node]] > 0.5]


def _cover_with_cliques(nodes: list[int], neighbours: dict[int, set[int]]) -> list[list[int]]:
    """Sets of mutually conflicting nodes that cover every conflict; tighter than one row a pair."""
    here = set(nodes)
    covered: set[tuple[int, int]] = set()
    found = []
    for i in nodes:
        for j in sorted(neighbours[i] & here):
            if j < i or (i, j) in covered:
                continue
            clique = [i, j]
            common = neighbours[i] & neighbours[j] & here
            while common:
                node = min(common)
                clique.append(node)
                common &= neighbours[node]
            clique.sort()
            covered.update((a, b) for p, a in enumerate(clique) for b in clique[p + 1 :])
            found.append(clique)
    return found
