"""Run the command line as ``python -m spherelax``."""

from spherelax.cli import main

if __name__ == "__main__":
    main()
