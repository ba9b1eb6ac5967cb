"""The window and its inputs (pygame-ce). Knows nothing of the game."""
