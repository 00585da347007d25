"""Readers of each world: edges, pairs of records, points, graphs, cells, COLMAP databases."""
