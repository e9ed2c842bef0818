"""A pottery corner: a wet bowl on the wheel, finished pots on a shelf, tools and a lump of clay."""

import math

import numpy as np

from lab.pictures.places import ball, plaster, sky, wall
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
    table,
    tube,
    window_light,
    wood,
)

LOOK = choose_look("clay", "blue")
begin(101)
table(wood((0.15, 0.08, 0.04), (0.34, 0.20, 0.10), 0.6))
wall(plaster((0.60, 0.50, 0.40) if LOOK == "clay" else (0.38, 0.44, 0.46)), 5.2)
wet = mat((0.46, 0.24, 0.14), (0.38, 0.19, 0.11), (6, 0.35, 0.7), 0.22, (30, 0.006), (1, 1, 14), coat=0.4)
dry = mat((0.60, 0.38, 0.26), (0.52, 0.31, 0.21), (9, 0.4, 0.7), 0.8, (40, 0.008))
steel = mat((0.30, 0.30, 0.31), (0.40, 0.36, 0.32), (4, 0.4, 0.7), 0.35, coat=0.1)
put(
    lathe([(0, 0), (1.35, 0), (1.4, 0.05), (1.4, 0.16), (1.34, 0.2), (0, 0.2)], steel, 96, 1, 0), (0, 0, 0.12)
)
put(lathe([(0.9, 0), (0.9, 0.14)], steel, 60, 1, 0))
rings = [0.010 * math.sin(31 * t) for t in np.linspace(0, 1, 40)]
outside = [
    (0.34 + 0.62 * t**0.55 + rings[i] - 0.12 * t**6, 0.95 * t) for i, t in enumerate(np.linspace(0, 1, 40))
]
inside = [(r - 0.085, z + 0.03) for r, z in outside[::-1]]
put(
    lathe([(0, 0), *outside, (outside[-1][0] - 0.04, 0.985), *inside, (0, 0.07)], wet, 120, 1, 0.006),
    (0, 0, 0.32),
)
put(lathe([(0, 0.08), (0.2, 0.09), (0.5, 0.06), (0.62, 0)], wet, 60, 1, 0.05), (0, 0, 0.31))
board = wood((0.24, 0.13, 0.06), (0.42, 0.26, 0.14), 0.5)
for z in (1.35, 3.0):
    box((13, 1.1, 0.14), board, (0, 4.5, z), 0.02)
glazes = [
    ceramic(c, tuple(0.75 * x for x in c))
    for c in (
        (0.10, 0.20, 0.30),
        (0.72, 0.66, 0.56),
        (0.18, 0.28, 0.20),
        (0.52, 0.24, 0.12),
        (0.80, 0.77, 0.70),
    )
] + [dry]
shapes = (
    [(0, 0), (0.26, 0), (0.42, 0.30), (0.36, 0.62), (0.16, 0.86), (0.20, 1.0), (0.15, 0.99), (0.12, 0.85)],
    [(0, 0), (0.22, 0), (0.46, 0.34), (0.50, 0.42), (0.46, 0.42), (0.40, 0.34), (0, 0.06)],
    [(0, 0), (0.26, 0), (0.30, 0.06), (0.30, 0.56), (0.27, 0.56), (0.25, 0.08), (0, 0.06)],
    [(0, 0), (0.16, 0), (0.34, 0.5), (0.30, 0.9), (0.12, 1.1), (0.10, 1.4), (0.15, 1.46), (0.10, 1.44)],
)
for z in (1.42, 3.07):
    for x in np.arange(-4.6, 4.8, 0.95):
        put(
            lathe(R.choice(shapes), R.choice(glazes), 60),
            (x + R.uniform(-0.1, 0.1), 4.45 + R.uniform(-0.15, 0.15), z),
            scale=R.uniform(0.85, 1.15),
        )
put(ball(0.42, dry), (1.85, -0.35, 0.36))
put(
    lathe([(0, 0), (0.45, 0), (0.5, 0.5), (0.47, 0.5), (0.42, 0.05), (0, 0.05)], ceramic((0.30, 0.33, 0.34))),
    (-1.95, 0.45, 0),
)
put(
    lathe([(0, 0), (0.44, 0.0)], mat((0.42, 0.33, 0.26), rough=0.06, coat=0.4), 40, 1, 0), (-1.95, 0.45, 0.40)
)
for i in range(4):
    tool = tube(
        [(t, 0, 0) for t in np.linspace(0, 1.5, 12)],
        0.05,
        board,
        np.linspace(1.1, 0.4, 12) if i % 2 else np.linspace(0.5, 1.1, 12),
    )
    put(tool, (1.2 + 0.16 * i, -1.55 + 0.12 * i, 0.06), (0, 0, 20 + R.uniform(-8, 8)))
sky((1, 0.90, 0.78), 0.30)
window_light(1900)
light((4, -5, 5), (0, 0, 0.6), (3, 3), 260, (1, 0.84, 0.66))
camera((0.05, 0.5, 1.0), 8.4, 19, -93, 58, 0.30, (0, -0.6, 0.8))
render("pottery-" + LOOK)
