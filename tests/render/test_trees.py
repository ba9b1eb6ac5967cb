"""Trees: which level draws which tree, where it stands, and that GPU objects are given back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.coords import PageKey, page_at
from game.core.settings import Quality
from game.gl.context import GLContext
from game.kernels import instances, scatter
from game.lod.selection import PATCH_DTYPE, Selection
from game.render.frame import FrameView
from game.render.tree_gather import SHORE_M, TreeGather, level_rows
from game.render.tree_table import TreeTable
from game.world.seasons import SeasonLook
from game.world.vegetation import share_kept, tiles_along
from tests.render.scene import frame_view

QUALITY = Quality("high", 16, 110.0, 3000.0, 4, 1.0, 0)
SIZES = np.array([[13.0, 3.2], [9.5, 3.4]], np.float32)


def selection_at(x: float, z: float, altitude_m: float = 1.7, ranges: list[float] | None = None) -> Selection:
    """A selection without patches: trees read its numbers only."""
    reach = np.array(ranges or [110.0, 220.0, 440.0, 880.0, 1760.0, 3000.0], np.float32)
    anchor_x, anchor_z = math.floor(x), math.floor(z)
    return Selection(
        patches=np.zeros(0, PATCH_DTYPE),
        level_starts=np.zeros(len(reach) + 1, np.int32),
        ranges=reach,
        anchor_x=anchor_x,
        anchor_z=anchor_z,
        frac_x=np.float32(x - anchor_x),
        frac_z=np.float32(z - anchor_z),
        altitude_m=np.float32(altitude_m),
        morph=0.25,
        view_m=3000.0,
        top=len(reach) - 1,
        patch_quads=16,
        complete=True,
    )


def forest(count: int, around: tuple[float, float], reach_m: float, seed: int = 5) -> np.ndarray:
    """Trees [n, 4] float64: world x, z on the 1/64 m lattice, kind, rank; hashed by a fixed sequence."""
    steps = np.arange(1, count + 1, dtype=np.float64)
    golden = np.array([0.7548776662466927, 0.5698402909980532, 0.618033988749895, 0.8191725133961645])
    hashed = (steps[:, None] * golden + seed * 0.137) % 1.0
    trees = np.empty((count, 4))
    trees[:, 0] = np.round((around[0] + (2 * hashed[:, 0] - 1) * reach_m) * 64) / 64
    trees[:, 1] = np.round((around[1] + (2 * hashed[:, 1] - 1) * reach_m) * 64) / 64
    trees[:, 2] = hashed[:, 2] < 0.4
    trees[:, 3] = hashed[:, 3]
    return trees


def clear_of(trees: np.ndarray, x: float, z: float) -> np.ndarray:
    """The trees farther than 45 m: those at the feet may lie below the picture."""
    return trees[np.hypot(trees[:, 0] - x, trees[:, 1] - z) > 45.0]


def height(level: int, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Land that differs from level to level by metres."""
    return 40.0 + 9.0 * np.sin(x / 61.0 + 0.7 * level) + 6.0 * np.cos(z / 47.0 - 0.4 * level)


def in_tiles(key: PageKey, rows: np.ndarray) -> np.ndarray:
    """The rows in the order that pages have them."""
    out = np.empty_like(rows)
    scatter.in_tiles(rows, key.span_m, tiles_along(key.level), out)
    return out


def tiles_of(trees: np.ndarray, levels: int) -> list[tuple[PageKey, np.ndarray, int]]:
    """The pages of all levels with their rows, as streaming hands them over."""
    tiles: dict[PageKey, list[tuple[float, ...]]] = {}
    for level in range(levels):
        for x, z, kind, rank in trees[np.argsort(trees[:, 3], kind="stable")]:
            if rank >= share_kept(level):
                continue
            key = page_at(level, x, z)
            ox, oz = key.origin_m
            own, parent = (float(height(up, x, z)) for up in (level, level + 1))
            tiles.setdefault(key, []).append((x - ox, own, z - oz, parent, 1.0, 6.0 * rank, kind, rank))
    return [(key, in_tiles(key, np.array(tiles[key], np.float32)), n) for n, key in enumerate(sorted(tiles))]


