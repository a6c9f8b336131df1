"""`python -m resonio` is the command `resonio`."""

import sys

from resonio.cli import main

sys.exit(main())
