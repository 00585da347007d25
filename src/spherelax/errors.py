"""The error for input that cannot be used, and the warning for an answer that needs a check."""

from __future__ import annotations

LONGEST = 400  # characters of a message, whatever names and numbers it quotes
END = 160  # of these, how many are the end of a message that is cut: its reason and advice
SHOWN = 40  # longest quotation of a value in a message


class InvalidInputError(ValueError):
    """Input that cannot be used; the message says what was found and what was expected.

    A message has at most 400 characters; of a longer one, the middle is left out.

    Examples
    --------
    >>> import spherelax as sl
    >>> try:
    ...     sl.solve([[0, 1], [2, 0]])
    ... except sl.InvalidInputError as error:
    ...     print(error)
    similarity must be symmetric; largest |W - W.T| is 1.0e+00, at items 0 and 1
    """

    def __init__(self, message: str) -> None:
        super().__init__(brief(message))


class SphereWarning(UserWarning):
    """A warning that the labels need a check; the message says why.

    Attributes
    ----------
    about : str or None
        The name of the status that the warning tells of, "copies" if groups hold some, or None.

    Examples
    --------
    >>> import warnings
    >>> import spherelax as sl
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = sl.solve([[1, 0], [0, 1]]).labels
    >>> print(labels, caught[0].message)
    [0 1] No item is similar to any other, so each has its own label. Check the similarities.
    >>> caught[0].message.about
    'isolated'
    """

    def __init__(self, message: str, about: str | None = None) -> None:
        super().__init__(message)
        self.about = about


def brief(message: str) -> str:
    r"""Return a message on one line, without its middle if it is long; control characters as text.

    Examples
    --------
    >>> brief("two\nlines"), len(brief("x" * 10_000))
    ('two lines', 400)
    """
    line = " ".join(message.splitlines())
    if not line.isprintable():
        line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line[: 2 * LONGEST])
    if len(line) <= LONGEST:
        return line
    return f"{line[: LONGEST - END - 5]} ... {line[-END:]}"


def shown(value: object) -> str:
    r"""Return a value for a message: on one line, and shortened if it is long.

    Examples
    --------
    >>> print(shown("two\nlines"), shown("x" * 100), shown(10**5000))
    'two\nlines' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' a number of thousands of digits
    """
    if isinstance(value, str):
        return repr(value if len(value) <= SHOWN else f"{value[:SHOWN]}...")
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print integers of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
