"""Birthday cake with lit candles on a table, balloons and bunting behind: a hall for parties."""

import math

from lab.pictures.places import (
    balloon,
    birthday_candle,
    bokeh,
    bunting,
    cake,
    folded,
    lamp,
    plaster,
    sky,
    stone,
    wall,
)
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    cloth_mat,
    lathe,
    light,
    mat,
    plate,
    put,
    render,
    table,
    window_light,
)

LOOK = choose_look("pastel", "gold", "bright")
begin(81)
C = {
    "pastel": [
        (0.90, 0.45, 0.50),
        (0.45, 0.68, 0.80),
        (0.95, 0.80, 0.48),
        (0.62, 0.80, 0.62),
        (0.92, 0.88, 0.84),
    ],
    "gold": [
        (0.80, 0.58, 0.26),
        (0.93, 0.90, 0.84),
        (0.05, 0.06, 0.10),
        (0.85, 0.72, 0.52),
        (0.90, 0.86, 0.80),
    ],
    "bright": [
        (0.85, 0.05, 0.06),
        (0.02, 0.28, 0.72),
        (0.95, 0.62, 0.02),
        (0.05, 0.50, 0.16),
        (0.92, 0.30, 0.05),
    ],
}[LOOK]
wall(
    plaster({"pastel": (0.70, 0.62, 0.60), "gold": (0.10, 0.13, 0.16), "bright": (0.72, 0.66, 0.52)}[LOOK]), 8
)
top = {"pastel": (0.80, 0.62, 0.54), "gold": (0.16, 0.15, 0.15), "bright": (0.78, 0.66, 0.46)}[LOOK]
table(mat(top, tuple(0.9 * k for k in top), (1, 0.3, 0.7), 0.75, sheen=0.2, weave=20), planks=False)
white = ceramic((0.86, 0.84, 0.80), (0.82, 0.79, 0.75))
put(
    lathe(
        [
            (0, 0),
            (0.62, 0),
            (0.64, 0.04),
            (0.30, 0.10),
            (0.16, 0.22),
            (0.15, 0.42),
            (0.24, 0.50),
            (1.22, 0.53),
            (1.25, 0.57),
            (1.22, 0.60),
            (0, 0.60),
        ],
        white,
    ),
    (-0.15, 0.1, 0),
)
cream = mat(
    (0.93, 0.89, 0.82), (0.90, 0.85, 0.76), (8, 0.4, 0.7), 0.5, (9, 0.012), sss=0.5, radius=(0.1, 0.07, 0.05)
)
drip = mat(C[0] if LOOK != "gold" else (0.09, 0.035, 0.016), rough=0.18, sss=0.15, coat=0.5)
put(cake(cream, drip), (-0.15, 0.1, 0.60))
top = 0.60 + 1.12
for i in range(7):
    a = i * PI2 / 7 + 0.3
    x, y = -0.15 + 0.46 * math.cos(a), 0.1 + 0.46 * math.sin(a)
    put(
        birthday_candle(C[(i % 2) + 1 if LOOK != "gold" else 0]),
        (x, y, top - 0.03),
        (R.uniform(-3, 3), R.uniform(-3, 3), 0),
    )
lamp((-0.15, 0.1, top + 0.75), 22, (1, 0.6, 0.26), 0.3)
berry = mat((0.62, 0.02, 0.03), (0.45, 0.01, 0.02), (6, 0.4, 0.7), 0.2, sss=0.3, coat=0.4)
for i in range(12):
    a = i * PI2 / 12 + R.uniform(-0.06, 0.06)
    put(
        stone(R.uniform(0.095, 0.115), R.uniform(0.095, 0.115), 0.20, berry if i % 3 else cream),
        (-0.15 + 0.74 * math.cos(a), 0.1 + 0.74 * math.sin(a), top),
        (0, 0, R.uniform(0, 360)),
    )
for i, (x, y, z) in enumerate(
    [
        (-3.1, 4.6, 2.6),
        (-2.3, 5.2, 3.7),
        (-3.9, 5.6, 3.5),
        (-1.6, 4.4, 2.3),
        (2.5, 5.0, 2.7),
        (3.4, 4.4, 2.0),
        (3.3, 5.4, 3.9),
        (1.9, 5.8, 3.9),
        (4.3, 5.2, 3.0),
    ]
):
    put(
        balloon(R.uniform(0.80, 0.95), C[i % 5]),
        (x, y, z - 0.7),
        (R.uniform(-8, 8), R.uniform(-8, 8), R.uniform(0, 360)),
    )
bunting(C, -5.2, 5.2, 7.4, 3.9)
for x, y, a in ((1.75, -0.35, 10), (-2.05, -0.55, -12)):
    put(plate(0.62, white, 0.07), (x, y, 0))
    put(folded(0.62, 0.5, cloth_mat(C[1]), 3, 0.03), (x + 0.02, y, 0.06), (0, 0, 20 + a))
for _ in range(80):
    c = mat(R.choice(C), rough=0.4)
    put(
        lathe([(0, 0.004), (0.045, 0.004), (0.045, 0)], c, 12, 0, 0),
        (R.uniform(-2.6, 2.6), R.uniform(-1.7, 1.2), 0.005),
        (R.uniform(-12, 12), R.uniform(-12, 12), 0),
    )
bokeh(26, 7.2, (-5.5, 5.5), (1.2, 5.4), [(1, 0.62, 0.25)], 16, 0.05)
sky((1, 0.9, 0.82), 0.30 if LOOK != "gold" else 0.14)
window_light(1700 if LOOK != "gold" else 1100)
light((2.5, -6, 4.5), (0, 0, 1), (3, 2), 300, (1, 0.86, 0.74))
camera((0.0, 0.2, 1.28), 9.2, 12, -93, 60, 0.30, (-0.2, -0.6, 1.4))
render("party-" + LOOK)
