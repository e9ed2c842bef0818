"""Microphone on a black table under neon, with whisky glasses and lights out of focus: a karaoke room."""

from lab.pictures.places import (
    bokeh,
    glass,
    glow,
    heart,
    hidden,
    metal,
    microphone,
    sky,
    stone,
    tumbler,
    wall,
    wave,
)
from lab.pictures.studio import R, begin, camera, choose_look, light, mat, plate, put, render, table, tube

LOOK = choose_look("pink", "violet", "amber")
begin(41)
A, B = {
    "pink": ((1, 0.06, 0.36), (0.05, 0.45, 1)),
    "violet": ((0.45, 0.08, 1), (0, 0.85, 0.75)),
    "amber": ((1, 0.34, 0.05), (1, 0.05, 0.16)),
}[LOOK]
table(
    mat((0.012, 0.011, 0.013), (0.022, 0.02, 0.024), (4, 0.3, 0.7), 0.10, (5, 0.003), coat=0.5), planks=False
)
wall(mat((0.030, 0.024, 0.034), (0.05, 0.04, 0.055), (0.6, 0.3, 0.7), 0.6, (3, 0.02)), 9)
put(microphone(), (-0.72, -0.72, 0.245), (0, 4, 33))
put(microphone(metal((0.85, 0.60, 0.25), 0.2)), (-1.55, 0.85, 0.245), (0, 4, 112))
whisky = glass((0.98, 0.58, 0.18), shade=1)
w = whisky.node_tree.nodes["Principled BSDF"].inputs
w["IOR"].default_value, w["Emission Color"].default_value, w["Emission Strength"].default_value = (
    1.33,
    (0.80, 0.26, 0.03, 1),
    0.16,
)
clear = glass()
for x, y in ((1.22, 0.35), (1.75, 1.35)):
    put(tumbler(clear, whisky), (x, y, 0), (0, 0, R.uniform(0, 90)))
put(plate(0.42, mat((0.02, 0.02, 0.02), rough=0.2, coat=0.4)), (0.35, 1.75, 0))
nut = mat((0.62, 0.36, 0.14), (0.45, 0.22, 0.07), (6, 0.4, 0.7), 0.5, sss=0.2)
for _ in range(26):
    put(
        stone(0.075, 0.05, 0.06, nut),
        (0.35 + R.gauss(0, 0.13), 1.75 + R.gauss(0, 0.13), 0.04 + R.uniform(0, 0.1)),
        (R.uniform(-40, 40), R.uniform(-40, 40), R.uniform(0, 360)),
    )
for pts, c in ((heart(0.80), A), (wave(0.66), B)):  # neon on the wall, out of focus
    put(hidden(tube([(x, 0, z) for x, z in pts], 0.038, glow(c, 11))), (-1.5 if c is A else 1.5, 8.6, 1.28))
bokeh(34, 6.6, (-4.5, 4.5), (0.1, 2.6), [A, B, (1, 0.6, 0.25)], 12, 0.07)
for x, c, w in ((-5, A, 620), (5.2, B, 620)):
    light((x, 3.2, 3.4), (0, 0, 0.2), (2.2, 3), w, c)
    light((x * 0.5, 8.2, 3), (0, 0, 0), (2, 1.2), w * 0.35, c)
light((-2.6, -3.6, 4.2), (-0.6, -0.6, 0.2), (1.2, 1.2), 230, (1, 0.82, 0.66))
light((1.8, 4.2, 1.9), (1.3, 0.4, 0.4), (1.4, 0.9), 120, (1, 0.62, 0.28))
sky((0.5, 0.3, 0.7), 0.02)
camera((0.22, 0.1, 0.50), 6.9, 9, -90, 68, 0.30, (-0.72, -0.8, 0.3))
render("ktv-" + LOOK)
