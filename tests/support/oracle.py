"""The paper's algorithms, written down literally with dense matrices, as the oracle of the tests.

Nothing of the package is used. Where the print is wrong (see the docs page on the method), the
reading that the paper's text asks for is taken, as the package does.
"""

from typing import NamedTuple

import numpy as np


class Sweep(NamedTuple):
    """Output of Algorithm 4: alphas, etas, objectives and every U."""

    alphas: np.ndarray
    etas: np.ndarray
    objectives: np.ndarray
    Us: list


def normalise(W):
    """Equation (7): W <- D W D."""
    m = len(W)
    D = np.sqrt(m) * np.diag((W @ np.ones(m)) ** -0.5)
    return D @ W @ D


def start(m, k):
    """The matrix K."""
    return np.vstack([np.eye(k)] * (m // k + 1))[:m]


def project_row(x):
    """Algorithm 3."""
    if x.max() <= 0:
        y = np.zeros_like(x)
        y[x.argmax()] = 1.0
        return y
    y = np.maximum(x, 0.0)
    return y / np.linalg.norm(y)


def project(X):
    """Algorithm 3, row by row."""
    return np.array([project_row(x) for x in X])


def g(alpha, W, U):
    """The objective."""
    ones = np.ones((len(W), len(W)))
    return (1 - alpha) * np.trace(U.T @ W @ U) - alpha * np.trace(U.T @ ones @ U)


def matrix_v(alpha, W, delta_margin):
    """V(alpha), with delta minus the smallest eigenvalue plus a margin."""
    A = (1 - alpha) * W - alpha * np.ones((len(W), len(W)))
    return (-np.linalg.eigvalsh(A)[0] + delta_margin) * np.eye(len(W)) + A


def sweep(W, k, *, alpha_step, n_inner, delta_margin, kappa, project=project):
    """Algorithm 4 on the rebalanced W."""
    W = normalise(np.asarray(W, dtype=float)) + kappa
    U = start(len(W), k)
    alphas, etas, objectives, Us = [], [], [], []
    for i in range(1, round(1 / alpha_step) + 1):
        alpha = 1 - i * alpha_step
        matrix = matrix_v(alpha, W, delta_margin)
        for _ in range(n_inner):
            previous, U = U, project(matrix @ U)
        alphas.append(alpha)
        etas.append(abs(g(alpha, W, U) - g(alpha, W, previous)))
        objectives.append(g(alpha, W, U))
        Us.append(U)
    return Sweep(np.array(alphas), np.array(etas), np.array(objectives), Us)


def pick(etas, eta_floor):
    """Algorithm 5 with indices from one, its last line corrected; returns an index from zero."""
    eta = {i + 1: 0.0 if e < eta_floor * max(etas) else e for i, e in enumerate(etas)}
    i_r, i_l = 0, len(eta)
    while True:
        i_r += 1
        if eta[i_r + 1] < eta[i_r]:
            break
    while True:
        i_l -= 1
        if eta[i_l - 1] < eta[i_l]:
            break
    if i_l < i_r:
        raise KeyError("no valley")
    valley = [eta[i] for i in range(i_r, i_l + 1)]
    lowest = [i for i, e in enumerate(valley) if e == min(valley)]
    if eta_floor > 0 and min(valley) == 0:
        runs = np.split(lowest, np.flatnonzero(np.diff(lowest) > 1) + 1)
        longest = max(runs, key=len)
        return i_r - 1 + int(longest[0] + longest[-1]) // 2
    return i_r - 1 + lowest[0]
