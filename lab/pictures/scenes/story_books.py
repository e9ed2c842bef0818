"""A reading corner: picture books in a low shelf and on a rug, a cushion and a lamp."""

from lab.pictures.places import ball, glow, hidden, plaster, sky, wall
from lab.pictures.studio import (
    R,
    begin,
    box,
    camera,
    choose_look,
    cloth_mat,
    lathe,
    light,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

LOOK = choose_look("day", "evening")
begin(171)
day = LOOK == "day"
table(wood((0.36, 0.23, 0.13), (0.58, 0.42, 0.25), 0.4))
wall(plaster((0.70, 0.62, 0.50) if day else (0.30, 0.36, 0.40)), 4.2)
pine = wood((0.50, 0.34, 0.19), (0.66, 0.48, 0.29), 0.5)
paper = mat((0.88, 0.84, 0.75), rough=0.9)
hues = (
    (0.72, 0.12, 0.07),
    (0.90, 0.56, 0.06),
    (0.10, 0.36, 0.30),
    (0.08, 0.20, 0.44),
    (0.84, 0.76, 0.60),
    (0.70, 0.30, 0.36),
    (0.30, 0.50, 0.62),
)
covers = [mat(c, tuple(min(1, 1.5 * x) for x in c), (2.2, 0.48, 0.52), 0.45, coat=0.2) for c in hues]


def book(w, d, h, m):
    """Lying: two boards and a block of paper."""
    return [
        box((w, d, 0.03), m, (0, 0, 0.015), 0.008),
        box((w - 0.05, d - 0.05, h - 0.06), paper, (0.02, 0, h / 2), 0.004),
        box((w, d, 0.03), m, (0, 0, h - 0.015), 0.008),
        box((0.03, d, h), m, (-w / 2 + 0.015, 0, h / 2), 0.008),
    ]


for z in (0.1, 1.75, 3.4):
    box((7.4, 1.1, 0.12), pine, (0.3, 3.4, z), 0.02)
for x in (-3.4, 0.3, 4.0):
    box((0.12, 1.1, 3.4), pine, (x, 3.4, 1.75), 0.02)
for z in (0.16, 1.81):
    x = -3.2
    while x < 3.8:
        thick, high = R.uniform(0.10, 0.24), R.uniform(0.95, 1.4)
        if abs(x - 0.3) > 0.2 and R.random() < 0.9:
            put(
                book(high, 0.95, thick, R.choice(covers)),
                (x + thick / 2, 3.35, z + high / 2 + 0.01),
                (0, 90 + R.uniform(-2, 2), 0),
            )
        x += thick + 0.012
for x, y, pile in ((1.9, -0.1, 4), (-2.4, 0.7, 3)):
    z = 0.03
    for _ in range(pile):
        h = R.uniform(0.10, 0.2)
        put(
            book(R.uniform(1.2, 1.6), R.uniform(0.9, 1.2), h, R.choice(covers)),
            (x, y, z),
            (0, 0, R.uniform(-24, 24)),
        )
        z += h
rug = cloth_mat((0.62, 0.50, 0.36) if day else (0.40, 0.24, 0.20))
put(lathe([(0, 0.03), (2.4, 0.03), (2.5, 0.0)], rug, 80, 1, 0.02), (0.1, -0.2, 0))
for side in (-1, 1):  # an open book
    pages = box((0.95, 1.25, 0.07), paper, (side * 0.49, 0, 0.09), 0.02, (0, -side * 5, 0))
    put(
        [pages, box((0.98, 1.3, 0.03), covers[3], (side * 0.5, 0, 0.04), 0.01, (0, -side * 3, 0))],
        (-0.25, -0.7, 0.02),
        (0, 0, 14),
    )
    for number in range(4):
        spot = lathe([(R.uniform(0.08, 0.2), 0), (0, 0.002)], covers[(number * 2 + side) % 7], 30, 0, 0.2)
        put(spot, (-0.25 + side * (0.3 + 0.12 * number), -0.95 + 0.2 * number, 0.165), (0, -side * 5, 14))
pillow = mat((0.75, 0.42, 0.14), (0.66, 0.34, 0.10), (30, 0.4, 0.6), 0.95, (40, 0.015), sheen=0.3)
put(
    lathe([(0, 0), (0.75, 0.02), (0.95, 0.2), (0.92, 0.36), (0.5, 0.44), (0, 0.42)], pillow, 60, 1, 0.03),
    (-1.0, 1.5, 0.03),
)
put(lathe([(0, 0), (0.34, 0), (0.36, 0.06), (0.05, 0.1), (0.045, 1.2), (0, 1.2)], pine), (2.75, 2.95, 3.46))
put(
    hidden(lathe([(0.55, 0), (0.36, 0.62)], glow((1, 0.74, 0.42), 3.0 if day else 6), 60, 0, 0)),
    (2.75, 2.95, 4.45),
)
light((2.75, 2.4, 4.6), (1, 0, 0), (0.6, 0.6), 60 if day else 200, (1, 0.72, 0.42))
bear = mat((0.42, 0.24, 0.11), (0.52, 0.31, 0.15), (30, 0.4, 0.6), 0.95, (36, 0.04), sheen=0.5)
dark = mat((0.02, 0.015, 0.01), rough=0.2, coat=0.5)
body = [
    put(ball(0.42, bear), (0, 0, 0.42)),
    put(ball(0.32, bear), (0, -0.05, 1.0)),
    put(ball(0.15, bear), (0, -0.30, 0.94)),
]
body += [put(ball(0.12, bear, 24), (s * 0.25, 0, 1.24)) for s in (-1, 1)] + [
    put(ball(0.035, dark, 16), (s * 0.12, -0.33, 1.06)) for s in (-1, 1)
]
body += (
    [put(ball(0.05, dark, 16), (0, -0.45, 0.97))]
    + [put(ball(0.17, bear), (s * 0.28, -0.38, 0.15)) for s in (-1, 1)]
    + [put(ball(0.14, bear), (s * 0.42, -0.12, 0.58)) for s in (-1, 1)]
)
put(body, (0.95, 1.2, 0.03), (0, 0, -14), 1.05)
sky((1, 0.92, 0.80), 0.35 if day else 0.12)
window_light(2000 if day else 500)
light((4, -5, 5), (0, 0, 0.6), (3, 3), 260, (1, 0.84, 0.66))
camera((0.1, 0.8, 1.1), 9.4, 17, -92, 50, 0.42, (0, -0.3, 0.4))
render("story-books-" + LOOK)
