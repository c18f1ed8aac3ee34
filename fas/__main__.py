"""`python -m fas`."""

import sys

from fas.cli import main

if __name__ == "__main__":
    sys.exit(main())
