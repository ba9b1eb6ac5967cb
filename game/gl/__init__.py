"""One small class per OpenGL noun, counted by a ledger. No game knowledge."""
