"""Accumulation by landlab, to compare ours with: `python tools/landlab_reference.py HEIGHTS.npy SPACING_M OUT.npy`.

For an interpreter that has landlab (a benchmark-only dependency; its own environment will do). Fills depressions with
landlab's `SinkFillerBarnes`, directs by D-infinity, and writes the cells that drain through each cell, float64. landlab
counts no area for border cells.
"""

from __future__ import annotations

import sys

import numpy as np


def drained_cells(heights: np.ndarray, spacing_m: float) -> np.ndarray:
    """Cells drained through each cell of `heights` [rows, columns], border cells themselves not counted."""
    from landlab import RasterModelGrid  # type: ignore[import-not-found,unused-ignore]
    from landlab.components import (  # type: ignore[import-not-found,unused-ignore]
        FlowAccumulator,
        SinkFillerBarnes,
    )

    grid = RasterModelGrid(heights.shape, xy_spacing=spacing_m)
    grid.add_field("topographic__elevation", heights.astype(np.float64).ravel(), at="node")
    SinkFillerBarnes(grid, fill_flat=False, method="Steepest").run_one_step()
    FlowAccumulator(grid, flow_director="FlowDirectorDINF").run_one_step()
    found: np.ndarray = grid.at_node["drainage_area"].reshape(heights.shape) / spacing_m**2
    return found


if __name__ == "__main__":
    np.save(sys.argv[3], drained_cells(np.load(sys.argv[1]), float(sys.argv[2])))
