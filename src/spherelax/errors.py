"""The error for input that cannot be used, and the warning for an answer that needs a check."""

from __future__ import annotations


class InvalidInputError(ValueError):
    """Input that cannot be used; the message says what was found and what was expected.

    Examples
    --------
    >>> import spherelax as sl
    >>> try:
    ...     sl.solve([[0, 1], [2, 0]])
    ... except sl.InvalidInputError as error:
    ...     print(error)
    similarity must be symmetric; largest |W - W.T| is 1.0e+00, at items 0 and 1
    """


class SphereWarning(UserWarning):
    """A warning that the labels need a check; the message says why.

    Examples
    --------
    >>> import warnings
    >>> import spherelax as sl
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = sl.solve([[1, 0], [0, 1]]).labels
    >>> print(labels, caught[0].message)
    [0 1] No item is similar to any other, so each has its own label. Check the similarities.
    """
