"""Perlin's improved noise of 2002 as published, with its permutation table, in 3-D and float64.

A reference for tests and comparisons. Worlds do not use it: the table repeats after 256 cells.

Source: K. Perlin, "Improving Noise", ACM Transactions on Graphics 21 (2002), 681-682, and its reference table.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit

PERMUTATION = np.array(
    [
        *(
            151,
            160,
            137,
            91,
            90,
            15,
            131,
            13,
            201,
            95,
            96,
            53,
            194,
            233,
            7,
            225,
            140,
            36,
            103,
            30,
            69,
            142,
            8,
            99,
        ),
        *(
            37,
            240,
            21,
            10,
            23,
            190,
            6,
            148,
            247,
            120,
            234,
            75,
            0,
            26,
            197,
            62,
            94,
            252,
            219,
            203,
            117,
            35,
            11,
            32,
        ),
        *(
            57,
            177,
            33,
            88,
            237,
            149,
            56,
            87,
            174,
            20,
            125,
            136,
            171,
            168,
            68,
            175,
            74,
            165,
            71,
            134,
            139,
            48,
            27,
        ),
        *(
            166,
            77,
            146,
            158,
            231,
            83,
            111,
            229,
            122,
            60,
            211,
            133,
            230,
            220,
            105,
            92,
            41,
            55,
            46,
            245,
            40,
            244,
        ),
        *(
            102,
            143,
            54,
            65,
            25,
            63,
            161,
            1,
            216,
            80,
            73,
            209,
            76,
            132,
            187,
            208,
            89,
            18,
            169,
            200,
            196,
            135,
            130,
        ),
        *(
            116,
            188,
            159,
            86,
            164,
            100,
            109,
            198,
            173,
            186,
            3,
            64,
            52,
            217,
            226,
            250,
            124,
            123,
            5,
            202,
            38,
            147,
        ),
        *(
            118,
            126,
            255,
            82,
            85,
            212,
            207,
            206,
            59,
            227,
            47,
            16,
            58,
            17,
            182,
            189,
            28,
            42,
            223,
            183,
            170,
            213,
            119,
        ),
        *(
            248,
            152,
            2,
            44,
            154,
            163,
            70,
            221,
            153,
            101,
            155,
            167,
            43,
            172,
            9,
            129,
            22,
            39,
            253,
            19,
            98,
            108,
            110,
        ),
        *(
            79,
            113,
            224,
            232,
            178,
            185,
            112,
            104,
            218,
            246,
            97,
            228,
            251,
            34,
            242,
            193,
            238,
            210,
            144,
            12,
            191,
            179,
        ),
        *(
            162,
            241,
            81,
            51,
            145,
            235,
            249,
            14,
            239,
            107,
            49,
            192,
            214,
            31,
            181,
            199,
            106,
            157,
            184,
            84,
            204,
            176,
        ),
        *(
            115,
            121,
            50,
            45,
            127,
            4,
            150,
            254,
            138,
            236,
            205,
            93,
            222,
            114,
            67,
            29,
            24,
            72,
            243,
            141,
            128,
            195,
            78,
        ),
        *(66, 215, 61, 156, 180),
    ],
    np.int64,
)
"""The published table, 0…255 each once; the lattice repeats after 256 cells."""


@jit(forceinline=True)
def _fade(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@jit(forceinline=True)
def _slope(hashed, x, y, z):
    """Scalar product with one of the twelve edge directions of a cube, four of them twice."""
    h = hashed & 15
    u = x if h < 8 else y
    v = y if h < 4 else (x if h == 12 or h == 14 else z)
    return (u if h & 1 == 0 else -u) + (v if h & 2 == 0 else -v)


@jit(forceinline=True)
def _mix(t, a, b):
    return a + t * (b - a)


@jit
def improved_noise(x, y, z):
    """Improved noise at (x, y, z), float64 in cells. Returns float64 in −1…1, 0 at lattice points."""
    cell_x, cell_y, cell_z = np.int64(np.floor(x)), np.int64(np.floor(y)), np.int64(np.floor(z))
    x, y, z = x - cell_x, y - cell_y, z - cell_z
    u, v, w = _fade(x), _fade(y), _fade(z)
    p = PERMUTATION
    a = p[cell_x & 255] + cell_y
    b = p[(cell_x + 1) & 255] + cell_y
    aa, ab = p[a & 255] + cell_z, p[(a + 1) & 255] + cell_z
    ba, bb = p[b & 255] + cell_z, p[(b + 1) & 255] + cell_z
    low = _mix(
        v,
        _mix(u, _slope(p[aa & 255], x, y, z), _slope(p[ba & 255], x - 1.0, y, z)),
        _mix(u, _slope(p[ab & 255], x, y - 1.0, z), _slope(p[bb & 255], x - 1.0, y - 1.0, z)),
    )
    high = _mix(
        v,
        _mix(u, _slope(p[(aa + 1) & 255], x, y, z - 1.0), _slope(p[(ba + 1) & 255], x - 1.0, y, z - 1.0)),
        _mix(
            u,
            _slope(p[(ab + 1) & 255], x, y - 1.0, z - 1.0),
            _slope(p[(bb + 1) & 255], x - 1.0, y - 1.0, z - 1.0),
        ),
    )
    return _mix(w, low, high)


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    improved_noise(0.5, 0.5, 0.5)
