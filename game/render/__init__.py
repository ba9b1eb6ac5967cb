"""Drawing a `FrameView`: passes over GL objects. Reads, never writes, the game's state."""
