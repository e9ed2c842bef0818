"""Two cocktails on a dark polished bar, bottles and warm lamps out of focus behind."""

import bpy

from lab.pictures.drinks import (
    bottle,
    cherry,
    citrus,
    clear,
    coupe,
    filled,
    ice,
    metal,
    peel,
    room,
    tumbler,
)
from lab.pictures.studio import R, begin, camera, choose_values, lathe, light, mat, put, render, table, wood

name, V = choose_values(
    amber=dict(
        coupe=(0.98, 0.30, 0.10),
        rocks=(0.86, 0.36, 0.06),
        foam=True,
        tints=((1, 0.42, 0.10), (1, 0.62, 0.22), (0.9, 0.2, 0.06)),
        seed=3,
        az=-92,
    ),
    rose=dict(
        coupe=(0.96, 0.24, 0.34),
        rocks=(0.95, 0.55, 0.12),
        foam=False,
        tints=((1, 0.22, 0.30), (0.55, 0.22, 1), (1, 0.55, 0.18)),
        seed=10,
        az=-84,
    ),
    green=dict(
        coupe=(0.62, 0.86, 0.22),
        rocks=(0.90, 0.34, 0.08),
        foam=False,
        tints=((0.20, 0.75, 0.55), (1, 0.62, 0.22), (0.2, 0.45, 1)),
        seed=23,
        az=-97,
    ),
)
begin(V.seed)
bpy.context.scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.05
top = wood((0.022, 0.010, 0.006), (0.075, 0.030, 0.014), 0.16)
table(top, planks=False)
G = clear()
glass, inner = coupe(G, 0.50, 0.68)
lv = max(z for _, z in inner) - 0.035
drink = [glass, filled(inner, clear(V.coupe, 0, 1.34, 0.95), lv)]
if V.foam:
    drink.append(
        put(
            lathe(
                [(0, 0.03), (0.30, 0.03), (0.455, 0.02), (0.47, 0.0), (0.455, -0.02), (0, -0.02)],
                mat((0.95, 0.82, 0.66), (0.90, 0.70, 0.50), (9, 0.4, 0.7), 0.5, (36, 0.004), sss=0.5),
            ),
            (0, 0, lv + 0.02),
        )
    )
zest = mat((0.93, 0.40, 0.02), (0.97, 0.55, 0.06), (20, 0.4, 0.6), 0.35, (50, 0.004), sss=0.2, coat=0.3)
drink.append(put(peel(zest, 0.13, 1.2, 0.045, 0.16), (0.16, -0.12, lv + 0.06), (60, 14, 30)))
put(drink, (-0.56, -0.20, 0), (0, 0, 20))
glass, inner = tumbler(G, 0.42, 0.88, 0.15, 0.93, 14)
put(
    [
        glass,
        filled(inner, clear(V.rocks, 0, 1.34, 0.95), 0.58),
        put(ice(clear((0.98, 0.99, 1), 0.03, 1.31), 0.42), (0.02, -0.02, 0.30), (6, 8, 30)),
        put(ice(clear((0.98, 0.99, 1), 0.05, 1.31), 0.30), (-0.04, 0.08, 0.60), (22, -14, 64)),
    ],
    (0.55, 0.16, 0),
    (0, 0, 10),
)
put(citrus(0.25, 0.045), (0.86, 0.08, 0.86), (78, 8, 62))
dark = mat(
    (0.16, 0.006, 0.010),
    (0.28, 0.012, 0.015),
    (4, 0.4, 0.7),
    0.12,
    coat=0.8,
    sss=0.2,
    radius=(0.05, 0.01, 0.01),
)
stem = mat((0.20, 0.12, 0.04), rough=0.6)
for x, y, a in ((0.10, -0.72, 30), (0.27, -0.64, 170), (0.20, -0.84, 260)):
    put(cherry(dark, stem), (x, y, 0.08), (R.uniform(-60, -30), R.uniform(-20, 20), a))
put(citrus(0.27, 0.06), (-1.15, 0.62, 0.0), (0, 0, 20))
put(citrus(0.27, 0.05), (-1.05, 0.52, 0.06), (10, -9, 80))
brass = metal((0.80, 0.52, 0.22), 0.22)
put(
    lathe(
        [
            (0, 0),
            (0.24, 0),
            (0.25, 0.01),
            (0.27, 0.9),
            (0.24, 1.0),
            (0.13, 1.16),
            (0.13, 1.32),
            (0.10, 1.36),
            (0, 1.37),
        ],
        brass,
        wobble=0,
    ),
    (1.45, 1.5, 0),
)
paper = mat((0.72, 0.62, 0.46), (0.60, 0.48, 0.32), (3, 0.4, 0.6), 0.7)
for x, c in (
    (-2.1, (0.05, 0.14, 0.06)),
    (-1.35, (0.24, 0.09, 0.02)),
    (-0.5, (0.30, 0.14, 0.03)),
    (0.35, (0.04, 0.09, 0.05)),
    (2.3, (0.22, 0.05, 0.02)),
    (1.2, (0.26, 0.12, 0.04)),
):
    put(
        bottle(mat(c, rough=0.08, coat=0.8), R.uniform(2.4, 2.9), R.uniform(0.32, 0.40), paper),
        (x + R.uniform(-0.12, 0.12), 5.0 + R.uniform(-0.3, 0.3), 0),
    )
room(
    4.6, ((0.012, 0.008, 0.007), (0.035, 0.018, 0.012)), 38, 2.8, (0.15, 2.5), (0.08, 0.22), V.tints, 2.4, 0.3
)
light((-4.2, 3.6, 3.4), (0, 0, 0.5), (1.6, 2.6), 520, (1, 0.80, 0.58))
light((3.6, 4.0, 2.6), (0.3, 0, 0.5), (1.0, 2.4), 300, V.tints[0])
light((-2.6, -5.5, 3.2), (0, 0, 0.6), (2.4, 2.0), 210, (1, 0.86, 0.72))
light((0, 3.2, 1.2), (0, 0, 0.6), (3.0, 0.8), 60, (1, 0.72, 0.42))
camera((0.03, 0.05, 0.58), 6.0, 12, V.az, 78, 0.24, (-0.4, -0.35, 0.6))
render("cocktails-" + name)
