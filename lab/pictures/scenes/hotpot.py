"""Split hot pot, red and white broth, with meat rolls, greens, mushrooms and tofu around."""

import math

import numpy as np

from lab.pictures.dishes import (
    apart,
    bubbles,
    copies,
    disc,
    dried_chili,
    enoki,
    green_mat,
    lump,
    meat_roll,
    metal,
    oval,
    pale_green,
    peppercorns,
    split_pot,
)
from lab.pictures.studio import (
    R,
    begin,
    bowl,
    camera,
    ceramic,
    choose_look,
    chopsticks,
    lathe,
    leaf,
    liquid,
    mat,
    plate,
    put,
    render,
    scallion,
    steam,
    table,
    tube,
    window_light,
    wood,
)

v = choose_look("copper", "steel", "slate")
begin({"copper": 3, "steel": 14, "slate": 25}[v])
if v == "slate":
    table(
        mat((0.055, 0.058, 0.062), (0.085, 0.088, 0.09), (2, 0.3, 0.7), 0.45, (5, 0.006), coat=0.1),
        planks=False,
    )
else:
    table(wood() if v == "copper" else wood((0.20, 0.10, 0.045), (0.46, 0.27, 0.14), 0.5))
pot = {"copper": metal((0.78, 0.44, 0.26), 0.24), "steel": metal(), "slate": metal((0.30, 0.28, 0.27), 0.3)}[
    v
]
LV, r, lift = 0.44, 1.22, 0.06
lathe([(0, 0), (1.0, 0), (1.02, 0.03), (1.0, 0.06), (0, 0.06)], mat((0.02, 0.02, 0.022), rough=0.25))
red = mat((0.50, 0.050, 0.006), (0.26, 0.012, 0.003), (1.8, 0.35, 0.66), 0.05, (7, 0.012), coat=0.7)
white = mat((0.80, 0.63, 0.38), (0.90, 0.80, 0.60), (1.6, 0.35, 0.66), 0.10, (7, 0.012), sss=0.3, coat=0.5)
side = split_pot(r, 0.56, pot, LV, red, white)
pts = apart(400, lambda: disc(r - 0.14), 0.05)
reds, whites = [p for p in pts if side(*p) < -0.09], [p for p in pts if side(*p) > 0.09]
R.shuffle(reds)
R.shuffle(whites)
for x, y in apart(15, lambda: R.choice(reds), 0.24):
    put(
        dried_chili(R.uniform(0.26, 0.44)),
        (x, y, LV + 0.012),
        (R.uniform(-6, 6), R.uniform(-8, 8), R.uniform(0, 360)),
    )
peppercorns(reds[:60], LV + 0.012)
bubbles(reds[60:150], LV + 0.004, mat((0.62, 0.10, 0.012), rough=0.03, coat=0.6, sss=0.2))
bubbles(whites[:60], LV + 0.004, mat((0.90, 0.84, 0.70), rough=0.05, coat=0.6, sss=0.3))
goji = mat((0.62, 0.05, 0.012), (0.75, 0.12, 0.02), (6, 0.4, 0.7), 0.25, (20, 0.006), sss=0.2, coat=0.4)
copies(
    lump((0.055, 0.030, 0.028), goji, 2.1, 0.06, 4, n=14),
    [((x, y, LV + 0.012), (0, 0, R.uniform(0, 360)), R.uniform(0.8, 1.15)) for x, y in whites[60:76]],
)
date = mat((0.22, 0.018, 0.012), (0.32, 0.04, 0.02), (5, 0.4, 0.7), 0.22, (7, 0.03), coat=0.5)
ginger = mat((0.80, 0.66, 0.30), (0.70, 0.52, 0.18), (6, 0.4, 0.7), 0.35, sss=0.3, coat=0.3)
big = apart(9, lambda: R.choice(whites), 0.30)
for i, (x, y) in enumerate(big):
    o = (
        lump((0.13, 0.10, 0.09), date, 2.2, 0.05, 4)
        if i % 3 == 0
        else lathe([(0, 0), (0.13, 0), (0.14, 0.012), (0.13, 0.024), (0, 0.026)], ginger, 24, 1, 0.12)
        if i % 3 == 1
        else tube(
            np.c_[np.linspace(-0.16, 0.16, 9), 0.02 * np.sin(np.linspace(0, 3, 9)), np.zeros(9)],
            0.045,
            pale_green(),
            res=5,
        )
    )
    put(o, (x, y, LV + 0.02), (R.uniform(-5, 5), R.uniform(-5, 5), R.uniform(0, 360)))
