"""Two mugs of cold beer with foam, a bowl of peanuts and some shells on a tavern table at night."""

import math

import bpy

from lab.pictures.drinks import (
    ball,
    bounce,
    clear,
    clone,
    droplets,
    filled,
    foam,
    mug,
    painted,
    peanut,
    room,
)
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    bowl,
    camera,
    ceramic,
    choose_values,
    lathe,
    light,
    mat,
    put,
    render,
    table,
    wood,
)

name, V = choose_values(
    lager=dict(
        beer=(0.98, 0.60, 0.10),
        head=(0.95, 0.90, 0.78),
        tints=((1, 0.50, 0.14), (1, 0.66, 0.28), (0.9, 0.30, 0.10)),
        elev=13,
        az=-92,
        seed=4,
    ),
    amber=dict(
        beer=(0.92, 0.42, 0.06),
        head=(0.90, 0.78, 0.58),
        tints=((1, 0.30, 0.12), (1, 0.62, 0.22), (0.25, 0.6, 0.5)),
        elev=17,
        az=-82,
        seed=18,
    ),
)
begin(V.seed)
bpy.context.scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.12
table(wood((0.05, 0.024, 0.012), (0.16, 0.078, 0.036), 0.5))
G = clear()
liquid_m = clear(V.beer, 0, 1.34, 0.95)
head = mat(
    V.head,
    tuple(0.95 * c for c in V.head),
    (34, 0.40, 0.62),
    0.5,
    (70, 0.004),
    sss=0.6,
    radius=(0.14, 0.11, 0.07),
)
drop = clear(ior=1.33)


def bubbles(r, level):
    """Small ones in the head: along the glass and where it meets the beer, a few large ones on top."""
    one, found = ball(0.02, head, 1, 14, 0), []
    for _ in range(150):
        a, low = R.uniform(0, PI2), R.random() ** 2
        found.append(
            clone(
                one, (r * math.cos(a), r * math.sin(a), level - 0.09 + 0.22 * low), scale=R.uniform(0.3, 0.9)
            )
        )
    for _ in range(90):
        a, q = R.uniform(0, PI2), math.sqrt(R.random()) * 0.96
        z = level + 0.30 * (1 - 0.45 * q**5)
        found.append(clone(one, (r * q * math.cos(a), r * q * math.sin(a), z), scale=R.uniform(0.3, 1.2)))
    bpy.data.objects.remove(one)
    return found


for x, y, a in ((-0.52, -0.18, 168), (0.52, 0.72, 20)):
    glass, inn = mug(G)
    lv, r = 1.10, 0.395
    put(
        glass
        + [filled(inn, liquid_m, lv), put(foam(head, r, 0.30), (0, 0, lv))]
        + bubbles(r, lv)
        + droplets(drop, 0.415, 0.1, 1.0, 120, 0.012),
        (x, y, 0),
        (0, 0, a),
    )
put(bowl(0.46, 0.26, ceramic((0.10, 0.13, 0.14), (0.24, 0.24, 0.20))), (0.62, -0.62, 0))
pm = painted(0.75, (40, 0.004), 0.1, 0)
nuts = [peanut(pm, R.uniform(0.13, 0.165)) for _ in range(6)]
for _ in range(46):
    q, a = 0.33 * math.sqrt(R.random()), R.uniform(0, PI2)
    clone(
        R.choice(nuts),
        (
            0.62 + q * math.cos(a),
            -0.62 + q * math.sin(a),
            0.20 + 0.10 * (1 - (q / 0.36) ** 2) + R.uniform(-0.02, 0.03),
        ),
        (R.uniform(0, 360), R.uniform(-25, 25), R.uniform(0, 360)),
    )
for i, (x, y) in enumerate(
    [(0.02, -0.98), (-0.30, -0.86), (1.18, -0.40), (0.16, -0.72), (-0.98, -0.80), (-1.25, -0.35)]
):
    clone(nuts[i], (x, y, 0.06), (R.uniform(0, 360), 0, R.uniform(0, 360)))
for o in nuts:
    bpy.data.objects.remove(o)
put(
    lathe(
        [(0, 0.02), (0.56, 0.02), (0.57, 0.012), (0.56, 0), (0, 0)],
        mat((0.50, 0.36, 0.20), (0.42, 0.28, 0.15), (20, 0.4, 0.6), 0.9),
        wobble=0,
        sub=0,
    ),
    (-0.52, -0.18, 0.0),
).scale = (0.9, 0.9, 0.1)
room(5.2, ((0.025, 0.014, 0.009), (0.07, 0.035, 0.018)), 34, 3.5, (0.2, 2.8), (0.09, 0.24), V.tints, 2.8, 0.3)
light((-4.2, 3.6, 3.6), (0, 0, 0.5), (1.8, 2.8), 760, (1, 0.84, 0.62))
light((3.4, 4.2, 2.8), (0.3, 0, 0.5), (1.2, 2.4), 420, (1, 0.66, 0.34))
bounce(520, -2.6)
light((0, 3.6, 0.9), (-0.1, 0, 0.7), (3.2, 1.2), 120, (1, 0.72, 0.40))
camera((0.05, 0.05, 0.68), 6.3, V.elev, V.az, 78, 0.26, (-0.4, -0.55, 0.7))
render("beer-" + name)
