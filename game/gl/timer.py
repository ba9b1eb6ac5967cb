"""GPU time of each pass by timer queries, and the same passes as named groups for frame debuggers.

A query's answer comes some frames later; waiting for it would stall the pipeline, so each pass has a ring of queries
and is read when the driver says it is there. Source: OpenGL 3.3 core, section 2.15 (timer queries); KHR_debug.
"""

from __future__ import annotations

from types import TracebackType

import numpy as np

from game.gl.api import GL
from game.gl.context import GLContext, GLObject

_RING = 4
"""Frames that may be under way at once; a pass whose oldest query is still open is not timed in that frame."""


class _Query(GLObject):
    def __init__(self, gl: GLContext) -> None:
        names = GL.glGenQueries(1)
        super().__init__(gl, "query", int(names[0] if hasattr(names, "__len__") else names))
        self.pending = False

    def answer_ms(self) -> float | None:
        """Milliseconds, or None while the GPU has not passed it."""
        if not GL.glGetQueryObjectuiv(self.name, GL.GL_QUERY_RESULT_AVAILABLE):
            return None
        self.pending = False
        # Nanoseconds in 32 bits: enough for 4 s, and the 64-bit call is a level of pointers slower.
        return float(GL.glGetQueryObjectuiv(self.name, GL.GL_QUERY_RESULT)) * 1e-6

    def _delete(self) -> None:
        GL.glDeleteQueries(1, np.array([self.name], np.uint32))


class _Span:
    """`with` around one pass: nothing while the timers are off."""

    def __init__(self, timers: PassTimers, label: str) -> None:
        self._timers, self._label = timers, label
        self._ring: list[_Query] = []
        self._next = 0
        self._open: _Query | None = None
        self._grouped = False
        self.ms = 0.0

    def __enter__(self) -> None:
        timers = self._timers
        if not timers.enabled:
            return
        if timers.gl.has_debug_groups:
            GL.glPushDebugGroup(GL.GL_DEBUG_SOURCE_APPLICATION, 0, len(self._label), self._label.encode())
            self._grouped = True
        if len(self._ring) < _RING:
            self._ring.append(_Query(timers.gl))
            query = self._ring[-1]
        else:
            query = self._ring[self._next]
            self._next = (self._next + 1) % _RING
        if query.pending:
            answer = query.answer_ms()
            if answer is None:
                return
            self.ms = answer
        GL.glBeginQuery(GL.GL_TIME_ELAPSED, query.name)
        self._open = query

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._open is not None:
            GL.glEndQuery(GL.GL_TIME_ELAPSED)
            self._open.pending = True
            self._open = None
        if self._grouped:
            GL.glPopDebugGroup()
            self._grouped = False

    def release(self) -> None:
        for query in self._ring:
            query.release()
        self._ring.clear()


class PassTimers:
    """The spans of a frame by label. Off until `enabled`; spans must not nest (the query may not)."""

    def __init__(self, gl: GLContext) -> None:
        self.gl = gl
        self.enabled = False
        self._spans: dict[str, _Span] = {}

    def __call__(self, label: str) -> _Span:
        """The span of a pass, to be used with `with`."""
        span = self._spans.get(label)
        if span is None:
            span = self._spans[label] = _Span(self, label)
        return span

    def times_ms(self) -> dict[str, float]:
        """GPU milliseconds of each pass as last answered, in the order of drawing; empty while they are off."""
        return {label: span.ms for label, span in self._spans.items()} if self.enabled else {}

    def release(self) -> None:
        """Free every query; harmless when called twice."""
        for span in self._spans.values():
            span.release()
