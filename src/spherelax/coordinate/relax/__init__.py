"""Rows of U, one sparse row per item, while the resolution falls."""
