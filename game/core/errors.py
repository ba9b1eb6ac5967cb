"""The one exception that ends the program with a sentence instead of a traceback."""

from __future__ import annotations


class UsageError(Exception):
    """Something the user gave, or their machine lacks, makes the command impossible.

    The message is one sentence that names the value, the place and what is accepted.
    `__main__` prints it on stderr and exits with code 2.
    """
