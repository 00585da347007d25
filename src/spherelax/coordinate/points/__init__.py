"""Neighbour graphs of points: borders of labels, and valleys of density between them."""
