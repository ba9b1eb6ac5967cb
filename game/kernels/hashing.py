"""Integer hashing: the only source of randomness in the world.

A value is a hash of (seed, integer coordinates, channel); nothing is drawn from a generator, so what stands at a
place never depends on the order in which places are asked for. Products are masked so that they stay below
2^63: numba and plain Python then agree bit for bit, and no integer ever overflows.
"""

from __future__ import annotations

import numpy as np

from game.kernels import uncounted

MASK32 = 0xFFFFFFFF
CELL_X = 0x1F35C2A5  # odd and below 2^29, so that cell · constant stays below 2^61
CELL_Z = 0x16A7B3D9
_MIX_A = 0x3C6EF35D
_MIX_B = 0x2B5AD4C7
_SHIFT_15 = np.uint32(15)
_SHIFT_13 = np.uint32(13)
_SHIFT_16 = np.uint32(16)


@uncounted(forceinline=True)
def mix32(value):
    """Scramble a uint32: every input bit reaches every output bit. Returns uint32."""
    h = np.uint32(value ^ np.uint32(value >> _SHIFT_15))
    h = np.uint32((np.int64(h) * _MIX_A) & MASK32)
    h = np.uint32(h ^ np.uint32(h >> _SHIFT_13))
    h = np.uint32((np.int64(h) * _MIX_B) & MASK32)
    return np.uint32(h ^ np.uint32(h >> _SHIFT_16))


@uncounted(forceinline=True)
def hash_row(cell_z, seed):
    """The part of `hash_cell` that a row of cells shares: hash = `mix32`((cell_x · `CELL_X` + this) mod 2^32)."""
    return ((cell_z & MASK32) * CELL_Z + seed * 0x1ED5AD4B + 0x5D1B2C3F) & MASK32


@uncounted(forceinline=True)
def hash_cell(cell_x, cell_z, seed):
    """Hash of a lattice cell. `cell_x`, `cell_z` int64 (any sign), `seed` int64 in 0…2^32−1. Returns uint32."""
    return mix32(np.uint32(((cell_x & MASK32) * CELL_X + hash_row(cell_z, seed)) & MASK32))


@uncounted
def hash_channel(seed, channel):
    """Derive an int64 in 0…2^32−1 from a seed of up to 64 bits (int64 bit pattern) and a channel number."""
    low = seed & MASK32
    high = (seed >> 32) & MASK32
    first = mix32(np.uint32((low + channel * 0x2545F491) & MASK32))
    return np.int64(mix32(np.uint32((np.int64(first) + high + 0x3779B97F) & MASK32)))


@uncounted(forceinline=True)
def unit_float(hashed):
    """Map a uint32 hash to float32 in 0…1 (1 excluded), from its upper 24 bits."""
    return np.float32(np.int32(hashed >> np.uint32(8))) * np.float32(1.0 / 16777216.0)


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    mix32(np.uint32(1))
    hash_cell(1, -1, 7)
    hash_row(-1, 7)
    hash_channel(7, 1)
    unit_float(np.uint32(5))
