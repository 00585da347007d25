"""Damaged files and odd input: every outcome must be an answer or an error of our own."""