def view_of(trees: np.ndarray, x: float, z: float, **changes: object) -> FrameView:
    """A frame at (x, z), eye 41.7 m up, looking where `changes` say."""
    view = frame_view(selection_at(x, z), (x, 41.7, z), **changes)  # type: ignore[arg-type]
    view.tree_tiles = tiles_of(trees, QUALITY.tree_levels)
    return view


def gathered(view: FrameView, gather: TreeGather | None = None) -> TreeGather:
    """A gather of all trees of a frame."""
    gather, table = gather or TreeGather(QUALITY, SIZES), TreeTable()
    table.sync(view.tree_tiles)
    gather.begin(view)
    gather.gather(view, table)
    return gather


def drawn(gather: TreeGather) -> np.ndarray:
    """All instance rows, cross-fade partners left out."""
    rows = np.concatenate(
        [gather.rows[bucket, : gather.counts[bucket]] for bucket in range(instances.BUCKETS)]
    )
    return rows[rows[:, 6] > 0.0]


def around(trees: np.ndarray, x: float, z: float) -> np.ndarray:
    """Instance rows from four looks of 90° and more, so that no tree is left out by the frustum."""
    found: dict[tuple[float, float], np.ndarray] = {}
    gather = TreeGather(QUALITY, SIZES)
    for look in range(6):
        view = view_of(trees, x, z, yaw_rad=look * math.pi / 3, pitch_rad=0.0, size=(160, 90))
        gathered(view, gather)
        for row in drawn(gather):
            place = (float(row[0]), float(row[2]))
            if place in found:
                assert np.array_equal(found[place], row)
            found[place] = row.copy()
    return np.array(list(found.values()))


@pytest.mark.parametrize("origin", [(0.0, 0.0), (-1024.0, 3.0), (16777216.5, -20480.25), (-9.9e8, 9.9e8)])
def test_each_tree_on_exactly_one_level_at_the_drawn_height(origin: tuple[float, float]) -> None:
    x, z = origin[0] + 0.375, origin[1] - 0.625
    trees = clear_of(forest(900, (x, z), 480.0), x, z)
    trees[:, 3] *= 0.4  # low ranks: none is thinned within this reach
    rows = around(trees, x, z)
    dx = (trees[:, 0] - x).astype(np.float32)
    dz = (trees[:, 1] - z).astype(np.float32)
    assert len(rows) == len({(float(a), float(b)) for a, b in zip(dx, dz, strict=True)})
    ranges = selection_at(x, z).ranges
    expected = {}
    for tree, a, b in zip(trees, dx, dz, strict=True):
        distance = np.sqrt(a * a + b * b + np.float32(1.7) * np.float32(1.7))
        level = int(np.searchsorted(ranges, distance, side="right"))
        r = ranges[level]
        k = np.clip((distance - np.float32(0.75) * r) / (np.float32(0.25) * r), 0.0, 1.0)
        own, parent = (float(height(up, tree[0], tree[1])) for up in (level, level + 1))
        expected[float(a), float(b)] = own + (parent - own) * float(k) - 41.7
    for row in rows:
        assert row[1] == pytest.approx(expected[float(row[0]), float(row[2])], abs=2e-4)


def test_bands_leave_no_gap_at_a_range() -> None:
    """A tree is walked past r_0 in steps of 1/64 m: it is always drawn, and by one level."""
    for step in range(-64, 65):
        trees = np.array([[0.0, -(np.round(109.98 * 64) + step) / 64, 0.0, 0.1]])
        view = view_of(trees, 0.0, 0.0, pitch_rad=0.0)
        gather = TreeGather(QUALITY, SIZES)
        gathered(view, gather)
        assert len(drawn(gather)) == 1


def test_height_is_continuous_over_a_range() -> None:
    """Just inside r_0 a tree stands on the parent's land, where level 1 has it just outside."""
    heights = []
    for z in (-109.984375, -110.0):
        gather = TreeGather(QUALITY, SIZES)
        gathered(view_of(np.array([[0.0, z, 0.0, 0.1]]), 0.0, 0.0, pitch_rad=0.0), gather)
        heights.append(float(drawn(gather)[0, 1]))
    assert abs(heights[0] - heights[1]) < 0.02


