"""A row of glazed fruit tarts on a board: strawberry, blueberry, raspberry, kiwi."""

import math

import numpy as np

from lab.pictures.drinks import (
    block,
    blueberry,
    bounce,
    kiwi,
    mats_fruit,
    mint,
    painted,
    plant,
    raspberry,
    room,
    strawberry,
    tart,
)
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    camera,
    choose_values,
    cloth,
    cloth_mat,
    marble,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

name, V = choose_values(
    board=dict(
        top=wood,
        kw=dict(dark=(0.12, 0.06, 0.028), pale=(0.30, 0.17, 0.085), fine=0.6),
        board=(0.055, 0.05, 0.048),
        elev=31,
        az=-98,
        seed=6,
    ),
    marble=dict(top=marble, kw={}, board=(0.42, 0.25, 0.12), elev=38, az=-80, seed=17),
)
begin(V.seed)
table(V.top(**V.kw), planks=V.top is wood)
F = mats_fruit()
shell = painted(0.62, (22, 0.010), 0.1, 0.04, radius=(0.05, 0.03, 0.01))
custard = mat(
    (0.90, 0.62, 0.20), (0.84, 0.50, 0.12), (3, 0.4, 0.7), 0.16, sss=0.4, radius=(0.08, 0.05, 0.02), coat=0.7
)
white = mat((0.92, 0.87, 0.78), rough=0.45, sss=0.4, bump=(30, 0.003))
slate = mat(V.board, tuple(1.6 * c for c in V.board), (4, 0.4, 0.7), 0.55, (9, 0.006))
put(block(3.6, 1.55, 0.07, slate, 0.02), (0.05, 0.12, 0.0), (0, 0, 9))
H = 0.20


def ring(kinds, z, tilt=8):
    for o, q, a in kinds:
        put(
            o,
            (q * math.cos(a), q * math.sin(a), z + 0.045 * (1 - (q / 0.43) ** 2)),
            (R.uniform(-tilt, tilt), R.uniform(-tilt, tilt), R.uniform(0, 360)),
        )
    return [o for o, _, _ in kinds]


def top(kind):
    if kind == "straw":
        return ring(
            [
                (
                    strawberry(F["straw"], R.uniform(0.125, 0.14), R.uniform(0.25, 0.29)),
                    0.27 * (i > 0),
                    i * PI2 / 6 + R.uniform(-0.06, 0.06),
                )
                for i in range(7)
            ],
            H - 0.05,
        )
    if kind == "blue":
        b = [
            (blueberry(F["blue"], R.uniform(0.07, 0.084)), 0.115 * math.sqrt(i * 0.82), i * 2.39996)
            for i in range(15)
        ]
        b += [(blueberry(F["blue"], 0.078), 0.09 * (i > 0) + 0.03, i * 2.1) for i in range(4)]
        out = ring(b[:15], H + 0.03, 40)
        return out + [
            put(o, (q * math.cos(a), q * math.sin(a), H + 0.15), (R.uniform(-30, 30), R.uniform(-30, 30), 0))
            for o, q, a in b[15:]
        ]
    if kind == "rasp":
        n = [(1, 0), (6, 0.20), (11, 0.36)]
        return ring(
            [
                (
                    raspberry(F["rasp"], R.uniform(0.082, 0.094), R.uniform(0.15, 0.17)),
                    q,
                    i * PI2 / k + R.uniform(-0.05, 0.05) + q,
                )
                for k, q in n
                for i in range(k)
            ],
            H - 0.035,
        )
    out = [
        put(
            kiwi(0.17),
            (0.25 * math.cos(a), 0.25 * math.sin(a), H + 0.015),
            (R.uniform(-3, 3), -14, math.degrees(a)),
        )
        for a in np.arange(5) * PI2 / 5 + 0.3
    ]
    out += [put(strawberry(F["straw"], 0.12, 0.22), (0.03, 0, H + 0.01), (4, -8, 40))]
    return out + [
        put(
            blueberry(F["blue"], 0.072),
            (0.36 * math.cos(a), 0.36 * math.sin(a), H + 0.05),
            (R.uniform(-40, 40), 20, 0),
        )
        for a in np.arange(5) * PI2 / 5 + 0.93
    ]


spots = [
    (-1.12, -0.42, "straw"),
    (-0.08, -0.30, "blue"),
    (0.98, -0.10, "kiwi"),
    (-0.68, 0.55, "rasp"),
    (0.40, 0.66, "straw"),
    (1.45, 0.80, "rasp"),
]
for x, y, kind in spots:
    parts = tart(shell, custard, R.uniform(0.445, 0.46), H) + top(kind)
    put(parts, (x + R.uniform(-0.03, 0.03), y + R.uniform(-0.03, 0.03), 0.07), (0, 0, R.uniform(0, 360)))
    put(
        mint(F["mint"], 0.17),
        (x + 0.02, y - 0.02, 0.07 + H + (0.21 if kind == "blue" else 0.16 if kind == "rasp" else 0.24)),
        (0, 0, R.uniform(0, 360)),
    )
for _ in range(5):
    put(
        blueberry(F["blue"], R.uniform(0.07, 0.085)),
        (R.uniform(-1.9, -1.2), R.uniform(-1.25, -0.95), 0.07),
        (R.uniform(-80, 80), 30, 0),
    )
for _ in range(3):
    put(
        raspberry(F["rasp"], 0.10, 0.18),
        (0.35 + 0.28 * _ + R.uniform(-0.08, 0.08), R.uniform(-1.1, -0.9), 0.09),
        (R.uniform(75, 95), 0, R.uniform(0, 360)),
    )
put(cloth(2.4, 1.8, cloth_mat((0.60, 0.55, 0.46)), 0.10, 3), (1.4, 1.9, 0), (0, 0, -24))
plant(-2.2, 3.4, 0, 40, 1.2)
room(6, z=(0.6, 4), lamps=10, bright=0.2)
window_light(1900)
bounce(230)
camera((0.0, 0.04, 0.24), 7.2, V.elev, V.az, 78, 0.26, (0, -0.42, 0.3))
render("fruit-tarts-" + name)
