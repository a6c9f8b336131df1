"""The command of resonio: run MPI programs through it, and look at what it finds."""

__version__ = "0.1.0"
