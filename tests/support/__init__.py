"""What several tests use: problems, slow and simple oracles, the program."""
