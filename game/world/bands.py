"""Rows of a field, band after band, on one thread or several."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

MOST_THREADS = 64


def in_bands(
    rows: int,
    band_rows: int,
    fill: Callable[[int, int], None],
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Call `fill(first, last)` for bands of at most `band_rows` rows until all are done.

    `fill` must be thread-safe and release the GIL to gain from `threads`. `progress(done, rows)` is called on the
    calling thread after each band; what it raises, or what `fill` raises, stops the work and reaches the caller.

    Raises `ValueError` for threads outside 1…`MOST_THREADS`.
    """
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
        raise ValueError(
            f"threads = {threads!r} is not accepted; give a whole number from 1 to {MOST_THREADS}"
        )
    size = max(1, min(band_rows, -(-rows // threads)))
    bands = [(first, min(first + size, rows)) for first in range(0, rows, size)]
    done = 0
    if threads == 1 or len(bands) == 1:
        for first, last in bands:
            fill(first, last)
            done += last - first
            if progress is not None:
                progress(done, rows)
        return
    with ThreadPoolExecutor(min(threads, len(bands))) as pool:
        jobs = {pool.submit(fill, first, last): last - first for first, last in bands}
        try:
            for job in as_completed(jobs):
                job.result()
                done += jobs[job]
                if progress is not None:
                    progress(done, rows)
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
