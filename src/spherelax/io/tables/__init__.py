"""Tables and arrays in files and in memory, whatever they mean."""
