"""Hairdresser's place: a chair before a mirror with bulbs, a shelf with bottles and brushes."""

import numpy as np

from lab.pictures.places import ball, box, glow, hidden, metal, plaster, pump, salon_chair, sky, wall
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    cloth_mat,
    lathe,
    leaf,
    light,
    mat,
    put,
    render,
    sheet,
    table,
    tube,
    wood,
)

LOOK = choose_look("rose", "forest", "white")
begin(61)
WALL, SEAT = {
    "rose": ((0.52, 0.27, 0.24), (0.045, 0.035, 0.035)),
    "forest": ((0.07, 0.13, 0.10), (0.38, 0.17, 0.075)),
    "white": ((0.70, 0.67, 0.62), (0.30, 0.14, 0.10)),
}[LOOK]
table(wood((0.20, 0.11, 0.055), (0.36, 0.22, 0.12), 0.35), planks=True)  # floor; here 1 unit = 40 cm
wall(plaster(WALL), 3.4)
oak, brass = wood((0.24, 0.13, 0.06), (0.42, 0.26, 0.14), 0.4), metal((0.82, 0.62, 0.34), 0.25)
put(box(5.2, 1.05, 0.12, oak, 0.03), (0, 2.85, 2.0))
for x in (-1.3, 1.3):
    put(box(2.4, 0.95, 0.5, oak, 0.02), (x, 2.88, 1.50))
    put(box(0.5, 0.03, 0.04, brass, 0.01), (x, 2.38, 1.73))
W, H, z0 = 1.65, 2.5, 2.42
frame = mat((0.03, 0.028, 0.027), rough=0.3, coat=0.3)
for x, z, w, h in (
    (0, z0 - 0.12, 2 * W + 0.5, 0.25),
    (0, z0 + H - 0.12, 2 * W + 0.5, 0.25),
    (-W - 0.12, z0, 0.25, H),
    (W + 0.12, z0, 0.25, H),
):
    put(box(w, 0.12, h, frame, 0.03), (x, 3.32, z))
m = metal((0.9, 0.9, 0.9), 0.015)
sheet(np.array([[[-W, 3.30, z0], [W, 3.30, z0]], [[-W, 3.30, z0 + H], [W, 3.30, z0 + H]]], float), m)
bulb, cap = glow((1, 0.74, 0.44), 7), brass
spots = [(x, z0 + H) for x in np.linspace(-W, W, 6)] + [
    (s * (W + 0.12), z) for s in (-1, 1) for z in np.linspace(z0 + 0.15, z0 + H - 0.45, 4)
]
for x, z in spots:
    put(hidden(ball(0.115, bulb, 24)), (x, 3.10, z))
    put(lathe([(0.07, 0), (0.08, 0.04), (0.06, 0.10)], cap, 24, 1, 0), (x, 3.22, z), (90, 0, 0))
for s in (-1, 1):
    light((s * (W + 0.1), 3.0, z0 + H / 2), (0, -2, 1.6), (0.2, H), 70, (1, 0.74, 0.46))
light((0, 3.0, z0 + H), (0, -2, 1), (2 * W, 0.2), 90, (1, 0.74, 0.46))
put(
    salon_chair(
        mat(SEAT, tuple(1.3 * x for x in SEAT), (6, 0.3, 0.7), 0.38, (26, 0.006), coat=0.15),
        metal((0.75, 0.75, 0.76), 0.2),
    ),
    (0.25, 0.45, 0),
    (0, 0, 34),
)
for x, y, h, r, c in (
    (-1.95, 2.7, 0.55, 0.11, (0.20, 0.10, 0.04)),
    (-1.68, 2.82, 0.42, 0.12, (0.70, 0.62, 0.52)),
    (-2.2, 2.9, 0.38, 0.13, (0.06, 0.07, 0.07)),
    (1.55, 2.75, 0.5, 0.11, (0.62, 0.30, 0.22)),
):
    put(pump(r, h, mat(c, rough=0.2, coat=0.4), frame), (x, y, 2.12))
put(
    lathe(
        [(0, 0), (0.13, 0), (0.15, 0.02), (0.15, 0.36), (0.135, 0.36), (0.13, 0.03), (0, 0.03)],
        ceramic(),
        40,
        1,
        0,
    ),
    (1.95, 2.8, 2.12),
)
for i in range(4):
    put(
        tube(
            [(0, 0, z) for z in np.linspace(0, 0.62, 8)], 0.018, (oak, frame)[i % 2], np.linspace(0.8, 1.5, 8)
        ),
        (1.95 + R.uniform(-0.06, 0.06), 2.8 + R.uniform(-0.05, 0.05), 2.16),
        (R.uniform(-10, 10), R.uniform(-12, 12), 0),
    )
g = mat((0.05, 0.13, 0.03), (0.09, 0.22, 0.05), (5, 0.4, 0.7), 0.5, sss=0.2)
put(
    lathe(
        [(0, 0), (0.42, 0), (0.5, 0.7), (0.51, 0.72), (0.46, 0.7), (0.4, 0.05), (0, 0.05)],
        ceramic((0.55, 0.48, 0.40)),
    ),
    (-3.3, 2.3, 0),
)
for _ in range(34):
    put(
        leaf(R.uniform(1.0, 2.1), R.uniform(0.12, 0.2), g, 0.5),
        (-3.3 + R.gauss(0, 0.08), 2.3 + R.gauss(0, 0.08), 0.65),
        (R.uniform(-30, 30), R.uniform(-82, -45), R.uniform(0, 360)),
    )
wall(plaster((0.62, 0.56, 0.50)), -9)  # what the mirror shows: a wall, a window, a lamp
for x in (-3.4, -2.2, -1.0):
    for z in (2.2, 3.5, 4.8):
        put(hidden(box(1.1, 0.02, 1.2, glow((0.72, 0.86, 1), 2.2 + 0.5 * (z > 3)), 0.0)), (x, -8.9, z))
for x in (-4.5, 0.1):
    put(
        sheet(
            np.stack(
                np.broadcast_arrays(
                    x + np.linspace(-0.5, 0.5, 60)[None],
                    -8.6 + 0.10 * np.sin(np.linspace(0, 40, 60))[None],
                    np.array([[0.1], [6.6]]),
                ),
                -1,
            ),
            cloth_mat((0.72, 0.62, 0.50)),
        )
    )
put(hidden(ball(0.42, glow((1, 0.70, 0.40), 3), 32)), (1.9, -4.5, 4.1))
tube([(1.9, -4.5, 4.4), (1.9, -4.5, 9)], 0.02, frame)
sky((1, 0.86, 0.74), 0.34)
light((-6.5, -4.5, 4.5), (0, 1, 1.5), (2.5, 3.5), 1200, (0.86, 0.93, 1))
light((3, -6, 6), (0, 2, 2), (3, 3), 420, (1, 0.85, 0.70))
camera((-0.12, 1.6, 2.08), 9.3, 5, -82, 46, 0.30, (0.15, 0.5, 1.6))
render("salon-" + LOOK)
