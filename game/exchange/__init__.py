"""Pictures and data for other programs."""
