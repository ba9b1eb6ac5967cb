"""The land itself: heights, normals and climate of a block of samples at one level, in one serial nogil call.

The function is built in tiers, each at the spacing its wavelengths allow, on grids anchored to the world; every tier
has a module:
  tiers 0 … 1½  nodes every 4096 m, 1024 m and 256 m: `ranges` (mountain belts with valleys) or `layers` (a stack of
                noise layers that a recipe lists);
  tier 2        nodes every 64 m: `nodes`: the skeleton made of it, its slope and curvature, masks, forest;
  rows          samples: `rows`: tier 2 interpolated, then octave by octave what is finer;
  finish        what is stored beside the samples.
Between nodes values are Catmull-Rom, which at a node returns the node's own bits; so coarse levels, whose samples
are nodes, agree exactly with fine ones.

Data comes in as `Tables` (numbers only, see `game.world.tables`), so another recipe needs no compilation, and
`Workspace` is scratch of one thread.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import APRON, GENERATED, STORED
from game.kernels import jit
from game.kernels.finish import climate_box, finish_page
from game.kernels.landscape import (
    MID_SHIFT,
    NODE_SHIFT,
    RowScratch,
    RowTables,
    flat_tables,
    new_workspace,
    row_scratch,
    row_tables,
)
from game.kernels.nodes import half_grid, mid_tier, node_grid
from game.kernels.rows import sample_rows


@jit
def sample_block(
    xq, zq, ni, nj, level, weights_row, parent_row, tables, work, out, whole, heights, normals, climate
):
    """Heights of a block: `out[j, i, 0]` with the band limits of `weights_row`, `[…, 1]` of `parent_row`.

    `xq`, `zq`: int64 [≥ ni], [≥ nj], ascending positions in 1/1024 m, at most `ROW` each and spanning at most
    280 nodes. `level` says which nodes the samples need: up to 5 they lie between nodes 64 m apart and may be
    anywhere; from 6 on they must be multiples of 2^level m, evenly spaced. `out` float32 [≥ nj, ≥ ni, 2].
    Leaves temperature at sea level, humidity, forest and crag in `work.climate[:, :nj, :ni]`.

    With `whole` the block is a page of [136, 136] samples, which is finished too: `heights` float32 [132, 132, 2],
    `normals` and `climate` uint8 [132, 132, 4] are overwritten, and the lowest and highest stored R and G returned,
    metres. It is one kernel for both, because all of the tiers are compiled into it.
    """
    shift = max(level, NODE_SHIFT)
    first_x = xq[0] >> (shift + 10)
    first_z = zq[0] >> (shift + 10)
    nodes = work.nodes
    columns, rows, skip = np.int64(ni), np.int64(nj), np.int64(0)
    if level != MID_SHIFT:
        skip = 2 if shift == NODE_SHIFT else 1
        low, high = skip, skip
        if level < NODE_SHIFT:
            low, high = skip + 1, skip + 2
        first_x -= low
        first_z -= low
        columns = (xq[ni - 1] >> (shift + 10)) + high - first_x + 1
        rows = (zq[nj - 1] >> (shift + 10)) + high - first_z + 1
    mid_tier(first_x, first_z, shift, columns, rows, weights_row, parent_row, tables, work)
    if level == MID_SHIFT:
        half_grid(first_x, first_z, columns, rows, tables, work)
    else:
        node_grid(first_x, first_z, shift, columns, rows, skip, tables, work)
    sample_rows(
        xq,
        zq,
        ni,
        nj,
        level,
        weights_row,
        parent_row,
        nodes[:, skip:],
        first_x,
        first_z + skip,
        rows - 2 * skip,
        RowTables(
            tables.parameters,
            tables.gully_octaves,
            tables.gullies,
            tables.gully_weights,
            tables.ground_octaves,
            tables.ground,
            tables.ground_weights,
            tables.ramps,
        ),
        RowScratch(
            work.nodes_wide,
            work.spread,
            work.index,
            work.weights,
            work.state,
            work.columns,
            work.column_cells,
            work.slots,
            work.slot_rows,
            work.climate,
        ),
        out,
    )
    if not whole:
        return np.float32(0.0), np.float32(0.0)
    spacing = np.int64(1) << level
    climate_box(out, APRON, spacing, STORED, STORED, tables, work.climate, climate)
    return finish_page(out, spacing, 0, STORED, 0, STORED, heights, normals)


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    tables, work = flat_tables(), new_workspace()
    base = np.zeros((GENERATED, GENERATED, 2), np.float32)
    heights = np.zeros((STORED, STORED, 2), np.float32)
    normals = np.zeros((STORED, STORED, 4), np.uint8)
    sample_block(work.xq, work.zq, 3, 3, 0, 0, 1, tables, work, base, False, heights, normals, normals.copy())
    # For points.
    nodes, part, scratch = work.nodes[:, 1:], row_tables(tables), row_scratch(work)
    sample_rows(work.xq, work.zq, 1, 1, 0, 0, 1, nodes, -1, -1, 4, part, scratch, base)
