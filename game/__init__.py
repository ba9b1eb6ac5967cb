"""Veloterra: an open-world downhill cycling game on endless procedural terrain."""

__version__ = "0.1.0"
