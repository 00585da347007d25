"""Plain NumPy twins of the compiled kernels: dense W and U, formulas as the docstrings print them.

Nothing of the package is used. Where a kernel chooses a name (which empty column, which spare
label), the twin takes the same one, so that results can be compared entry by entry.
"""

import numpy as np
import scipy.sparse as sp


def dense_similarity(graph):
    """Return W as a matrix."""
    m = len(graph.weight)
    return sp.csr_array((graph.values, graph.indices, graph.indptr), (m, m)).toarray().astype(float)


def dense_rows(rows):
    """Return U as a matrix."""
    m, r = len(rows.packed), rows.packed.shape[1] // 2
    U = np.zeros((m, m))
    for i in range(m):
        for t in range(r):
            if rows.packed[i, t] >= 0:
                U[i, rows.packed[i, t]] = rows.value[i, r + t]
    return U


def relaxed_objective(W, n, U, gamma):
    """The sum over pairs of ``(W_ij - gamma n_i n_j) <U_i, U_j>``."""
    pairs = np.triu(W - gamma * np.outer(n, n), 1)
    return np.sum(pairs * (U @ U.T))


def best_row(x, tau, n_entries):
    """The largest positive entries, none below tau times the first, scaled to unit length."""
    row = np.zeros_like(x)
    largest = np.argsort(-x, kind="stable")[:n_entries]
    largest = largest[x[largest] > max(tau * x.max(), 0.0)]
    row[largest] = x[largest]
    return row / np.linalg.norm(row) if row.any() else row


def ascend(W, n, groups, U, *, free, batches, gamma, mu, tau, n_entries):
    """One pass: all rows of a batch from frozen ones, then into place; returns U.

    Items of a group see the rows that those before them have just chosen, for repulsion only.
    ``free`` is the stack of empty columns.
    """
    U, m = U.copy(), len(U)
    for batch in batches:
        chosen, frozen = U.copy(), U.copy()
        for i in batch:
            others = np.arange(m) != i
            mates = others & (groups == groups[i])
            x = W[i, others] @ frozen[others]
            x -= gamma * n[i] * (n[others] @ frozen[others])
            x -= mu * chosen[mates].sum(axis=0)
            chosen[i] = best_row(x, tau, n_entries)
        for i in batch:
            others = np.arange(m) != i
            if not chosen[i].any():
                was_alone = frozen[i].max() == 1.0 and not frozen[others, frozen[i].argmax()].any()
                if was_alone or (not free and U[others, U[i].argmax()].any()):
                    continue
            elif not U[others][:, chosen[i] > 0].any(axis=0).all():
                continue  # by now the batch has emptied a column that the row would enter
            for c in np.argsort(-U[i])[: np.count_nonzero(U[i])]:
                if not U[others, c].any():
                    free.append(int(c))
            U[i] = chosen[i]
            if not chosen[i].any():
                U[i, free.pop()] = 1.0
    return U


def rounded(U, units):
    """The largest column of each row; in a group the strongest keeps it, others get empty ones."""
    labels = U.argmax(axis=1)
    empty = iter(np.flatnonzero(~U.any(axis=0)))
    for unit in units:
        for i in unit:
            rivals = [j for j in unit if U[j].argmax() == U[i].argmax()]
            if i != max(rivals, key=lambda j: U[j].max()):
                labels[i] = next(empty)
    return labels


def units_of(graph):
    """Return the items of each unit."""
    return np.split(np.arange(len(graph.weight)), graph.unit_ptr[1:-1])


def membership(labels):
    """Return P, with a column for each label."""
    return np.eye(labels.max() + 1)[labels]


def discrete_objective(W, n, labels, gamma):
    """The sum over pairs with the same label of ``W_ij - gamma n_i n_j``."""
    same = np.triu(labels[:, None] == labels, 1)
    return np.sum((W - gamma * np.outer(n, n))[same])


def clash(labels, groups):
    """Tell whether two items of one group share a label."""
    return len(set(zip(labels.tolist(), groups.tolist(), strict=True))) < len(labels)


def moves(labels, groups):
    """Yield all legal labelings in which one item has moved, or two labels have become one."""
    for i in range(len(labels)):
        for c in range(labels.max() + 2):
            moved = labels.copy()
            moved[i] = c
            if c != labels[i] and not clash(moved, groups):
                yield moved
    for b in range(labels.max() + 1):
        for a in range(b):
            merged = np.where(labels == b, a, labels)
            if not clash(merged, groups):
                yield merged


def best_partners(similarity, sizes, holds, gamma, least):
    """Merge labels that gain most by each other, if they hold no group both; returns new labels."""
    k = len(sizes)
    gain = similarity - gamma * np.outer(sizes, sizes)
    for a in range(k):
        for b in range(k):
            if a == b or holds[a] & holds[b] or similarity[a, b] == 0 or gain[a, b] <= least:
                gain[a, b] = -np.inf
    mapping = np.arange(k)
    for a in range(k):
        b = gain[a].argmax()
        if gain[a, b] > -np.inf and gain[b].argmax() == a:
            mapping[max(a, b)] = min(a, b)
    return np.unique(mapping, return_inverse=True)[1]


def partitions(m):
    """Yield the labels of all partitions of m items, Bell's number of them."""
    if m == 0:
        yield []
        return
    for labels in partitions(m - 1):
        for c in range(max(labels, default=-1) + 2):
            yield [*labels, c]
