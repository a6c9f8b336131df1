"""The one error the command reports by a message instead of a traceback."""


class UsageError(Exception):
    """What was asked for cannot be done; the message says why and what to do."""
