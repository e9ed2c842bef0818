"""Sliced roast duck with pancakes, scallion, cucumber and sweet bean sauce."""

import math

from lab.pictures.dishes import (
    cucumber,
    duck_slice,
    green_mat,
    oval,
    pancake,
    pancake_mat,
    shred,
    shred_mats,
    wrap,
)
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    chopsticks,
    leaf,
    liquid,
    mat,
    plate,
    put,
    render,
    steamer,
    table,
    window_light,
    wood,
)

v = choose_look("white", "dark", "green")
begin({"white": 13, "dark": 24, "green": 35}[v])
table(
    wood()
    if v == "white"
    else wood((0.20, 0.10, 0.045), (0.46, 0.27, 0.14), 0.5)
    if v == "dark"
    else mat((0.035, 0.085, 0.065), (0.05, 0.11, 0.085), (2, 0.3, 0.7), 0.4, (6, 0.004), coat=0.15),
    planks=v != "green",
)
glaze = (
    ceramic((0.86, 0.84, 0.79), (0.80, 0.77, 0.72))
    if v == "white"
    else ceramic((0.06, 0.055, 0.05), (0.14, 0.12, 0.10))
    if v == "dark"
    else ceramic((0.80, 0.76, 0.68), (0.50, 0.40, 0.30))
)
tilt = 8
put(oval(1.50, 0.92, glaze, 0.15), (0, -0.20, 0.02), (0, 0, tilt))
g = green_mat()
for row, (n, y) in enumerate(((12, 0.22), (12, -0.32))):
    for i in range(n):
        x = (i - (n - 1) / 2) * 0.172
        a = math.radians(tilt)
        bend = -0.06 * (x / 1.1) ** 2
        px, py = x * math.cos(a) - (y + bend) * math.sin(a), x * math.sin(a) + (y + bend) * math.cos(a) - 0.20
        put(
            duck_slice(R.uniform(0.26, 0.30), R.uniform(0.135, 0.155)),
            (px, py, 0.235 + 0.05 * (row == 0)),
            (24 + R.uniform(-7, 7), -26 + R.uniform(-6, 6), tilt + 90 + R.uniform(-10, 10)),
        )
for i in range(5):
    put(
        leaf(R.uniform(0.3, 0.4), 0.13, g, 0.3),
        (-1.12 + R.uniform(-0.05, 0.05), -0.42 + R.uniform(-0.08, 0.08), 0.10),
        (R.uniform(-20, 20), R.uniform(-35, -10), 150 + 30 * i),
    )
put(steamer(0.74, 0.36), (1.35, 1.12, 0), (0, 0, 30))
pm = pancake_mat()
for i in range(7):
    put(
        pancake(R.uniform(0.54, 0.57), pm),
        (1.35 + R.uniform(-0.03, 0.03), 1.12 + R.uniform(-0.03, 0.03), 0.14 + 0.024 * i),
        (0, 0, R.uniform(0, 360)),
    )
put(plate(0.58, glaze), (-1.42, 1.02, 0))
gr, pl = shred_mats()
for i in range(11):
    put(
        cucumber(R.uniform(0.5, 0.58)),
        (-1.62 + 0.055 * (i % 6) - 0.0, 1.06 + R.uniform(-0.02, 0.02), 0.075 + 0.065 * (i // 6)),
        (0, 0, 84 + R.uniform(-7, 7)),
    )
for _ in range(60):
    put(
        shred(R.uniform(0.5, 0.62), 0.013, R.choice((gr, pl, pl)), 0.08),
        (-1.20 + R.gauss(0, 0.065), 1.0 + R.gauss(0, 0.02), 0.07 + abs(R.gauss(0, 0.05))),
        (R.gauss(0, 5), R.gauss(0, 5), 80 + R.gauss(0, 9)),
    )
put(
    plate(0.40, ceramic((0.05, 0.05, 0.055), (0.12, 0.1, 0.09)) if v != "dark" else ceramic(), 0.15),
    (0.12, 1.22, 0),
)
put(
    liquid(0.31, mat((0.055, 0.014, 0.005), (0.09, 0.022, 0.007), (3, 0.4, 0.7), 0.10, (3, 0.012), coat=0.6)),
    (0.12, 1.22, 0.09),
)
put(plate(0.56, glaze), (1.72, -0.92, 0), (0, 0, 0))
put(wrap(), (1.66, -0.86, 0.045), (0, 0, 32))
put(wrap(0.76, 0.13), (1.86, -1.10, 0.045), (0, 0, 24))
put(chopsticks(wood((0.05, 0.018, 0.01), (0.12, 0.04, 0.02), 0.3), 2.2, 3), (-1.45, -1.40, 0.0), (0, 0, 4))
window_light(1900)
camera((0.06, 0.0, 0.15), 6.7, 46, -91, 66, 0.27, (0, -0.35, 0.3))
render("duck-" + v)
