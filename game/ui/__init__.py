"""What the player reads and clicks: HUD, debug menu, sculpting tool."""
