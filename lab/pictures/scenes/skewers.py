"""Grilled lamb skewers with cumin and chilli on a dark board."""

from lab.pictures.dishes import crumb, green_mat, lime_wedge, metal, seed, skewer, slab, sprinkle
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    lathe,
    leaf,
    mat,
    plate,
    put,
    render,
    scallion,
    steam,
    table,
    window_light,
    wood,
)

v = choose_look("slate", "wood", "tray")
begin({"slate": 4, "wood": 9, "tray": 15}[v])
table(
    wood((0.16, 0.075, 0.03), (0.40, 0.22, 0.11), 0.5)
    if v == "slate"
    else mat((0.05, 0.05, 0.052), (0.085, 0.08, 0.078), (2, 0.3, 0.7), 0.5, (6, 0.008)),
    planks=v == "slate",
)
board = {
    "slate": mat((0.030, 0.032, 0.036), (0.065, 0.068, 0.072), (2.5, 0.3, 0.7), 0.55, (5, 0.02), (1, 3, 1)),
    "wood": wood((0.20, 0.09, 0.04), (0.44, 0.24, 0.12), 0.5),
    "tray": metal((0.60, 0.58, 0.55), 0.35),
}[v]
H = 0.07
put(slab(3.5, 2.3, H, board), (0.0, 0.05, 0), (0, 0, -8))
stick = mat((0.62, 0.42, 0.20), (0.48, 0.29, 0.12), (4, 0.4, 0.6), 0.55, (5, 0.005), (0.5, 8, 8))
for i in range(6):
    put(
        skewer(stick, R.choice((7, 8, 8))),
        (0.05 + R.uniform(-0.12, 0.12), -0.78 + 0.31 * i, H + 0.125),
        (0, R.uniform(-1, 1), 168 + R.uniform(-4, 4)),
    )
put(skewer(stick, 8), (-0.05, 0.05, H + 0.36), (0, 1, 146))
g = green_mat()


def pick():
    return (max(-1.3, min(1.6, R.gauss(0.25, 0.65))), max(-1.1, min(1.0, R.gauss(0.0, 0.45))))


sprinkle(
    crumb(mat((0.50, 0.035, 0.008), (0.62, 0.10, 0.02), (9, 0.4, 0.7), 0.4, coat=0.3), 0.022),
    520,
    pick,
    0.004,
)
sprinkle(seed(mat((0.42, 0.25, 0.09), (0.28, 0.15, 0.05), (9, 0.4, 0.7), 0.5), 0.030), 240, pick, 0.006)
sprinkle(seed(mat((0.86, 0.74, 0.52), rough=0.4, coat=0.2), 0.032), 200, pick, 0.008)
sprinkle(put(leaf(0.085, 0.042, g, 0.3)), 46, pick, 0.008)
sprinkle(scallion(0.032), 40, pick, 0.0)
put(plate(0.40, ceramic((0.05, 0.05, 0.055), (0.12, 0.1, 0.09)), 0.16), (-1.62, 1.62, 0))
sprinkle(
    crumb(mat((0.46, 0.06, 0.012), (0.58, 0.22, 0.05), (6, 0.4, 0.7), 0.6), 0.030),
    500,
    lambda: (R.gauss(-1.62, 0.11), R.gauss(1.62, 0.10)),
    0.01,
)
for x, y, a in ((-1.32, -0.72, 20), (-1.12, -0.92, 75)):
    put(lime_wedge(0.20), (x, y, H + 0.10), (-50, 0, a))
glass = mat((1, 1, 1), rough=0.02, glass=1, ior=1.2)
put(
    lathe([(0, 0.0), (0.30, 0), (0.34, 0.9), (0.32, 0.9), (0.28, 0.06), (0, 0.06)], glass, wobble=0),
    (1.55, 1.65, 0),
)
put(
    lathe(
        [(0, 0.07), (0.275, 0.07), (0.312, 0.72), (0, 0.72)],
        mat((0.80, 0.40, 0.06), rough=0.05, glass=0.7),
        wobble=0,
    ),
    (1.55, 1.65, 0),
)
put(
    lathe(
        [(0, 0.72), (0.31, 0.72), (0.325, 0.86), (0.25, 0.93), (0, 0.95)],
        mat((0.92, 0.88, 0.78), rough=0.6, bump=(30, 0.02), sss=0.4),
    ),
    (1.55, 1.65, 0),
)
steam(0.3, 0.3, 0.4, 2.2, 1.8, 0.30)
window_light(2100)
camera((0.02, 0.08, 0.15), 6.3, 42, -86, 66, 0.27, (0.1, -0.35, 0.25))
render("skewers-" + v)
