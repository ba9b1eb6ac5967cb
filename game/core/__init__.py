"""Units, coordinates, clock, settings, paths: what every layer may know. Imports nothing of the game."""
