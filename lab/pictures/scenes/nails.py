"""Row of polish bottles, one open with its brush, a fan of sample nails and a rose: a nail bar."""

import math

import numpy as np

from lab.pictures.places import (
    candle,
    flame_light,
    glass,
    metal,
    nail_tip,
    plaster,
    polish,
    polish_brush,
    ring,
    roll,
    rose,
    sky,
    terry,
    wall,
)
from lab.pictures.studio import (
    R,
    begin,
    camera,
    choose_look,
    lathe,
    light,
    marble,
    mat,
    put,
    render,
    table,
    window_light,
)

LOOK = choose_look("coral", "berry", "mint")
begin(31)
PALETTE = {
    "coral": [
        (0.80, 0.10, 0.06),
        (0.90, 0.38, 0.26),
        (0.78, 0.02, 0.03),
        (0.88, 0.48, 0.34),
        (0.55, 0.01, 0.05),
        (0.84, 0.20, 0.28),
    ],
    "berry": [
        (0.28, 0.01, 0.06),
        (0.55, 0.03, 0.16),
        (0.75, 0.22, 0.36),
        (0.18, 0.02, 0.10),
        (0.80, 0.45, 0.52),
        (0.42, 0.02, 0.04),
    ],
    "mint": [
        (0.30, 0.62, 0.52),
        (0.75, 0.82, 0.70),
        (0.93, 0.62, 0.50),
        (0.20, 0.42, 0.48),
        (0.92, 0.80, 0.55),
        (0.55, 0.70, 0.80),
    ],
}[LOOK]
top = {
    "coral": ((0.78, 0.50, 0.45), (0.72, 0.45, 0.40)),
    "mint": ((0.80, 0.76, 0.66), (0.74, 0.70, 0.60)),
}.get(LOOK)
table(mat(*top, (1.5, 0.3, 0.7), 0.28, coat=0.2) if top else marble(), planks=False)
wall(plaster({"coral": (0.80, 0.56, 0.50), "berry": (0.40, 0.24, 0.26), "mint": (0.62, 0.70, 0.64)}[LOOK]), 8)
shell, black, gold = (
    glass((0.98, 0.97, 0.97)),
    mat((0.015, 0.014, 0.014), rough=0.22, coat=0.5),
    metal((0.85, 0.58, 0.30), 0.22),
)
cap = gold if LOOK == "berry" else black
for i, x in enumerate(np.linspace(-1.62, 1.50, 6)):
    k = i == 2
    put(
        polish(PALETTE[i], cap, shell, k, i % 3 == 1),
        (x + R.uniform(-0.06, 0.06), (0.42 + 0.10 * x) + R.uniform(-0.08, 0.08), 0),
        (0, 0, R.uniform(0, 360)),
    )
put(polish_brush(cap, PALETTE[2]), (-0.42, -0.30, 0.125), (0, 90, 14))
blob = mat(PALETTE[2], rough=0.1, coat=0.7)
put(
    lathe(
        [(0.13 * math.cos(a) + 0.001, 0.03 * math.sin(a)) for a in np.linspace(0, math.pi / 2, 8)],
        blob,
        40,
        1,
        0.14,
    ),
    (-1.15, -0.50, 0.002),
)
for i in range(9):  # sample nails round a ring
    a = -38 + i * 15.5
    c = PALETTE[i % 6] if i < 6 else tuple(min(1, x * 0.6 + 0.3) for x in PALETTE[i % 6])
    put(
        nail_tip(0.50, 0.115, c, i % 3 == 1),
        (
            0.95 + 0.36 * math.cos(math.radians(a + 90)),
            -0.92 + 0.36 * math.sin(math.radians(a + 90)),
            0.03 + 0.004 * i,
        ),
        (0, -4, a + 90),
    )
put(ring(0.10, 0.022, gold), (0.95, -0.92, 0.03))
for x, y, r, a in ((-1.50, -0.84, 0.42, 0), (-0.90, -1.14, 0.30, 60)):
    put(
        rose(
            r,
            *{
                "coral": ((0.86, 0.22, 0.20), (0.95, 0.66, 0.58)),
                "berry": ((0.45, 0.02, 0.08), (0.78, 0.30, 0.40)),
                "mint": ((0.92, 0.60, 0.44), (0.96, 0.86, 0.74)),
            }[LOOK],
        ),
        (x, y, 0.10),
        (R.uniform(-6, 14), -8, a),
    )
cotton = mat((0.92, 0.91, 0.89), (0.88, 0.87, 0.85), (60, 0.4, 0.6), 1, (34, 0.02), sheen=0.5)
for number, (dx, dy) in enumerate(((0, 0), (0.02, -0.01), (-0.02, 0.02), (0.05, -0.03))):  # cotton pads
    pad = [(0, 0.075), (0.20, 0.075), (0.245, 0.06), (0.26, 0.035), (0.245, 0.012), (0.20, 0), (0, 0)]
    put(lathe(pad, cotton, 64, 1, 0.012), (1.60 + dx, 0.02 + dy, 0.078 * number), (R.uniform(-2, 2), 0, 0))
put(roll(1.6, terry((0.93, 0.88, 0.84)), 0.36), (-1.4, 2.4, 0), (0, 0, 80))
put(roll(1.6, terry((0.93, 0.88, 0.84)), 0.36), (-0.62, 2.5, 0), (0, 0, 84))
put(candle(0.26, 0.5), (1.0, 1.9, 0))
flame_light(1.0, 1.9, 0.5, 8)
sky((1, 0.90, 0.82), 0.24)
window_light(1150)
light((1.5, -5, 5), (0, 0, 0.3), (3, 2), 190, (1, 0.95, 0.92))
camera((-0.02, -0.08, 0.36), 8.0, 24, -94, 78, 0.42, (0, -0.05, 0.3))
render("nails-" + LOOK)
