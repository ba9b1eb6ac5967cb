"""The copy of a tree table on the GPU: two texels a tree, sent once, read by the far trees' vertex shader.

A frame sends nothing but block numbers. A texture and not a texture buffer, because OpenGL 3.3 guarantees only 65,536
texels of the latter.
"""

from __future__ import annotations

from game.gl.context import GLContext
from game.gl.framebuffer import copy_texels
from game.gl.texture import NEAREST, RGBA32F, Texture2D
from game.render.tree_table import LINE_ROWS, TreeTable, TreeTile
from game.world.page import TREE_COLUMNS


class TreeStore:
    """A tree table and its copy on the GPU, 32 bytes a tree."""

    def __init__(self, gl: GLContext, room: int) -> None:
        """Room for `room` trees at first."""
        self._gl = gl
        self.trees = TreeTable(room)
        self.texture = self._texture()

    def sync(self, tiles: list[TreeTile]) -> int:
        """Hold the rows of `tiles`; once a frame, harmless when nothing changed. Return the bytes sent."""
        spans = self.trees.sync(tiles)
        if len(self.trees.rows) > self.texture.height * LINE_ROWS:
            # What is there already is copied by the GPU: a frame sends its own pages only.
            smaller, self.texture = self.texture, self._texture()
            copy_texels(self._gl, smaller, self.texture)
            smaller.release()
        return sum(self._send(first, end) for first, end in spans)

    def _texture(self) -> Texture2D:
        lines = len(self.trees.rows) // LINE_ROWS
        return Texture2D(self._gl, 2 * LINE_ROWS, lines, RGBA32F, sampling=NEAREST)

    def _send(self, first: int, end: int) -> int:
        """Write rows first…end−1 to the texture: a part of a line, whole lines, a part of a line."""
        rows, at = self.trees.rows, first
        while at < end:
            line, column = divmod(at, LINE_ROWS)
            if column == 0 and end - at >= LINE_ROWS:
                lines = (end - at) // LINE_ROWS
                stop = at + lines * LINE_ROWS
                texels = rows[at:stop].reshape(lines, 2 * LINE_ROWS, 4)
            else:
                stop = min(end, (line + 1) * LINE_ROWS)
                texels = rows[at:stop].reshape(1, 2 * (stop - at), 4)
            self.texture.write(texels, 2 * column, line)
            at = stop
        return (end - first) * TREE_COLUMNS * 4

    def release(self) -> None:
        """Free the texture; harmless when called twice."""
        self.texture.release()
