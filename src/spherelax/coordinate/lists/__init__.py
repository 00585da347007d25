"""Lists of scored candidates: how likely each pair is right."""
