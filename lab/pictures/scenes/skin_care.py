"""Creams in open jars, bottles, a folded towel and a rose in soft light: a beauty room."""

import math

import numpy as np

from lab.pictures.places import folded, plaster, pump, rose, sky, terry, wall
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    cloth,
    cloth_mat,
    lathe,
    leaf,
    light,
    marble,
    mat,
    plate,
    put,
    render,
    table,
    window_light,
)

LOOK = choose_look("rose", "sage")
begin(131)
HUE = {"rose": (0.82, 0.55, 0.50), "sage": (0.56, 0.64, 0.50)}[LOOK]
table(marble(), planks=False)
wall(plaster(tuple(0.9 * c for c in HUE)), 6)
shell, lid = (
    ceramic((0.86, 0.83, 0.78), (0.80, 0.77, 0.72)),
    mat((0.55, 0.36, 0.20), (0.68, 0.48, 0.28), (3, 0.35, 0.7), 0.5, None, (1, 1, 8)),
)
cream = mat((0.95, 0.91, 0.84), rough=0.35, sss=0.5, coat=0.2)


def jar(r, h, open_=True):
    parts = [
        lathe(
            [
                (0, 0),
                (r * 0.9, 0),
                (r, 0.06),
                (r, h),
                (r - 0.05, h + 0.01),
                (r - 0.09, h - 0.04),
                (r - 0.1, 0.1),
                (0, 0.1),
            ],
            shell,
            80,
            1,
            0,
        )
    ]
    if open_:
        swirl = [
            ((r - 0.1) * (1 - t), h - 0.07 + 0.10 * t + 0.022 * math.sin(24 * t))
            for t in np.linspace(0, 1, 40)
        ]
        parts.append(lathe(swirl, cream, 80, 1, 0.03))
    else:
        parts.append(
            put(
                lathe([(0, 0), (r + 0.03, 0), (r + 0.03, 0.24), (r, 0.27), (0, 0.27)], lid, 80, 1, 0),
                (0, 0, h),
            )
        )
    return parts


put(jar(0.62, 0.52), (0.25, -0.45, 0))
put(jar(0.46, 0.44, open_=False), (1.45, 0.35, 0))
put(
    lathe([(0, 0), (0.65, 0), (0.65, 0.24), (0.62, 0.27), (0, 0.27)], lid, 80, 1, 0),
    (-0.75, -0.72, 0.32),
    (58, 0, -30),
)
for x, y, h, r in ((-1.25, 0.95, 1.25, 0.30), (-0.45, 1.35, 0.95, 0.28)):
    put(
        pump(r, h, mat(tuple(0.8 * c for c in HUE), rough=0.2, coat=0.5), mat((0.86, 0.82, 0.74), rough=0.3)),
        (x, y, 0),
    )
dropper = lathe(
    [(0, 0), (0.26, 0), (0.28, 0.03), (0.28, 0.62), (0.12, 0.76), (0.12, 0.84), (0, 0.84)],
    mat((0.40, 0.16, 0.04), rough=0.06, glass=0.5, coat=0.5),
    60,
    1,
    0,
)
put(
    [
        dropper,
        put(
            lathe(
                [(0, 0), (0.14, 0), (0.14, 0.26), (0.09, 0.30), (0.09, 0.52), (0.05, 0.60), (0, 0.60)],
                mat((0.04, 0.035, 0.03), rough=0.4),
                40,
                1,
                0,
            ),
            (0, 0, 0.84),
        ),
    ],
    (0.75, 1.15, 0),
)
put(folded(2.0, 1.4, terry((0.88, 0.85, 0.80)), 4, 0.13), (2.6, 1.75, 0), (0, 0, -18))
put(
    rose(0.5, (0.80, 0.28, 0.30), (0.95, 0.66, 0.62))
    if LOOK == "rose"
    else rose(0.5, (0.90, 0.82, 0.60), (0.96, 0.93, 0.86)),
    (1.75, -0.95, 0.05),
    (18, -14, 30),
)
green = mat((0.05, 0.15, 0.05), (0.12, 0.26, 0.10), (4, 0.4, 0.7), 0.5, sss=0.25)
for x, y, turn in ((1.15, -1.2, 200), (2.25, -1.15, -30), (-2.2, 0.5, 140), (-2.0, 0.25, 190)):
    put(leaf(R.uniform(0.7, 1.0), 0.2, green, 0.25), (x, y, 0.03), (0, 0, turn))
put(cloth(2.4, 1.8, cloth_mat(tuple(0.85 * c for c in HUE)), 0.10, 3), (-2.1, -0.2, 0), (0, 0, 26))
put(plate(0.42, shell), (-1.85, -0.85, 0.06))
put(lathe([(0.30, 0), (0.22, 0.06), (0.06, 0.16), (0, 0.2)], cream, 60, 1, 0.1), (-1.85, -0.85, 0.10))
sky((1, 0.94, 0.88), 0.45)
window_light(1500)
light((3, -5, 4), (0, 0, 0.4), (3, 3), 160, (1, 0.88, 0.78))
camera((0.15, 0.15, 0.5), 7.0, 22, -91, 62, 0.26, (0.2, -0.6, 0.45))
render("skin-care-" + LOOK)
