"""Ten simulated minutes of riding: what memory and GL objects grow by. Takes some minutes; see `bench_streaming`."""

from __future__ import annotations

import os
from typing import Any

from bench_common import figure
from bench_streaming import RIDE, ride

SECONDS = 10.0 * float(os.environ.get("VELOTERRA_BENCH_SECONDS", "60"))


def figures() -> list[dict[str, Any]]:
    """RSS at the end less RSS after a tenth of the ride, and GL objects left over."""
    report = ride(12.0, SECONDS)
    rss = report["rss_mib"]
    compared = {"ride": RIDE, "simulated seconds": SECONDS, **rss}
    return [
        figure(
            "RSS growth over a 10 min simulated ride",
            rss["end"] - rss["settled"],
            "MiB",
            5.0,
            "lower",
            compared,
        ),
        figure(
            "growth of GL objects over it",
            report["gl_live_objects"] - report["gl_settled_objects"],
            "objects",
            0,
            "lower",
            {"leaked after release": report["gl_leaked_objects"]},
        ),
    ]
