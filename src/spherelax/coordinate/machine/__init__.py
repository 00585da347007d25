"""How kernels are compiled, kept on disk, shipped in a wheel, and shared between threads."""