def test_none_in_the_sea() -> None:
    trees = forest(600, (0.0, 0.0), 200.0)
    trees[:, 3] *= 0.4
    sea = 41.0
    gather = TreeGather(QUALITY, SIZES)
    view = view_of(trees, 0.0, 0.0, pitch_rad=0.0, sea_level_m=sea)
    gathered(view, gather)
    some = drawn(gather)
    assert len(some) > 20
    assert (some[:, 1] + 41.7 >= sea + SHORE_M - 1e-3).all()
    before = len(some)
    for level, expected in ((100.0, 0), (-500.0, None)):
        view.sea_level_m = level
        gathered(view, gather)
        found = len(drawn(gather))
        assert found == expected if expected is not None else found > before


def test_off_levels_draw_nothing_and_the_rest_fills_in() -> None:
    """Ranges of 0 (pages not there yet) hand their trees to the first level that is on."""
    trees = clear_of(forest(300, (0.0, 0.0), 100.0), 0.0, 0.0)
    trees[:, 3] *= 0.4
    view = view_of(trees, 0.0, 0.0, pitch_rad=0.0)
    view.selection = selection_at(0.0, 0.0, ranges=[0.0, 0.0, 440.0, 880.0, 1760.0, 3000.0])
    gather = TreeGather(QUALITY, SIZES)
    gathered(view, gather)
    late = {(float(row[0]), float(row[2])) for row in drawn(gather)}
    view.selection = selection_at(0.0, 0.0)
    gathered(view, gather)
    assert late == {(float(row[0]), float(row[2])) for row in drawn(gather)}


def test_frustum_keeps_what_is_seen() -> None:
    """Trees in the middle of the picture are drawn, trees behind are not."""
    trees = forest(800, (0.0, 0.0), 400.0)
    trees[:, 3] *= 0.4
    gather = TreeGather(QUALITY, SIZES)
    for yaw in (0.0, 1.0, 2.5, 4.0):
        gathered(view_of(trees, 0.0, 0.0, yaw_rad=yaw, pitch_rad=-0.05), gather)
        ahead = drawn(gather) @ np.array([math.sin(yaw), 0, -math.cos(yaw), 0, 0, 0, 0, 0], np.float32)
        assert ahead.min() > -8.0
        forward = (trees[:, 0] * math.sin(yaw) - trees[:, 1] * math.cos(yaw)) > 12.0
        aside = np.abs(trees[:, 0] * math.cos(yaw) + trees[:, 1] * math.sin(yaw))
        depth = trees[:, 0] * math.sin(yaw) - trees[:, 1] * math.cos(yaw)
        wanted = trees[forward & (aside < 0.5 * depth)]
        got = {(float(row[0]), float(row[2])) for row in drawn(gather)}
        assert {(float(np.float32(x)), float(np.float32(z))) for x, z in wanted[:, :2]} <= got


def test_jitted_agrees_with_plain_python() -> None:
    trees = forest(160, (12.0, -30.0), 300.0)
    gather = TreeGather(QUALITY, SIZES)
    view = view_of(trees, 12.25, -30.5, yaw_rad=0.4, pitch_rad=0.0)
    levels = level_rows(view.selection, 4, 1.0)
    trees[::3, 2] += 2 * scatter.climate_codes(-1.0, 0.0)[0]
    view.tree_tiles = tiles_of(trees, QUALITY.tree_levels)
    codes = scatter.climate_codes(-2.0, 0.0)
    setup = np.array(
        [1.7, -500.0, 26.0, 31.0, 96.0, 113.0, 690.0, 880.0, 0.08, 1e-5, 1e9, *codes], np.float32
    )
    planes = gather._planes(view.camera)
    results = []
    for function in (instances.gather, instances.gather.py_func):
        out = np.zeros((instances.BUCKETS, 256, instances.INSTANCE_COLUMNS), np.float32)
        counts = np.zeros(instances.BUCKETS, np.int64)
        chosen = np.zeros(512, np.int32)
        tiles = np.zeros((instances.BUCKETS, 256), np.int32)
        for key, rows, _ in view.tree_tiles:
            corner = [np.float64(o - c) for o, c in zip(key.origin_m, (12.25, -30.5), strict=True)]
            bounds = np.float64(key.span_m), np.float64(rows[:, 1].min()), np.float64(rows[:, 1].max())
            head = (rows, *corner, np.float64(41.7), *corner, *bounds, levels[key.level])
            function(*head, setup, planes, SIZES, chosen, 0, out, tiles, counts)
        results.append((out, counts))
    assert results[0][1].sum() > 20
    assert np.array_equal(results[0][1], results[1][1])
    assert np.array_equal(results[0][0], results[1][0])


