"""Files themselves: opened, mapped, spooled, written whole or not at all, and their faults."""
