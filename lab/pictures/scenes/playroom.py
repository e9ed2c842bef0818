"""Castle of wooden blocks, stacking rings, a small train and balls on a floor: a place for children."""

from lab.pictures.places import arch, ball, box, plaster, ring, sky, train, wall, wedge
from lab.pictures.studio import (
    R,
    begin,
    camera,
    choose_look,
    lathe,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

LOOK = choose_look("bright", "pastel", "natural")
begin(101)
C = {
    "bright": [
        (0.80, 0.05, 0.04),
        (0.03, 0.25, 0.62),
        (0.95, 0.58, 0.03),
        (0.06, 0.42, 0.14),
        (0.88, 0.28, 0.04),
    ],
    "pastel": [
        (0.88, 0.46, 0.44),
        (0.42, 0.62, 0.76),
        (0.94, 0.78, 0.44),
        (0.52, 0.72, 0.56),
        (0.72, 0.56, 0.76),
    ],
    "natural": [
        (0.55, 0.20, 0.12),
        (0.22, 0.34, 0.36),
        (0.72, 0.48, 0.20),
        (0.36, 0.42, 0.26),
        (0.62, 0.42, 0.30),
    ],
}[LOOK]
table(wood((0.40, 0.26, 0.14), (0.60, 0.43, 0.27), 0.45))
wall(
    plaster(
        {"bright": (0.60, 0.68, 0.70), "pastel": (0.74, 0.64, 0.58), "natural": (0.66, 0.60, 0.50)}[LOOK]
    ),
    8,
)
plain = wood((0.52, 0.36, 0.20), (0.70, 0.52, 0.33), 0.55, 2)
P = [
    mat(c, tuple(0.86 * k for k in c), (3, 0.35, 0.7), 0.34, (8, 0.004), (0.5, 5, 5), coat=0.25) for c in C
] + [plain]


def block(x, y, z, w, d, h, k, a=0):
    put(box(w, d, h, P[k], 0.035, 4), (x, y, z), (0, 0, a + R.uniform(-4, 4)))


X = -0.75  # the castle
for dx, k in ((-0.82, 1), (0.82, 0)):
    for i in range(3):
        block(X + dx, 0.55, 0.52 * i, 0.52, 0.52, 0.51, (k, 5, k + 2)[i])
    put(
        lathe([(0, 0), (0.34, 0), (0.35, 0.02), (0.02, 0.62), (0, 0.63)], P[3 - k], 48, 0, 0),
        (X + dx, 0.55, 1.56),
    )
put(arch(1.04, 0.52, 0.52, P[5]), (X, 0.55, 0))
block(X, 0.55, 0.53, 1.08, 0.50, 0.26, 2)
put(arch(0.60, 0.26, 0.50, P[4]), (X, 0.55, 0.80))
put(wedge(0.62, 0.40, 0.5, P[0]), (X, 0.55, 1.07))
for x, y, k, a, s in ((-2.0, -0.25, 3, 25, 0.46), (-0.62, -0.72, 4, -35, 0.42), (-1.12, -1.12, 5, 60, 0.40)):
    block(x, y, 0, s, s, s, k, a)
put(
    lathe([(0, 0), (0.2, 0), (0.22, 0.02), (0.22, 0.68), (0.2, 0.7), (0, 0.7)], P[2], 40, 0, 0),
    (-2.05, -1.05, 0.22),
    (90, 0, 62),
)
put(
    lathe(
        [(0, 0), (0.62, 0), (0.64, 0.04), (0.62, 0.10), (0.09, 0.12), (0.075, 1.5), (0, 1.52)],
        plain,
        56,
        1,
        0,
    ),
    (1.55, 0.75, 0),
)  # stacking rings
z = 0.12
for i, k in enumerate((0, 4, 2, 3, 1)):
    r = 0.155 - 0.008 * i
    put(
        ring(0.40 - 0.055 * i, r, P[k]),
        (1.55 + R.uniform(-0.02, 0.02), 0.75, z + r),
        (R.uniform(-2, 2), R.uniform(-2, 2), 0),
    )
    z += 2 * r * 0.97
put(ball(0.19, P[0], 40), (1.55, 0.75, z + 0.17))
put(train(P), (0.95, -0.75, 0), (0, 0, 14))
for x, y, r, k in ((2.55, 0.1, 0.36, 2), (-2.55, 1.1, 0.52, 0), (3.0, 2.2, 0.62, 1), (0.45, 2.3, 0.40, 3)):
    put(ball(r, P[k], 48), (x, y, r))
for i in range(9):  # low shelf with boxes, out of focus
    put(
        box(1.0, 0.9, R.uniform(0.7, 1.25), P[i % 6], 0.06),
        (-5.2 + 1.3 * i, 7.0, 1.3),
        (0, 0, R.uniform(-6, 6)),
    )
put(box(15, 1.2, 0.16, plain, 0.03), (0, 7.0, 1.14))
put(box(15, 1.2, 0.16, plain, 0.03), (0, 7.0, 3.1))
sky((1, 0.95, 0.90), 0.34)
window_light(1750)
camera((0.18, 0.1, 0.82), 8.6, 17, -93, 64, 0.30, (0, -0.2, 0.7))
render("playroom-" + LOOK)
