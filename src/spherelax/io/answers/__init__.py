"""Labels and whole results in files."""
