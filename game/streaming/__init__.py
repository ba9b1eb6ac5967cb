"""Which pages are wanted, made and resident: focus, workers, store. Never calls GL."""
