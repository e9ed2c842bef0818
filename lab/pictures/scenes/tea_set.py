"""Chinese tea set on a slatted tray: gaiwan or clay pot, small cups of tea, dry leaves, a flowering twig."""

import math

import numpy as np

from lab.pictures.drinks import bounce, curl, gaiwan, room, slat_tray, teacup, teapot, twig
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_values,
    cloth,
    cloth_mat,
    lathe,
    mat,
    put,
    render,
    sheet,
    steam,
    table,
    window_light,
    wood,
)

name, V = choose_values(
    gaiwan=dict(
        pot="gaiwan",
        porcelain=((0.84, 0.86, 0.82), (0.70, 0.76, 0.70)),
        mat=(0.16, 0.20, 0.17),
        tea=(0.46, 0.20, 0.02),
        elev=30,
        az=-86,
        seed=4,
    ),
    clay=dict(
        pot="clay",
        porcelain=((0.84, 0.80, 0.72), (0.60, 0.50, 0.38)),
        mat=(0.30, 0.24, 0.17),
        tea=(0.30, 0.075, 0.012),
        elev=26,
        az=-97,
        seed=12,
    ),
    celadon=dict(
        pot="gaiwan",
        porcelain=((0.36, 0.50, 0.42), (0.28, 0.40, 0.33)),
        mat=(0.46, 0.38, 0.29),
        tea=(0.52, 0.34, 0.05),
        elev=34,
        az=-78,
        seed=31,
    ),
)
begin(V.seed)
table(wood((0.10, 0.045, 0.02), (0.24, 0.12, 0.055), 0.5))
put(cloth(4.6, 1.5, cloth_mat(V.mat), 0.03), (0, 0.05, 0), (0, 0, 4))
china = mat(*V.porcelain, (5, 0.5, 0.8), 0.14, (4, 0.002), coat=0.6)
clay = mat((0.23, 0.075, 0.04), (0.16, 0.05, 0.028), (7, 0.4, 0.7), 0.34, (60, 0.002), coat=0.12)
tea = mat(V.tea, tuple(0.75 * c for c in V.tea), (2, 0.4, 0.7), 0.03, coat=0.6)
bamboo = mat((0.30, 0.15, 0.06), (0.44, 0.25, 0.11), (3, 0.35, 0.65), 0.38, (5, 0.004), (1, 9, 1), coat=0.12)
T = 0.235
put(slat_tray(3.0, 1.9, bamboo, mat((0.02, 0.012, 0.008), rough=0.8)), (0, 0.1, 0.03), (0, 0, 4))
if V.pot == "clay":
    put(teapot(clay), (-0.62, 0.28, T), (0, 0, -24))
else:
    put(gaiwan(china), (-0.58, 0.16, T), (0, 0, 20))
    put(teapot(clay, 0.40), (0.15, 1.75, 0.02), (0, 0, 200))
for x, y in ((0.22, -0.38), (0.88, -0.24), (0.66, 0.40)):
    put(teacup(china, tea), (x + R.uniform(-0.03, 0.03), y, T), (0, 0, R.uniform(0, 90)))
leafm = mat((0.055, 0.045, 0.018), (0.02, 0.018, 0.01), (12, 0.4, 0.7), 0.6)
scoop = mat((0.55, 0.36, 0.16), (0.42, 0.25, 0.10), (3, 0.4, 0.6), 0.45, (4, 0.004), (1, 8, 1), coat=0.1)
t = np.linspace(-1.25, 1.25, 20)
u = np.linspace(-0.5, 0.5, 30)
put(
    sheet(
        np.array(
            [
                [(x, 0.17 * math.sin(a) * (1 - 0.6 * max(0, x) ** 2), 0.17 - 0.17 * math.cos(a)) for a in t]
                for x in u
            ]
        ),
        scoop,
        thick=0.018,
    ),
    (-0.72, -1.12, 0.04),
    (0, 0, 14),
)
for _ in range(90):
    put(
        curl(leafm, R.uniform(0.08, 0.15)),
        (-0.78 + R.gauss(0, 0.17), -1.13 + R.gauss(0, 0.05), 0.085 + R.uniform(0, 0.05)),
        (R.uniform(-30, 30), R.uniform(-30, 30), R.uniform(0, 360)),
    )
for _ in range(12):
    put(
        curl(leafm, R.uniform(0.08, 0.14)),
        (-0.2 + R.gauss(0, 0.25), -1.2 + R.gauss(0, 0.11), 0.035),
        (0, 0, R.uniform(0, 360)),
    )
vase = lathe(
    [
        (0, 0),
        (0.22, 0),
        (0.34, 0.2),
        (0.36, 0.36),
        (0.26, 0.6),
        (0.13, 0.74),
        (0.12, 0.9),
        (0.16, 0.95),
        (0.13, 0.94),
        (0.10, 0.86),
        (0.10, 0.7),
    ],
    ceramic((0.13, 0.15, 0.15), (0.25, 0.24, 0.2)),
)
put(vase, (1.2, 1.55, 0))
twig(
    1.2,
    1.55,
    0.9,
    mat((0.10, 0.055, 0.03), rough=0.8),
    mat((0.86, 0.50, 0.52), (0.90, 0.70, 0.68), (5, 0.4, 0.7), 0.5, sss=0.3),
    None,
    1.7,
    (-0.5, 0.2),
)
for i in range(2):
    steam(0.45 + 0.35 * i, 0.1 + 0.2 * i, 0.5, 1.0, 1.3, 0.22)
room(6, z=(0.5, 4), lamps=12, bright=0.14)
window_light(1800)
bounce(220)
camera((0.0, -0.02, 0.38), 7.1, V.elev, V.az, 78, 0.28, (0.1, -0.2, 0.4))
render("tea-set-" + name)