def test_cross_fade_partners_complete_each_other() -> None:
    """In a band a tree is in two details with opposite fades: together they cover every pixel once."""
    trees = forest(2000, (0.0, 0.0), 130.0)
    trees[:, 3] *= 0.4
    gather = TreeGather(QUALITY, SIZES)
    gathered(view_of(trees, 0.0, 0.0, pitch_rad=0.0), gather)
    fades: dict[tuple[float, float], list[float]] = {}
    for bucket in range(instances.BUCKETS):
        for row in gather.rows[bucket, : gather.counts[bucket]]:
            fades.setdefault((float(row[0]), float(row[2])), []).append(float(row[6]))
    pairs = [pair for pair in fades.values() if len(pair) == 2]
    assert len(pairs) > 10
    assert all(a == -b for a, b in pairs)
    assert all(len(found) <= 2 for found in fades.values())
    assert gather.counts[:2].sum() > 0
    assert gather.counts[2:4].sum() > 0
    assert gather.counts[4:].sum() > 0


def test_thinning_never_asks_for_more_than_the_coarser_page_carries() -> None:
    for levels in (1, 2, 3, 4, 5):
        for keep in (0.3, 0.7, 1.0):
            rows = level_rows(selection_at(0.0, 0.0), levels, keep)
            assert (np.diff(rows[:, 5]) <= 0).all()
            for level in range(len(rows) - 1):
                assert rows[level, 6] == rows[level + 1, 5]
                if share_kept(level + 1) < 1.0:
                    assert rows[level, 6] <= share_kept(level + 1)


def test_far_trees_shrink_away_by_rank() -> None:
    trees = forest(4000, (0.0, -700.0), 300.0)
    gather = TreeGather(QUALITY, SIZES)
    gathered(view_of(trees, 0.0, 0.0, pitch_rad=0.0), gather)
    rows = drawn(gather)
    distance = np.hypot(rows[:, 0], rows[:, 2])
    assert distance.max() < 880.0
    near, far = rows[distance < 600.0], rows[distance > 800.0]
    assert len(near) > 50
    assert far[:, 3].mean() < near[:, 3].mean()


def test_buffers_grow_instead_of_dropping_trees() -> None:
    trees = forest(3000, (0.0, -60.0), 45.0)
    trees[:, 3] *= 0.4
    gather = TreeGather(QUALITY, SIZES)
    view = view_of(trees, 0.0, 0.0, pitch_rad=0.0)
    gathered(view, gather)
    whole = len(drawn(gather))
    gather.rows = np.zeros((instances.BUCKETS, 16, instances.INSTANCE_COLUMNS), np.float32)
    gather.tiles = np.zeros((instances.BUCKETS, 16), np.int32)
    gathered(view, gather)
    assert len(drawn(gather)) == whole > 500


def test_no_trees_no_rows() -> None:
    gather = TreeGather(QUALITY, SIZES)
    gathered(view_of(np.zeros((0, 4)), 0.0, 0.0), gather)
    assert gather.counts.sum() == 0


def test_far_blocks_hold_every_far_tree_once() -> None:
    """All that `gather` finds beyond the meshes lies in a block of its level, and in one only."""
    trees = forest(3000, (5.0, -200.0), 420.0)
    view = view_of(trees, 5.25, -3.5, pitch_rad=-0.05)
    gather, table = TreeGather(QUALITY, SIZES), TreeTable(1)
    table.sync(view.tree_tiles)
    gather.begin(view)
    gather.gather(view, table)
    far = gather.rows[4:, :, :][np.arange(gather.rows.shape[1]) < gather.counts[4:, None]]
    blocks = gather.far_blocks(view, table)
    assert len(far) > 300
    reached: dict[tuple[float, float], int] = {}
    for corner_x, corner_z, first, packed in blocks.tolist():
        rows = table.rows[first : first + (packed & 255)]
        for x, z in zip(rows[:, 0], rows[:, 2], strict=True):
            place = (corner_x + float(x), corner_z + float(z), packed >> 8)
            reached[place] = reached.get(place, 0) + 1
    assert set(reached.values()) == {1}
    selection = view.selection
    ranges = selection.ranges
    for row in far:
        place = (float(row[0]) + float(selection.frac_x), float(row[2]) + float(selection.frac_z))
        level = int(np.searchsorted(ranges, math.hypot(float(row[0]), float(row[2]), 1.7), side="right"))
        assert any((*place, near) in reached for near in (level - 1, level, level + 1)), row
    assert (np.diff(blocks[:, 3] >> 8) >= 0).all()


