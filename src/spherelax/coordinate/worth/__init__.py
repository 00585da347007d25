"""What a similarity of each size is worth, and what labels save, in nats."""
