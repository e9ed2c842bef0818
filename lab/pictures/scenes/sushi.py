"""Sushi plate: nigiri with salmon, tuna, prawn and egg, and rolls."""

from lab.pictures.dishes import green_mat, lump, maki, nigiri, seed, slab, sprinkle
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    chopsticks,
    cloth,
    cloth_mat,
    cup,
    leaf,
    liquid,
    mat,
    plate,
    put,
    render,
    table,
    window_light,
    wood,
)

v = choose_look("slate", "white", "wood")
begin({"slate": 18, "white": 29, "wood": 40}[v])
table(wood() if v != "slate" else wood((0.20, 0.10, 0.045), (0.46, 0.27, 0.14), 0.5))
top = {
    "slate": mat((0.030, 0.032, 0.036), (0.065, 0.068, 0.072), (2.5, 0.3, 0.7), 0.5, (5, 0.02), (1, 3, 1)),
    "white": ceramic(),
    "wood": wood((0.34, 0.18, 0.08), (0.56, 0.36, 0.19), 0.5),
}[v]
H = 0.10
put(slab(3.1, 1.9, H, top, 0.04), (0, -0.05, 0), (0, 0, -6))
kinds = (
    ("salmon", "tuna", "prawn", "salmon", "egg")
    if v != "white"
    else ("tuna", "salmon", "white", "prawn", "egg")
)
for i, k in enumerate(kinds):
    put(
        nigiri(k),
        (-0.98 + 0.47 * i, -0.36 - 0.05 * i + R.uniform(-0.02, 0.02), H + 0.10),
        (0, 0, 62 + R.uniform(-5, 5)),
    )
sal, cuc = (
    mat(
        (0.88, 0.22, 0.06),
        (0.93, 0.52, 0.30),
        (6, 0.5, 0.7),
        0.25,
        sss=0.4,
        radius=(0.1, 0.04, 0.02),
        coat=0.4,
    ),
    mat((0.50, 0.68, 0.26), (0.30, 0.50, 0.12), (6, 0.4, 0.7), 0.25, sss=0.4, coat=0.4),
)
yel = mat((0.92, 0.64, 0.12), rough=0.4, sss=0.3)
for row in range(2):
    for i in range(4):
        core = ((sal,), (cuc,))[i % 2] if row else (sal, cuc, yel)
        put(
            maki(core, R.uniform(0.165, 0.175) if not row else 0.15),
            (-0.95 + 0.40 * i + 0.10 * row, 0.34 + 0.37 * row - 0.045 * i + R.uniform(-0.02, 0.02), H),
            (0, 0, R.uniform(0, 360)),
        )
put(
    lump(
        (0.14, 0.12, 0.075),
        mat((0.40, 0.54, 0.14), (0.30, 0.42, 0.09), (9, 0.4, 0.7), 0.6, (26, 0.02), sss=0.2),
        2.2,
        0.08,
        4,
    ),
    (0.98, 0.36, H + 0.065),
    (0, 0, 30),
)
gari = mat(
    (0.92, 0.62, 0.46), (0.90, 0.74, 0.54), (3, 0.4, 0.7), 0.25, sss=0.5, radius=(0.1, 0.06, 0.04), coat=0.5
)
for i in range(11):
    put(
        leaf(R.uniform(0.17, 0.22), 0.085, gari, R.uniform(0.2, 0.4)),
        (0.92 + R.gauss(0, 0.05), 0.66 + R.gauss(0, 0.04), H + 0.02 + 0.012 * i),
        (R.uniform(-25, 25), R.uniform(-14, 8), R.uniform(0, 360)),
    )
g = green_mat()
for a in (20, 55, 90):
    put(leaf(0.34, 0.13, g, 0.25), (1.12, 0.30, H + 0.02), (R.uniform(-10, 10), R.uniform(-16, -6), a))
sprinkle(
    seed(mat((0.86, 0.74, 0.52), rough=0.4, coat=0.2), 0.024),
    26,
    lambda: (R.gauss(-0.3, 0.4), R.gauss(0.45, 0.2)),
    0.005,
)
put(
    plate(0.38, ceramic((0.05, 0.05, 0.055), (0.12, 0.1, 0.09)) if v != "slate" else ceramic(), 0.14),
    (1.40, -1.27, 0),
)
put(liquid(0.295, mat((0.06, 0.016, 0.005), rough=0.04, coat=0.5)), (1.40, -1.27, 0.085))
put(cup(0.36, 0.46, ceramic((0.10, 0.16, 0.17), (0.30, 0.30, 0.24)), False), (1.72, 1.28, 0))
put(liquid(0.31, mat((0.36, 0.40, 0.10), rough=0.03, coat=0.4)), (1.72, 1.28, 0.37))
put(chopsticks(wood((0.10, 0.035, 0.014), (0.22, 0.08, 0.03), 0.3), 2.2, 3), (-1.35, -1.34, 0.0), (0, 0, 2))
put(cloth(1.8, 2.0, cloth_mat((0.10, 0.13, 0.17)), 0.08, 3), (-2.2, 1.3, 0), (0, 0, -20))
window_light(1900)
camera((0.06, -0.06, 0.15), 6.1, 40, -90, 72, 0.27, (0, -0.35, 0.3))
render("sushi-" + v)