def test_a_ride_through_like_woods_needs_no_more_room_than_its_start() -> None:
    """Pages come and go for an hour; the holes they leave are no reason to send the whole table anew."""
    random = np.random.default_rng(8)
    rows = np.zeros((2000, 8), np.float32)
    rows[:, 0] = rows[:, 2] = 1.0

    def page(number: int) -> tuple[PageKey, np.ndarray, int]:
        # As in woods: many pages of some hundred trees, some of ten times as many.
        return PageKey(0, number, 0), rows[: int(random.choice([120, 190, 250, 1990]))], 0

    table, held = TreeTable(1), [page(number) for number in range(160)]
    table.sync(held)
    room = len(table.rows)
    assert table.trees < room < 1.45 * table.trees
    fewest = most = table.trees
    for number in range(160, 3000):
        gone = int(random.integers(0, len(held)))
        fresh = page(number)
        if not 0.93 <= (table.trees + len(fresh[1]) - len(held[gone][1])) / fewest <= 1.07:
            fresh = (fresh[0], held[gone][1], 0)
        held = sorted([*held[:gone], *held[gone + 1 :], fresh], key=lambda tile: tile[0])
        table.sync(held)
        most = max(most, table.trees)
    assert most > 1.04 * fewest
    assert len(table.rows) == room


def test_more_room_is_taken_without_moving_what_is_there() -> None:
    rows = np.arange(8.0 * 30_000, dtype=np.float32).reshape(-1, 8) % 128.0
    table = TreeTable(1)
    table.sync([(PageKey(0, 0, 0), rows, 0)])
    before = table.rows
    [(first, end)] = table.sync([(PageKey(0, 0, 0), rows, 0), (PageKey(0, 1, 0), rows, 1)])
    assert len(table.rows) > len(before)
    assert end - first == len(rows), "only what arrived is sent"
    assert np.shares_memory(table.rows, before)


@pytest.mark.gl
def test_a_store_that_grows_sends_what_arrived_and_keeps_the_rest(gl_context: GLContext) -> None:
    from game.gl.api import GL
    from game.render.tree_store import TreeStore

    random = np.random.default_rng(5)
    tiles = [(PageKey(0, n, 0), (128.0 * random.random((20_000, 8))).astype(np.float32), n) for n in range(4)]
    store = TreeStore(gl_context, 1)
    for count in range(1, len(tiles) + 1):
        assert store.sync(tiles[:count]) == 20_000 * 32
    GL.glBindTexture(GL.GL_TEXTURE_2D, store.texture.name)
    texels = np.empty((store.texture.height * 512, 8), np.float32)
    GL.glGetTexImage(GL.GL_TEXTURE_2D, 0, GL.GL_RGBA, GL.GL_FLOAT, texels)
    held = np.concatenate([np.arange(row[5], row[5] + row[6]) for row in store.trees.table])
    assert len(held) == 80_000
    assert np.array_equal(texels[held], store.trees.rows[held])
    store.release()
    assert gl_context.live == 0


def in_order(key: PageKey, rows: np.ndarray) -> np.ndarray:
    out = np.empty_like(rows)
    scatter.in_tiles(rows, key.span_m, tiles_along(key.level), out)
    return out


