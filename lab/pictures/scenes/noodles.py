"""Beef noodle soup with egg, greens and scallions."""

import math

import numpy as np

from lab.pictures.studio import (
    PI2,
    R,
    beef_slice,
    begin,
    bowl,
    camera,
    ceramic,
    chopsticks,
    cloth,
    cloth_mat,
    cup,
    egg_half,
    lathe,
    leaf,
    liquid,
    mat,
    noodles,
    plate,
    put,
    render,
    scallion,
    steam,
    table,
    tube,
    window_light,
    wood,
)

begin(11)
table(wood((0.16, 0.075, 0.03), (0.42, 0.23, 0.11), 0.5))
put(cloth(2.9, 3.4, cloth_mat((0.09, 0.12, 0.16)), 0.05), (0.15, 0.1, 0), (0, 0, -17))
put(bowl(1.12, 0.66, ceramic((0.80, 0.76, 0.68), (0.50, 0.40, 0.30))), (0, 0, 0.03))
soup = mat((0.26, 0.085, 0.018), (0.14, 0.040, 0.010), (3, 0.35, 0.7), 0.05, (3, 0.006), coat=0.6)
LV = 0.56
put(liquid(1.02, soup), (0, 0, LV))
noo = mat(
    (0.88, 0.62, 0.25),
    (0.78, 0.46, 0.15),
    (3, 0.4, 0.7),
    0.22,
    sss=0.30,
    radius=(0.06, 0.04, 0.02),
    coat=0.35,
)
put(noodles(noo, 0.80, LV - 0.035, 6, 15, 0.021, 0.13), (-0.06, -0.10, 0))
oil = mat((0.62, 0.20, 0.02), rough=0.03, coat=0.6, glass=0.4)
for _ in range(75):
    a, q, r = R.uniform(0, PI2), R.uniform(0.80, 0.98), R.uniform(0.008, 0.040)
    put(
        lathe([(0, 0.005), (r * 0.7, 0.004), (r, 0)], oil, 20, 1),
        (q * math.cos(a), q * math.sin(a), LV + 0.004),
    )
for i, (x, y, a) in enumerate([(0.50, 0.36, 20), (0.62, 0.10, 0), (0.60, -0.18, -22), (0.46, -0.42, -45)]):
    put(
        beef_slice(R.uniform(0.31, 0.36), R.uniform(0.20, 0.24)),
        (x * 0.95, y, LV + 0.20 + 0.03 * (i % 2)),
        (R.uniform(8, 18), R.uniform(4, 14), a + R.uniform(-8, 8)),
    )
put(egg_half(0.25), (-0.46, 0.26, LV + 0.24), (22, -14, 35))
green = mat(
    (0.05, 0.16, 0.02),
    (0.13, 0.30, 0.04),
    (5, 0.35, 0.7),
    0.35,
    (14, 0.010),
    sss=0.25,
    radius=(0.03, 0.06, 0.01),
    coat=0.35,
)
stem = mat((0.62, 0.74, 0.40), (0.42, 0.58, 0.20), (4, 0.4, 0.7), 0.32, sss=0.4, coat=0.3)
for i in range(4):
    a = 62 + i * 15
    put(
        leaf(0.56, 0.20, green, 0.35),
        (0.02 - 0.07 * i, 0.42 + 0.03 * i, LV + 0.10 + 0.02 * i),
        (R.uniform(-20, 20), -12 + R.uniform(-8, 8), a + R.uniform(-8, 8)),
    )
    put(
        tube(
            [(x, 0, 0.05 * math.sin(3 * x)) for x in np.linspace(-0.34, 0.05, 10)],
            0.045,
            stem,
            np.linspace(1.2, 0.5, 10),
        ),
        (0.02 - 0.07 * i, 0.42 + 0.03 * i, LV + 0.11),
        (0, -6, a),
    )
for _ in range(90):
    x, y = R.gauss(-0.08, 0.19), R.gauss(-0.24, 0.17)
    put(
        scallion(R.uniform(0.030, 0.046)),
        (x, y, LV + 0.245 - 0.22 * (x * x + y * y) + R.uniform(0, 0.05)),
        (R.uniform(-70, 70), R.uniform(-70, 70), 0),
    )
for _ in range(14):
    a, q = R.uniform(0, PI2), R.uniform(0.75, 0.92)
    put(
        scallion(R.uniform(0.030, 0.046)),
        (q * math.cos(a), q * math.sin(a), LV - 0.005),
        (R.uniform(-8, 8), R.uniform(-8, 8), 0),
    )
put(chopsticks(wood((0.10, 0.035, 0.014), (0.22, 0.08, 0.03), 0.3), 2.6, 3), (-0.62, -1.50, 0.10), (0, 0, 12))
put(cup(0.38, 0.46, ceramic((0.10, 0.16, 0.17), (0.30, 0.30, 0.24)), False), (1.65, 1.35, 0))
put(liquid(0.33, mat((0.35, 0.20, 0.04), rough=0.03, coat=0.4)), (1.65, 1.35, 0.37))
put(plate(0.42, ceramic()), (-1.55, 1.30, 0))
chili = mat((0.42, 0.02, 0.008), (0.60, 0.07, 0.01), (6, 0.4, 0.7), 0.22, coat=0.5)
for _ in range(36):
    put(
        lathe([(0, 0), (0.045, 0.004), (0.05, 0.012), (0.042, 0.02), (0, 0.022)], chili, 16, 1, 0.2),
        (-1.55 + R.gauss(0, 0.11), 1.30 + R.gauss(0, 0.09), 0.05 + R.uniform(0, 0.07)),
        (R.uniform(-60, 60), R.uniform(-60, 60), 0),
    )
steam(-0.1, 0.5, 0.75, 2.4, 2.2, 0.12)
window_light(1700)
camera((0.02, 0.0, 0.42), 7.0, 46, -94, 78, 0.30, (0, -0.25, 0.7))
render("noodles")
