"""Pizza with blistered crust on a board, with basil or pepperoni."""

import math

from lab.pictures.dishes import apart, crumb, disc, lump, pepperoni, pizza, slab, sprinkle
from lab.pictures.studio import (
    R,
    begin,
    bowl,
    camera,
    ceramic,
    choose_look,
    cloth,
    cloth_mat,
    lathe,
    leaf,
    liquid,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

v = choose_look("margherita", "pepperoni", "dark")
begin({"margherita": 16, "pepperoni": 27, "dark": 38}[v])
table(
    wood((0.16, 0.075, 0.03), (0.42, 0.23, 0.11), 0.5)
    if v != "dark"
    else mat((0.05, 0.05, 0.052), (0.085, 0.08, 0.078), (2, 0.3, 0.7), 0.5, (6, 0.008)),
    planks=v != "dark",
)
board = (
    wood((0.26, 0.13, 0.055), (0.50, 0.30, 0.16), 0.5)
    if v != "pepperoni"
    else mat((0.030, 0.032, 0.036), (0.065, 0.068, 0.072), (2.5, 0.3, 0.7), 0.55, (5, 0.02))
)
H = 0.08
put(
    lathe([(0, H), (1.40, H), (1.43, H - 0.02), (1.43, 0.02), (1.41, 0), (0, 0)], board),
    (0, 0, 0),
    (0, 0, 25),
)
put(slab(0.9, 0.34, H * 0.96, board), (1.55, -0.75, 0), (0, 0, -26))
a = R.uniform(0, 1)
put(pizza(1.26, 25 if v != "pepperoni" else 26, [a + k * math.pi / 3 for k in range(3)]), (0, 0, H + 0.006))
if v != "margherita":
    for x, y in apart(17, lambda: disc(0.92), 0.33):
        put(pepperoni(R.uniform(0.135, 0.16)), (x, y, H + 0.115), (R.uniform(-5, 5), R.uniform(-5, 5), 0))
g = mat(
    (0.05, 0.17, 0.022),
    (0.12, 0.30, 0.04),
    (5, 0.35, 0.7),
    0.32,
    (9, 0.02),
    sss=0.25,
    radius=(0.03, 0.06, 0.01),
    coat=0.3,
)
for x, y in apart(6 if v == "margherita" else 3, lambda: disc(0.72), 0.42):
    t = R.uniform(0, 360)
    for k in range(2):
        b = t + k * 150 + R.uniform(-20, 20)
        put(
            leaf(R.uniform(0.36, 0.44), R.uniform(0.12, 0.16), g, 0.16),
            (x, y, H + 0.115),
            (R.uniform(-10, 10), R.uniform(-9, -2), b),
        )
herb = mat((0.10, 0.16, 0.04), (0.18, 0.22, 0.07), (9, 0.4, 0.7), 0.6)
sprinkle(crumb(herb, 0.012), 160, lambda: disc(1.05), 0.003)
sprinkle(crumb(mat((0.86, 0.80, 0.66), rough=0.6), 0.014), 60, lambda: disc(1.05), 0.003)
flour = crumb(mat((0.90, 0.86, 0.78), rough=0.8), 0.010)
sprinkle(flour, 260, lambda: (R.gauss(0, 1.4), R.gauss(-0.2, 1.2)), 0.002)
tom = mat(
    (0.58, 0.030, 0.010),
    (0.70, 0.07, 0.015),
    (3, 0.4, 0.7),
    0.10,
    sss=0.2,
    radius=(0.08, 0.02, 0.01),
    coat=0.6,
)
for x, y in ((-1.72, 1.02), (-1.50, 1.28), (-1.92, 1.30)):
    put(
        lump((0.155, 0.155, 0.145), tom, 2.05, 0.02, 2),
        (x, y, 0.14),
        (R.uniform(-30, 30), R.uniform(-30, 30), 0),
    )
    put(leaf(0.12, 0.03, g, 0.2), (x, y, 0.285), (0, 0, R.uniform(0, 360)))
put(bowl(0.36, 0.26, ceramic()), (1.78, 1.15, 0))
put(liquid(0.31, mat((0.72, 0.46, 0.06), rough=0.03, glass=0.3, coat=0.5)), (1.78, 1.15, 0.19))
put(cloth(1.9, 2.2, cloth_mat((0.50, 0.12, 0.09)), 0.09, 3), (-2.2, -1.0, 0), (0, 0, 24))
window_light(1900)
camera((0.02, -0.05, 0.1), 6.2, 47, -88, 66, 0.26, (0, -0.35, 0.2))
render("pizza-" + v)
