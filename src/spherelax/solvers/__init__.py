"""Solvers: each walks a schedule and yields the relaxed rows at every step."""
