"""A table of games in the evening: dice, wooden figures, cards face down, a bowl of nuts and tea."""

import math

from lab.pictures.places import ball, bokeh, sky
from lab.pictures.studio import (
    R,
    begin,
    bowl,
    box,
    camera,
    ceramic,
    choose_look,
    cup,
    lathe,
    light,
    liquid,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

LOOK = choose_look("evening", "green")
begin(111)
table(wood((0.10, 0.05, 0.025), (0.26, 0.14, 0.07), 0.4))
felt = mat(
    (0.03, 0.13, 0.08) if LOOK == "green" else (0.30, 0.07, 0.06), rough=1, bump=(70, 0.008), sheen=0.4
)
box((5.2, 3.4, 0.05), felt, (0.1, 0.2, 0.02), 0.02, (0, 0, -9))
tile_paints = [
    mat(c, tuple(0.8 * x for x in c), (5, 0.35, 0.7), 0.6, (30, 0.006))
    for c in (
        (0.24, 0.42, 0.16),
        (0.78, 0.60, 0.22),
        (0.52, 0.24, 0.13),
        (0.50, 0.52, 0.53),
        (0.16, 0.34, 0.46),
    )
]
for q in range(-2, 3):
    for r in range(-2, 3):
        if abs(q + r) <= 2:
            x, y = 0.56 * (q + r / 2) - 0.25, 0.485 * r + 0.45
            six = lathe(
                [(0, 0), (0.305, 0), (0.31, 0.01), (0.31, 0.06), (0.30, 0.07), (0, 0.07)],
                R.choice(tile_paints),
                6,
                0,
                0,
            )
            put(six, (x, y, 0.05), (0, 0, 30))
figures = [
    mat(c, rough=0.35, coat=0.3)
    for c in ((0.72, 0.07, 0.03), (0.04, 0.18, 0.52), (0.92, 0.62, 0.04), (0.90, 0.88, 0.84))
]


def house(m, s):
    return [
        box((s, s, s * 0.8), m, (0, 0, s * 0.4), 0.01),
        put(lathe([(s * 0.74, 0), (0, s * 0.6)], m, 4, 0, 0), (0, 0, s * 0.78), (0, 0, 45)),
    ]


def pawn(m, s):
    return lathe(
        [
            (0, 0),
            (s * 0.42, 0),
            (s * 0.44, s * 0.1),
            (s * 0.18, s * 0.5),
            (s * 0.14, s * 0.85),
            *((s * 0.24 * math.sin(a), s * 1.1 - s * 0.24 * math.cos(a)) for a in (0.7, 1.1, 1.6, 2.1, 2.6)),
            (0, s * 1.34),
        ],
        m,
        40,
    )


for q, r, m in ((0, 0, 0), (1, -1, 1), (-1, 1, 2), (0, -2, 3), (2, -1, 0), (-2, 0, 1), (1, 1, 2)):
    x, y = 0.56 * (q + r / 2) - 0.25 + 0.14, 0.485 * r + 0.45 + 0.12
    put(
        house(figures[m], 0.17) if (q + r) % 2 else pawn(figures[m], 0.24),
        (x, y, 0.12),
        (0, 0, R.uniform(0, 90)),
    )
ivory, pips = mat((0.90, 0.86, 0.76), rough=0.25, sss=0.2, coat=0.4), mat((0.04, 0.03, 0.03), rough=0.3)
DOTS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def die(s, top, front, side):
    parts = [box((s, s, s), ivory, (0, 0, s / 2), s * 0.12)]
    for u, v in DOTS[top]:
        parts.append(put(ball(s * 0.085, pips, 16), (u * s * 0.26, v * s * 0.26, s - s * 0.05)))
    for u, v in DOTS[front]:
        parts.append(put(ball(s * 0.085, pips, 16), (u * s * 0.26, -s / 2 + s * 0.05, s / 2 + v * s * 0.26)))
    for u, v in DOTS[side]:
        parts.append(put(ball(s * 0.085, pips, 16), (s / 2 - s * 0.05, u * s * 0.26, s / 2 + v * s * 0.26)))
    return parts


put(die(0.34, 5, 3, 6), (0.55, -1.05, 0.05), (0, 0, 24))
put(die(0.34, 2, 6, 3), (1.05, -0.85, 0.05), (0, 0, -31))
back, white = (
    mat(
        (0.10, 0.16, 0.34) if LOOK == "evening" else (0.42, 0.08, 0.07),
        (0.16, 0.24, 0.46),
        (26, 0.5, 0.55),
        0.4,
        coat=0.2,
    ),
    mat((0.88, 0.85, 0.78), rough=0.5),
)
for i in range(14):
    box(
        (0.62, 0.92, 0.012),
        white if i < 13 else back,
        (2.0 + R.uniform(-0.01, 0.01), 0.55, 0.055 + 0.013 * i),
        0.002,
        (0, 0, 12 + R.uniform(-2, 2)),
    )
for i in range(5):
    box(
        (0.62, 0.92, 0.012),
        back,
        (-1.75 + 0.22 * i, -1.15 - 0.03 * abs(i - 2), 0.06 + 0.012 * i),
        0.002,
        (0, 0, 26 - 13 * i),
    )
put(bowl(0.5, 0.32, ceramic((0.12, 0.16, 0.18), (0.3, 0.3, 0.24))), (-2.3, 1.2, 0))
nut = mat((0.46, 0.26, 0.10), (0.60, 0.38, 0.18), (8, 0.4, 0.7), 0.5, (20, 0.02))
for _ in range(50):
    put(
        ball(R.uniform(0.06, 0.085), nut, 14),
        (-2.3 + R.gauss(0, 0.17), 1.2 + R.gauss(0, 0.17), 0.26 + R.uniform(0, 0.1)),
    )
put(cup(0.36, 0.44, ceramic((0.78, 0.74, 0.66))), (2.55, -0.75, 0), (0, 0, -30))
put(liquid(0.32, mat((0.36, 0.16, 0.03), rough=0.03, coat=0.4)), (2.55, -0.75, 0.36))
bokeh(26, 7, (-6, 6), (0.8, 4.5), [(1, 0.52, 0.18), (1, 0.70, 0.34)], 16, 0.10)
sky((1, 0.80, 0.62), 0.16)
window_light(800)
light((0.4, 0.6, 5.2), (0, 0.2, 0), (1.2, 1.2), 420, (1, 0.78, 0.50))
camera((0.1, 0.0, 0.15), 7.6, 33, -96, 62, 0.28, (0.2, -0.3, 0.15))
render("board-games-" + LOOK)
