"""Similarities as compressed rows: their order, parts of them, and sums over labels."""
