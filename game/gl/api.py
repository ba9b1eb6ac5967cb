"""The one `import OpenGL`: sets PyOpenGL's switches first, then exposes `GL`.

Importing this module binds PyOpenGL to a platform (GLX, EGL, WGL, CGL) for the life of the process, so it
may only be imported after `context.bind_platform`, that is after the window exists.
Error checking costs a glGetError after every call (about half of PyOpenGL's time), so it is off unless
`VELOTERRA_GL_CHECK=1`; the tests set that.
"""

from __future__ import annotations

import os

import OpenGL

CHECKED = os.environ.get("VELOTERRA_GL_CHECK", "") not in ("", "0")
"""Whether every GL call is followed by an error check."""

OpenGL.ERROR_CHECKING = CHECKED
OpenGL.ERROR_ON_COPY = CHECKED
OpenGL.ARRAY_SIZE_CHECKING = CHECKED
OpenGL.ERROR_LOGGING = False

from OpenGL import GL  # noqa: E402
from OpenGL.raw.GL.VERSION.GL_1_1 import glTexSubImage2D as send_rectangle  # noqa: E402
from OpenGL.raw.GL.VERSION.GL_1_2 import glTexSubImage3D as send_box  # noqa: E402

__all__ = ["CHECKED", "GL", "send_box", "send_rectangle"]
# `send_box` and `send_rectangle`: the calls themselves, with an address. PyOpenGL's own set the unpacking anew.
