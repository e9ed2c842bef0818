"""Lanes of a quiet pool in the morning: clear water, lane ropes, a towel and goggles on the edge."""

import math

import numpy as np

from lab.pictures.places import folded, glow, hidden, sky, terry
from lab.pictures.studio import (
    R,
    begin,
    box,
    camera,
    ceramic,
    choose_look,
    lathe,
    light,
    mat,
    put,
    render,
    ripple,
    sheet,
    tube,
)

LOOK = choose_look("morning", "night")
begin(151)
day = LOOK == "morning"
water = mat(
    (0.05, 0.42, 0.55) if day else (0.02, 0.20, 0.36),
    (0.10, 0.58, 0.66) if day else (0.04, 0.32, 0.46),
    (0.8, 0.35, 0.7),
    0.03,
    None,
    coat=0.8,
)
x, y = np.meshgrid(np.linspace(-14, 14, 300), np.linspace(-0.4, 26, 300))
sheet(np.stack([x, y, -0.35 + 0.045 * ripple(x, y, 2.2, 9) + 0.02 * ripple(x, y, 6, 7)], -1), water)
tiles = [ceramic((0.78 + 0.04 * k, 0.80 + 0.03 * k, 0.78), (0.7, 0.72, 0.7)) for k in range(3)]
for row in range(5):
    for column in range(-9, 10):
        box((0.97, 0.97, 0.3), R.choice(tiles), (column + (row % 2) * 0.0, -0.75 - row, -0.15), 0.04)
box((30, 0.5, 0.36), ceramic((0.30, 0.50, 0.58), (0.24, 0.42, 0.5)), (0, -0.2, -0.14), 0.08)
red, white = mat((0.75, 0.06, 0.03), rough=0.3, coat=0.3), mat((0.90, 0.90, 0.88), rough=0.3, coat=0.3)
blue = mat((0.04, 0.16, 0.55), rough=0.3, coat=0.3)
for lane, x0 in enumerate((-6.6, -2.2, 2.2, 6.6)):
    for i in range(70):
        y0 = 0.4 + i * 0.34
        float_ = lathe(
            [(0.05, -0.14), (0.15, -0.13), (0.17, -0.06), (0.17, 0.06), (0.15, 0.13), (0.05, 0.14)],
            (red if lane % 2 else blue) if (i // 5) % 2 else white,
            20,
            0,
            0,
        )
        put(float_, (x0 * (1 - 0.006 * y0), y0, -0.26 + 0.02 * math.sin(y0)), (90, 0, 0))
put(folded(1.5, 1.0, terry((0.86, 0.84, 0.78)), 4, 0.12), (-1.75, -1.5, 0), (0, 0, 18))
strap, lens = mat((0.05, 0.05, 0.06), rough=0.5), mat((0.06, 0.22, 0.36), rough=0.05, coat=0.8)
for side in (-0.26, 0.26):
    put(
        [
            lathe([(0.21, 0), (0.22, 0.06), (0.18, 0.10)], strap, 40, 1, 0),
            put(lathe([(0.19, 0.07), (0.12, 0.12), (0, 0.13)], lens, 40, 1, 0), (0, 0, 0)),
        ],
        (0.75 + side, -1.45, 0.02),
        (8, 0, 0),
    )
tube(
    [
        (1.18, -1.45, 0.05),
        *(
            (0.75 + 0.62 * math.cos(a), -1.30 + 0.42 * math.sin(a), 0.05)
            for a in np.linspace(0.3, math.pi - 0.3, 24)
        ),
        (0.32, -1.45, 0.05),
    ],
    0.035,
    strap,
)
frame = mat((0.55, 0.57, 0.58) if day else (0.08, 0.09, 0.10), rough=0.6)
box((40, 0.4, 12), frame, (0, 27, 5))
for x0 in range(-12, 13, 4):
    hidden(box((3.2, 0.1, 5), glow((0.86, 0.94, 1) if day else (1, 0.72, 0.40), 2.0), (x0, 26.7, 5.2)))
sky((0.80, 0.90, 1) if day else (0.20, 0.30, 0.55), 0.6 if day else 0.16)
light((-9, 4, 9), (0, 4, 0), (5, 5), 2600 if day else 500, (1, 0.95, 0.86) if day else (0.7, 0.8, 1))
light((6, -5, 5), (0, 0, 0), (3, 3), 400, (1, 0.86, 0.70))
camera((0, 3.4, 0.15), 9.4, 13, -91, 44, 0.8, (0, -0.6, 0))
render("pool-" + LOOK)