for x, y in whites[80:112] + reds[150:166]:
    put(scallion(R.uniform(0.03, 0.045)), (x, y, LV), (R.uniform(-10, 10), R.uniform(-10, 10), 0))
dish = ceramic((0.05, 0.055, 0.06), (0.12, 0.11, 0.10)) if v != "slate" else ceramic()
put(oval(0.92, 0.60, dish), (1.72, -1.18, 0), (0, 0, 24))
for row, (n, z) in enumerate(((6, 0.15), (6, 0.15), (4, 0.31))):
    for i in range(n):
        a = math.radians(24)
        x, y = (i - (n - 1) / 2) * 0.235, (-0.20, 0.22, 0.0)[row]
        put(
            meat_roll(R.uniform(0.38, 0.44), R.uniform(0.095, 0.115)),
            (1.72 + x * math.cos(a) - y * math.sin(a), -1.18 + x * math.sin(a) + y * math.cos(a), z),
            (R.uniform(0, 360), R.uniform(-10, 10), 24 + 90 + R.uniform(-14, 14)),
        )
put(bowl(0.70, 0.36, ceramic()), (-1.78, -1.02, 0))
g, pg = green_mat(), pale_green()
for i in range(34):
    a, q = i * 2.4, 0.02 + 0.014 * i
    put(
        [
            leaf(R.uniform(0.40, 0.52), R.uniform(0.11, 0.15), g, 0.28),
            tube([(-0.30, 0, -0.02), (-0.1, 0.01, 0), (0.12, 0, 0.03)], 0.026, pg, (1.2, 1, 0.6)),
        ],
        (-1.78 + q * math.cos(a), -1.02 + q * math.sin(a), 0.42 - 0.008 * i + R.uniform(-0.02, 0.02)),
        (R.uniform(-35, 35), R.uniform(-30, 4), math.degrees(a) + R.uniform(-40, 40)),
    )
put(plate(0.66, dish), (1.98, 0.72, 0))
for k, (x, y, a) in enumerate(((1.62, 0.55, 10), (1.58, 0.80, 22), (1.75, 0.66, 14))):
    put(list(enoki()), (x, y, 0.04 + 0.10 * (k == 2)), (0, 0, a))
put(plate(0.62, ceramic()), (-1.98, 0.82, 0))
tofu = mat(
    (0.92, 0.86, 0.70),
    (0.86, 0.76, 0.55),
    (5, 0.5, 0.8),
    0.4,
    (18, 0.006),
    sss=0.5,
    radius=(0.1, 0.08, 0.05),
    coat=0.15,
)
for x, y, z in (
    (-2.2, 0.70, 0.17),
    (-1.88, 0.62, 0.17),
    (-2.1, 1.02, 0.17),
    (-1.76, 0.95, 0.17),
    (-2.0, 0.80, 0.42),
):
    put(lump((0.15, 0.14, 0.125), tofu, 9, 0.015, 2), (x, y, z), (0, 0, R.uniform(-18, 18)))
put(bowl(0.40, 0.26, ceramic((0.10, 0.16, 0.17), (0.30, 0.30, 0.24))), (0.02, -1.86, 0))
put(
    liquid(0.345, mat((0.50, 0.28, 0.11), (0.36, 0.10, 0.02), (3, 0.55, 0.65), 0.15, coat=0.4)),
    (0.02, -1.86, 0.20),
)
for _ in range(24):
    put(
        scallion(R.uniform(0.025, 0.035)),
        (0.02 + R.gauss(0, 0.09), -1.86 + R.gauss(0, 0.08), 0.215 + R.uniform(0, 0.03)),
        (R.uniform(-60, 60), R.uniform(-60, 60), 0),
    )
put(chopsticks(wood((0.05, 0.018, 0.01), (0.12, 0.04, 0.02), 0.3), 2.0, 3), (-1.9, -2.0, 0.0), (0, 0, 6))
for x, y in ((-0.5, 0.2), (0.4, 0.4)):
    steam(x, y, 0.7, 1.8, 1.9, 0.40)
window_light(2100)
camera((0.02, -0.26, 0.25), 8.2, 49, -92, 64, 0.28, (0, -0.3, 0.45))
render("hotpot-" + v)
