"""Latte with a rosetta and a croissant on a marble table."""

import math

import numpy as np

from lab.pictures.studio import (
    R,
    begin,
    box,
    camera,
    ceramic,
    cloth,
    cloth_mat,
    croissant,
    cup,
    lathe,
    latte_top,
    leaf,
    marble,
    mat,
    plate,
    put,
    render,
    steam,
    table,
    tube,
    window_light,
)

begin(5)
table(marble(), planks=False)
white = ceramic((0.86, 0.84, 0.80), (0.80, 0.77, 0.72))
put(plate(0.86, white, 0.10), (-0.95, 0.35, 0))
put(cup(0.56, 0.56, white), (-0.95, 0.35, 0.035), (0, 0, 205))
put(latte_top(0.525), (-0.95, 0.35, 0.035 + 0.515), (0, 0, -28))
steel = mat((0.75, 0.73, 0.70), rough=0.16)
steel.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 1
put(
    [
        tube(
            [(x, 0, 0.05 * math.sin(2.6 * x)) for x in np.linspace(0.09, 1.05, 20)],
            0.022,
            steel,
            np.linspace(0.9, 1.5, 20),
        ),
        lathe(
            [(0, -0.035), (0.08, -0.025), (0.12, 0.01), (0.125, 0.012), (0.08, -0.018), (0, -0.028)], steel
        ),
    ],
    (-1.35, -0.36, 0.11),
    (0, -4, 8),
)
for x, y in ((-0.1, 0.2), (0.08, 0.05)):
    box(
        (0.2, 0.2, 0.2),
        mat((0.62, 0.38, 0.18), (0.78, 0.56, 0.32), rough=0.5, bump=(40, 0.01), sss=0.3),
        (-0.22 + x, 0.72 + y, 0.18),
        0.015,
        (0, 0, R.uniform(0, 90)),
    )
put(plate(1.0, ceramic((0.30, 0.33, 0.33), (0.12, 0.13, 0.13)), 0.10), (0.98, -0.30, 0))
put(croissant(0.80), (0.98, -0.66, 0.035), (0, 0, 14))
crumb = mat((0.70, 0.36, 0.10), (0.85, 0.60, 0.28), (20, 0.4, 0.6), 0.6)
for _ in range(46):
    r = abs(R.gauss(0.010, 0.008)) + 0.003
    put(
        lathe([(0, 0), (r, 0.3 * r), (0.6 * r, r), (0, r)], crumb, 7, 0, 0.3),
        (1.0 + R.gauss(0, 0.45), -0.45 + R.gauss(0, 0.33), 0.045),
        (R.uniform(0, 90), R.uniform(0, 90), 0),
    )
put(cloth(2.4, 1.8, cloth_mat((0.30, 0.34, 0.28)), 0.14, 4), (1.75, 1.25, 0), (0, 0, -32))
g = mat((0.05, 0.16, 0.03), (0.10, 0.26, 0.05), (5, 0.4, 0.7), 0.4, sss=0.2)
put(
    lathe(
        [(0, 0), (0.30, 0), (0.36, 0.5), (0.37, 0.52), (0.33, 0.5), (0.28, 0.03), (0, 0.03)],
        ceramic((0.55, 0.26, 0.15), (0.40, 0.18, 0.1)),
    ),
    (-2.1, 2.3, 0),
)
for _ in range(26):
    put(
        leaf(R.uniform(0.4, 0.8), R.uniform(0.09, 0.15), g, 0.4),
        (-2.1 + R.gauss(0, 0.08), 2.3 + R.gauss(0, 0.08), 0.45),
        (R.uniform(-30, 30), R.uniform(-75, -15), R.uniform(0, 360)),
    )
steam(-0.95, 0.45, 0.62, 1.1, 1.6, 0.20)
window_light(1700)
camera((0.05, 0.05, 0.22), 7.4, 40, -90, 76, 0.28, (0.0, -0.25, 0.42))
render("latte")
