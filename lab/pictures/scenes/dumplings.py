"""Bamboo steamer of soup dumplings."""

import math

import numpy as np

from lab.pictures.studio import (
    PI2,
    R,
    begin,
    camera,
    ceramic,
    chopsticks,
    cloth,
    cloth_mat,
    cup,
    dough,
    dumpling,
    lathe,
    leaf,
    liquid,
    mat,
    plate,
    put,
    render,
    steam,
    steamer,
    table,
    tube,
    window_light,
    wood,
)

begin(7)
table(wood())
put(cloth(3.4, 2.3, cloth_mat((0.46, 0.40, 0.33))), (-1.5, -0.75, 0), (0, 0, 24))
put(steamer(), (0, 0, 0.03))
put(
    lathe(
        [(0, 0.125), (0.6, 0.126), (0.86, 0.128)],
        mat((0.80, 0.74, 0.62), rough=0.85, bump=(30, 0.004)),
        wobble=0.02,
        thick=0.006,
    ),
    (0, 0, 0.02),
)
d = dough()
green = mat(
    (0.05, 0.16, 0.03),
    (0.14, 0.30, 0.06),
    (4, 0.35, 0.7),
    0.4,
    (12, 0.01),
    sss=0.3,
    radius=(0.03, 0.06, 0.01),
    coat=0.2,
)
for i in range(9):
    a = i * PI2 / 9 + R.uniform(-0.1, 0.1)
    put(
        leaf(0.42, 0.20, green, 0.1),
        (0.62 * math.cos(a), 0.62 * math.sin(a), 0.155),
        (R.uniform(-8, 8), R.uniform(-10, 0), math.degrees(a) + R.uniform(-25, 25)),
    )
spots = [(0, 0)] + [(0.66 * math.cos(a), 0.66 * math.sin(a)) for a in np.arange(6) * PI2 / 6 + 0.2]
for x, y in spots:
    put(
        dumpling(d, R.uniform(0.315, 0.345)),
        (x + R.uniform(-0.025, 0.025), y + R.uniform(-0.025, 0.025), 0.165),
        (R.uniform(-3, 3), R.uniform(-3, 3), R.uniform(0, 360)),
    )
black = ceramic((0.035, 0.032, 0.03), (0.10, 0.08, 0.06))
put(plate(0.45, black, 0.14), (1.55, -0.85, 0))
put(liquid(0.36, mat((0.05, 0.012, 0.004), rough=0.04, coat=0.5)), (1.55, -0.85, 0.08))
g = mat((0.80, 0.62, 0.25), rough=0.4, sss=0.3, coat=0.2)
for _ in range(14):
    a = R.uniform(0, 3.1)
    put(
        tube([(x, 0.02 * math.sin(9 * x + a), 0) for x in np.linspace(-0.13, 0.13, 8)], 0.010, g),
        (1.5 + R.gauss(0, 0.07), -0.8 + R.gauss(0, 0.05), 0.125 + R.uniform(0, 0.04)),
        (R.uniform(-12, 12), R.uniform(-12, 12), math.degrees(a)),
    )
put(chopsticks(wood((0.05, 0.018, 0.01), (0.12, 0.04, 0.02), 0.3)), (-1.70, -1.62, 0.07), (0, 0, 18))
put(steamer(1.0), (-1.9, 2.6, 0), (0, 0, 40))
put(cup(0.36, 0.42, ceramic(), False), (1.75, 1.25, 0))
put(liquid(0.31, mat((0.40, 0.20, 0.03), rough=0.03, coat=0.4)), (1.75, 1.25, 0.33))
for i in range(3):
    steam(-0.5 + 0.5 * i, 0.2 + 0.2 * i, 0.5, 1.8, 2.2, 0.17)
window_light(1700)
camera((0.05, -0.05, 0.25), 6.9, 40, -84, 78, 0.30, (0, -0.45, 0.4))
render("dumplings")
