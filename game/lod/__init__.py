"""Which level of detail is drawn where: frustum, ranges, CDLOD selection. No GL, no pages' contents."""
