"""A yoga room in the morning: a mat half rolled, blocks, a folded blanket, plants and a tall window."""

import numpy as np

from lab.pictures.places import candle, flame_light, folded, glow, hidden, plaster, roll, sky, terry, wall
from lab.pictures.studio import (
    R,
    begin,
    box,
    camera,
    ceramic,
    choose_look,
    lathe,
    leaf,
    light,
    mat,
    put,
    render,
    sheet,
    table,
    wood,
)

LOOK = choose_look("sage", "plum")
begin(91)
HUE = {"sage": (0.24, 0.34, 0.22), "plum": (0.36, 0.12, 0.24)}[LOOK]
table(wood((0.34, 0.21, 0.11), (0.56, 0.39, 0.22), 0.35))
wall(plaster((0.72, 0.66, 0.57) if LOOK == "sage" else (0.60, 0.52, 0.47)), 8)
rubber = mat(HUE, tuple(0.85 * x for x in HUE), (30, 0.4, 0.6), 0.8, (34, 0.012))
x, y = np.meshgrid(np.linspace(-1.25, 1.25, 30), np.linspace(-2.6, 2.2, 60))
put(
    sheet(np.stack([x, y, 0.03 + 0.012 * np.sin(3 * y)], -1), rubber, thick=0.05), (-0.2, 0.4, 0), (0, 0, -14)
)
put(roll(2.5, rubber, 0.36, 3.2, 0.92, 0.08, 0.004), (0.42, 2.65, 0.03), (0, 0, 76))
cork = mat((0.48, 0.30, 0.16), (0.34, 0.19, 0.09), (22, 0.4, 0.6), 0.85, (40, 0.01))
for px, py, pz, turn in ((1.95, 0.5, 0.28, 20), (2.05, 0.62, 0.84, -12)):
    box((1.15, 0.75, 0.55), cork, (px, py, pz), 0.06, (0, 0, turn))
put(folded(1.7, 1.1, terry((0.80, 0.74, 0.64)), 5, 0.11), (-2.35, 0.9, 0), (0, 0, 24))
green = mat((0.04, 0.13, 0.03), (0.09, 0.24, 0.06), (4, 0.4, 0.7), 0.5, sss=0.2)
for px, py, size in ((-3.4, 4.6, 1.7), (3.9, 5.2, 1.2)):
    put(
        lathe(
            [(0, 0), (0.42, 0), (0.52, 0.7), (0.53, 0.74), (0.47, 0.72), (0.4, 0.05), (0, 0.05)],
            ceramic((0.62, 0.50, 0.40)),
        ),
        (px, py, 0),
        scale=size,
    )
    for _ in range(30):
        put(
            leaf(R.uniform(1.0, 2.0), R.uniform(0.14, 0.24), green, 0.5),
            (px + R.gauss(0, 0.1), py + R.gauss(0, 0.1), 0.65 * size),
            (R.uniform(-30, 30), R.uniform(-84, -42), R.uniform(0, 360)),
            size,
        )
for px in (-0.6, 1.3):
    hidden(box((1.7, 0.05, 4.6), glow((1, 0.95, 0.86), 2.2), (px, 7.9, 4.2)))
frame = mat((0.72, 0.68, 0.62), rough=0.5)
for px in (-1.55, 0.35, 2.25):
    box((0.16, 0.2, 5.0), frame, (px, 7.8, 4.2))
for z in (1.85, 4.2, 6.6):
    box((4.0, 0.2, 0.14), frame, (0.35, 7.8, z))
for px, py, high in ((-1.95, -0.6, 0.42), (-2.45, -0.35, 0.62)):
    put(candle(0.2, high), (px, py, 0))
    flame_light(px, py, high, 5)
sky((1, 0.90, 0.78), 0.45)
light((-6, 3.5, 5), (0, 0, 0), (3, 3.5), 1500, (1, 0.92, 0.80))
light((0.4, 7.2, 4.5), (0, 0, 0), (3.5, 4), 700, (1, 0.95, 0.86))
light((5, -5, 5), (0, 0, 0.5), (4, 3), 260, (1, 0.82, 0.66))
camera((0.0, 1.2, 1.15), 9.8, 15, -90, 52, 0.34, (0, 0.2, 0.2))
render("yoga-" + LOOK)
