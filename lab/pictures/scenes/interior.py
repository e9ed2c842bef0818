"""Corner of a small noodle and tea shop."""

import math

from lab.pictures.studio import (
    PI2,
    R,
    begin,
    bowl,
    box,
    camera,
    ceramic,
    chopsticks,
    cup,
    lathe,
    leaf,
    light,
    liquid,
    marble,
    mat,
    put,
    render,
    steamer,
    tube,
    wood,
)

begin(3)
oak, dark = (
    wood((0.20, 0.10, 0.045), (0.42, 0.25, 0.13), 0.15),
    wood((0.05, 0.022, 0.01), (0.14, 0.06, 0.03), 0.2),
)
plaster = mat((0.66, 0.56, 0.43), (0.56, 0.45, 0.33), (0.25, 0.35, 0.7), 0.9, (3, 0.03))
for i in range(-14, 15):
    box((60, 1.75, 0.3), dark, (0, i * 1.8, -0.15), 0.04)
box((60, 0.5, 34), plaster, (0, 17.3, 15))
left = mat((0.60, 0.50, 0.38), (0.52, 0.42, 0.31), (0.25, 0.35, 0.7), 0.9, (3, 0.03))
for y, w in ((15.5, 4), (4.2, 2), (-7, 2)):  # left wall: piers between two tall windows
    box((0.7, w, 30), left, (-15, y, 14))
box((0.8, 40, 8), left, (-15, 0, 4)), box((0.8, 40, 8), left, (-15, 0, 29))
sky = mat((1, 1, 1))
sky.node_tree.nodes["Principled BSDF"].inputs["Emission Color"].default_value = (1, 0.93, 0.82, 1)
sky.node_tree.nodes["Principled BSDF"].inputs["Emission Strength"].default_value = 9
box((0.1, 40, 24), sky, (-17, 0, 15))
for y in (9.3, -1.5):
    box((0.4, 0.3, 18), dark, (-14.9, y, 16)), box((0.4, 9, 0.3), dark, (-14.9, y, 17))
tiles = [ceramic((0.06 + 0.03 * k, 0.19 + 0.03 * k, 0.15 + 0.02 * k), (0.03, 0.11, 0.09)) for k in range(4)]
for r in range(9):
    for c in range(-2, 34):
        box(
            (1.42, 0.25, 0.70),
            R.choice(tiles),
            (-14 + c * 1.47 + (r % 2) * 0.73, 16.95 + R.uniform(-0.02, 0.02), 9.6 + r * 0.75),
            0.06,
            (R.uniform(-1, 1), 0, R.uniform(-1, 1)),
        )
# counter
box((22, 4.6, 0.5), marble(), (5, 11, 9.6), 0.06)
box((21.4, 4, 9.2), dark, (5, 11, 4.7))
for i in range(30):
    box((0.52, 0.3, 9), oak, (-5.5 + i * 0.725, 8.85, 4.7), 0.06)
# shelves with dishes
pots = [
    ceramic((0.80, 0.76, 0.68)),
    ceramic((0.12, 0.18, 0.18), (0.3, 0.3, 0.24)),
    ceramic((0.50, 0.24, 0.13), (0.36, 0.16, 0.09)),
    ceramic((0.62, 0.54, 0.40)),
]
glass = mat((0.75, 0.45, 0.20), rough=0.08, coat=0.6)
for z in (18, 21.6):
    box((24, 2.2, 0.35), oak, (3, 16, z), 0.04)
    x = -8.3
    while x < 14:
        k = R.random()
        if k < 0.35:
            for n in range(R.randint(2, 4)):
                put(bowl(0.85, 0.55, R.choice(pots[:2])), (x, 16, z + 0.2 + n * 0.28))
        elif k < 0.6:
            put(
                lathe(
                    [
                        (0, 0),
                        (0.55, 0),
                        (0.6, 0.1),
                        (0.6, 1.5),
                        (0.45, 1.75),
                        (0.45, 1.9),
                        (0.5, 1.9),
                        (0.5, 2.1),
                        (0, 2.15),
                    ],
                    R.choice((glass, pots[2], pots[3])),
                ),
                (x, 16, z + 0.18),
            )
        elif k < 0.8:
            (
                put(steamer(0.85, 0.5), (x, 16, z + 0.2), (0, 0, R.uniform(0, 360))),
                put(steamer(0.85, 0.5), (x, 16, z + 0.75), (0, 0, R.uniform(0, 360))),
            )
        else:
            put(
                lathe(
                    [
                        (0, 0),
                        (0.4, 0),
                        (0.75, 0.35),
                        (0.8, 0.8),
                        (0.5, 1.2),
                        (0.3, 1.25),
                        (0.1, 1.35),
                        (0.12, 1.45),
                        (0, 1.5),
                    ],
                    R.choice(pots),
                ),
                (x, 16, z + 0.18),
            )
        x += R.uniform(1.9, 2.5)
