"""Files of machine code that are damaged in several ways."""

DAMAGES = ("cut", "empty", "flipped", "text")


def damaged(content: bytes, damage: str) -> bytes:
    """Return what a file holds after some damage."""
    middle = len(content) // 2
    return {
        "cut": content[:middle],
        "empty": b"",
        "flipped": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
        "text": b"not compiled",
    }[damage]