def test_the_table_keeps_up_with_pages_that_come_go_and_change() -> None:
    random = np.random.default_rng(3)
    pages = {key: rows for key, rows, _ in tiles_of(forest(4000, (0.0, 0.0), 500.0), 4)}
    whole, keys = dict(pages), sorted(pages)
    table = TreeTable(1)
    mirror = table.rows.copy()
    for step in range(40):
        held = sorted(random.choice(len(keys), size=random.integers(0, len(keys)), replace=False))
        if step % 3 == 0 and held:
            key = keys[held[0]]
            pages[key] = pages[key].copy()
            pages[key][:: 1 + step, 1] += 1.5
        elif step % 3 == 1 and held:
            # An edit fells some, plants some and makes others shorter.
            key, felled = keys[held[-1]], random.random(len(pages[keys[held[-1]]])) < 0.1
            pages[key] = np.concatenate([pages[key][~felled], whole[key][: random.integers(0, 3)]])
            pages[key][-3:, 4] *= 0.9
            pages[key] = in_order(key, pages[key])
        tiles = [(keys[n], pages[keys[n]], int(n)) for n in held]
        for first, end in table.sync(tiles):
            if len(mirror) < len(table.rows):
                mirror = np.concatenate([mirror, np.zeros((len(table.rows) - len(mirror), 8), np.float32)])
            mirror[first:end] = table.rows[first:end]
        assert table.sync(tiles) == []
        assert table.trees == sum(len(rows) for _, rows, _ in tiles)
        found: dict[PageKey, list[np.ndarray]] = {}
        for row, (low, high) in zip(table.table.tolist(), table.bounds.tolist(), strict=True):
            level, x, z, tile_x, tile_z, first, count, layer = row
            key = PageKey(level, x // (128 << level), z // (128 << level))
            part = mirror[first : first + count]
            assert layer == keys.index(key)
            assert low == part[:, (1, 3)].min()
            assert high == part[:, (1, 3)].max()
            side = max(128, 32 << level)
            assert (part[:, 0] + x >= tile_x).all()
            assert (part[:, 0] + x < tile_x + side).all()
            assert (part[:, 2] + z >= tile_z).all()
            assert (part[:, 2] + z < tile_z + side).all()
            found.setdefault(key, []).append(part)
        assert {key: len(np.concatenate(parts)) for key, parts in found.items()} == {
            key: len(rows) for key, rows, _ in tiles
        }
        assert all(np.array_equal(np.concatenate(found[key]), rows) for key, rows, _ in tiles)


@pytest.mark.gl
class TestDrawn:
    """The pass against a real context."""

    @pytest.mark.parametrize("msaa", [0, 4])
    def test_ledger_is_zero_after_release(self, gl_context: GLContext, msaa: int) -> None:
        from game.render.trees import TreesPass

        made = TreesPass(gl_context, Quality("high", 16, 110.0, 3000.0, 4, 1.0, msaa))
        assert gl_context.live > 10
        made.release()
        made.release()
        assert gl_context.live_by_kind() == {}

    @pytest.mark.parametrize("msaa", [0, 4])
    def test_every_detail_shows(self, gl_context: GLContext, msaa: int) -> None:
        """One tree at a time, near, middle and far: a dark figure before a bright sky, of the right height."""
        from game.render.renderer import Renderer

        renderer = Renderer(gl_context, Quality("low", 16, 110.0, 3000.0, 4, 1.0, msaa), 160, 120)
        selection = selection_at(0.0, 0.0)
        for kind in (0.0, 1.0):
            for distance in (24.0, 60.0, 170.0):
                views = []
                for trees in (np.zeros((0, 4)), np.array([[0.0, -distance, kind, 0.1]])):
                    view = frame_view(selection, (0.0, 44.0, 0.0), 0.0, 0.0, (160, 120))
                    view.camera.fov_y_rad = 2.0 * math.atan(12.0 / distance)
                    view.tree_tiles = [
                        (key, _flat(rows, 40.0), layer)
                        for key, rows, layer in tiles_of(trees, QUALITY.tree_levels)
                    ]
                    renderer.draw(view)
                    views.append(renderer.read_pixels().astype(int))
                seen = np.abs(views[1] - views[0]).max(axis=2) > 20
                rows = np.flatnonzero(seen.any(axis=1))
                pixels = SIZES[int(kind), 0] * 60.0 / 12.0
                assert rows[-1] - rows[0] == pytest.approx(pixels, rel=0.12, abs=2.5), (kind, distance)
                columns = np.flatnonzero(seen.any(axis=0))
                assert abs(0.5 * (columns[0] + columns[-1]) - 79.5) < 0.12 * pixels + 2.0
        assert renderer.trees_drawn == 1
        renderer.release()

    def test_far_trees_on_the_gpu_are_those_of_the_kernel(self, gl_context: GLContext) -> None:
        """The shader draws the impostors that `gather` finds, where it finds them: as many and as much green."""
        from game.render.renderer import Renderer

        view = view_of(clear_of(forest(500, (0.0, -260.0), 200.0), 0.0, 0.0), 0.0, 0.0, pitch_rad=0.0)
        view.width, view.height = 320, 180
        renderer = Renderer(gl_context, QUALITY, 320, 180)
        renderer.draw(view)
        with_trees = renderer.read_pixels().astype(int)
        far = gathered(view)
        rows = np.concatenate([far.rows[b, : far.counts[b]] for b in (4, 5)])
        rows = rows[(rows[:, 6] > 0.5) & (rows[:, 3] > 0.9)]
        assert len(rows) > 60
        view.tree_tiles = []
        renderer.draw(view)
        without = renderer.read_pixels().astype(int)
        renderer.release()
        changed = np.abs(with_trees - without).max(axis=2) > 12
        scale = 90.0 / math.tan(0.5 * view.camera.fov_y_rad)
        hits = seen = 0
        for x, y, z, size, *_ in rows.tolist():
            column, line = 160 + scale * x / -z, 90 - scale * (y + 0.5 * 9.0 * size) / -z
            if 2 <= column < 318 and 2 <= line < 178:
                seen += 1
                hits += bool(changed[int(line) - 1 : int(line) + 2, int(column) - 1 : int(column) + 2].any())
        assert seen > 40
        assert hits == seen

    @pytest.mark.parametrize("change", [{"warmth_c": -6.0}, {"moisture": -0.4}])
    def test_a_colder_or_drier_world_shows_only_the_trees_that_bear_it(
        self, gl_context: GLContext, change: dict[str, float]
    ) -> None:
        """Near, far and their shadows: the picture is that of a world in which the others never stood."""
        from game.render.renderer import Renderer

        trees = forest(1500, (0.0, -160.0), 240.0)
        hardy, thirst = scatter.climate_codes(change.get("warmth_c", 0.0), change.get("moisture", 0.0))
        tender = np.arange(len(trees)) % 2 == 0
        # Half of them bear exactly this climate, the others one step less of it.
        step = 1 if "warmth_c" in change else scatter.HARDY_CODES
        borne = 0 if "warmth_c" in change else scatter.HARDY_CODES * thirst
        borne += hardy if "warmth_c" in change else 0
        trees[:, 2] += 2 * (borne + step * tender)
        view = view_of(trees, 0.0, 0.0, pitch_rad=-0.1)
        view.width, view.height = 320, 180
        renderer = Renderer(gl_context, QUALITY, 320, 180)
        renderer.draw(view)
        before = renderer.read_pixels()
        drawn_before = renderer.trees_drawn
        view.look = SeasonLook(**change)
        renderer.draw(view)
        found, count = renderer.read_pixels(), renderer.trees_drawn
        view.tree_tiles = tiles_of(trees[~tender], QUALITY.tree_levels)
        renderer.draw(view)
        assert 100 < count == renderer.trees_drawn < 0.7 * drawn_before
        assert np.array_equal(found, renderer.read_pixels())
        view.tree_tiles = tiles_of(trees, QUALITY.tree_levels)
        view.look = SeasonLook()
        renderer.draw(view)
        assert np.array_equal(before, renderer.read_pixels())
        renderer.release()

    def test_counters(self, gl_context: GLContext) -> None:
        from game.render.renderer import Renderer

        renderer = Renderer(gl_context, QUALITY, 64, 48)
        view = view_of(forest(800, (0.0, 0.0), 300.0), 0.0, 0.0, pitch_rad=0.0, size=(64, 48))
        renderer.draw(view)
        with_trees = renderer.draw_calls
        assert renderer.trees_drawn > 50
        view.tree_tiles = []
        renderer.draw(view)
        assert with_trees - renderer.draw_calls <= instances.BUCKETS + 2  # two for the shadows
        assert renderer.trees_drawn == 0
        renderer.release()


def _flat(rows: np.ndarray, level_m: float) -> np.ndarray:
    """The rows with every foot at one height."""
    out = rows.copy()
    out[:, (1, 3)] = level_m
    return out
