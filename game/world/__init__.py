"""The world as a function of recipe, seed and edits; nothing here knows a window or a camera."""
