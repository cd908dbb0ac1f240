"""``python -m comraf`` is the command ``comraf``."""

from comraf.cli import main

if __name__ == "__main__":
    main()