for x in (-3, 0.2, 9):  # things on the counter
    for n in range(2 if x > 5 else 1):
        put(steamer(1.25, 0.6), (x, 10.6, 9.9 + n * 0.62), (0, 0, 60 * x))
for i in range(5):
    put(cup(0.42, 0.6, pots[i % 2], False), (4 + i * 0.95, 10 + R.uniform(-0.2, 0.2), 9.87))
green = mat((0.04, 0.14, 0.025), (0.11, 0.27, 0.05), (1, 0.4, 0.7), 0.4, sss=0.15)
for px, py, pz, n, s in ((13.5, 10.5, 9.85, 36, 3), (-12.4, 12.8, 0, 60, 6.5)):
    put(
        lathe([(0, 0), (0.28, 0), (0.36, 0.5), (0.37, 0.52), (0.33, 0.5), (0.28, 0.03)], pots[2]),
        (px, py, pz),
        scale=s if s > 4 else 3,
    )
    for _ in range(n):
        put(
            leaf(R.uniform(0.5, 1), R.uniform(0.08, 0.15), green, 0.5),
            (px + R.gauss(0, 0.06 * s), py + R.gauss(0, 0.06 * s), pz + 0.48 * s),
            (R.uniform(-30, 30), R.uniform(-80, -10), R.uniform(0, 360)),
            s * 0.9,
        )
# lamps
brass = mat((0.55, 0.34, 0.12), rough=0.3, coat=0.2)
brass.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 0.8
bulb = mat((1, 1, 1))
bulb.node_tree.nodes["Principled BSDF"].inputs["Emission Color"].default_value = (1, 0.66, 0.32, 1)
bulb.node_tree.nodes["Principled BSDF"].inputs["Emission Strength"].default_value = 40
for x in (-3.5, 4, 11.5):
    z = 20.5 + R.uniform(-0.3, 0.3)
    put(lathe([(0.2, 1.5), (0.3, 1.45), (0.9, 1.0), (1.5, 0.2), (1.55, 0)], brass, thick=0.06), (x, 8.2, z))
    put(lathe([(0, -0.35), (0.25, -0.25), (0.35, 0), (0.25, 0.25), (0, 0.35)], bulb, 24), (x, 8.2, z + 0.35))
    tube([(x, 8.2, z + 1.5), (x, 8.2, 34)], 0.04, dark)
    light((x, 8.2, z - 0.2), (x, 9, 0), (1.4, 1.4), 900, (1, 0.72, 0.42))
for x in (-1.5, 4.5, 10.5):  # stools
    put(lathe([(0, 0), (1.6, 0), (1.7, 0.15), (1.65, 0.4), (0, 0.5)], oak), (x, 5.4, 6.2))
    for a in range(4):
        c, s = math.cos(a * PI2 / 4 + 0.6), math.sin(a * PI2 / 4 + 0.6)
        tube([(x + 1.1 * c, 5.4 + 1.1 * s, 6.3), (x + 1.6 * c, 5.4 + 1.6 * s, 0)], 0.16, dark)
# near table by the window
put(lathe([(0, 0), (4.2, 0), (4.3, 0.1), (4.25, 0.35), (0, 0.38)], oak, 96), (-8.6, -1.2, 7.2))
tube([(-8.6, -1.2, 7.2), (-8.6, -1.2, 0)], 0.4, dark)
(
    put(bowl(1.0, 0.66, pots[0]), (-8.2, -1.8, 7.6)),
    put(liquid(0.9, mat((0.26, 0.085, 0.018), rough=0.05, coat=0.6)), (-8.2, -1.8, 8.15)),
)
(
    put(cup(0.42, 0.6, pots[1], False), (-10.2, -0.6, 7.6)),
    put(chopsticks(dark, 2.4), (-7.0, -2.6, 7.6), (0, 0, 80)),
)
light((-13.5, 5, 17), (3, 6, 4), (10, 14), 9000, (1, 0.92, 0.80))
light((8, -22, 22), (2, 8, 8), (20, 12), 3500, (1, 0.82, 0.62))
camera((0.6, 8, 12.2), 31, 3, -97, 32, 0.12, (1, 9, 11))
render("interior")
