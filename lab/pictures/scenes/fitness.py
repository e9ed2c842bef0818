"""Kettlebell, hexagonal dumbbells, rolled mat and bottle on a rubber floor: a gym before opening."""

from lab.pictures.places import (
    box,
    dumbbell,
    folded,
    gym_bottle,
    kettlebell,
    metal,
    plaster,
    roll,
    sky,
    terry,
    wall,
)
from lab.pictures.studio import begin, camera, choose_look, light, mat, put, render, table, window_light

LOOK = choose_look("orange", "teal", "lime")
begin(51)
HUE = {"orange": (0.85, 0.20, 0.03), "teal": (0.02, 0.32, 0.36), "lime": (0.42, 0.62, 0.04)}[LOOK]
table(mat((0.020, 0.020, 0.021), (0.22, 0.22, 0.225), (34, 0.60, 0.66), 0.62, (60, 0.008)), planks=False)
wall(plaster((0.40, 0.39, 0.38) if LOOK != "teal" else (0.24, 0.25, 0.26)), 9)
iron = mat((0.022, 0.022, 0.024), (0.05, 0.05, 0.052), (9, 0.4, 0.8), 0.50, (55, 0.006), coat=0.12)
put(kettlebell(iron, mat(HUE, rough=0.38, coat=0.15, bump=(50, 0.003))), (-0.75, 0.10, 0), (0, 0, 24))
rubber, chrome = (
    mat((0.026, 0.026, 0.028), (0.045, 0.045, 0.047), (12, 0.4, 0.7), 0.55, (60, 0.004)),
    metal((0.78, 0.78, 0.78), 0.2),
)
for x, y, a in ((1.22, -0.62, 58), (3.25, 0.85, 10)):
    put(dumbbell(rubber, chrome), (x, y, 0), (0, 0, a))
put(
    roll(
        5.4,
        mat(HUE, tuple(0.8 * x for x in HUE), (30, 0.4, 0.6), 0.8, (34, 0.012)),
        0.62,
        5.5,
        0.92,
        0.10,
        0.004,
    ),
    (2.2, 4.15, 0),
    (0, 0, -8),
)
put(gym_bottle(mat((0.75, 0.78, 0.80), rough=0.25, coat=0.3), mat(HUE, rough=0.35)), (-2.15, 1.55, 0))
put(folded(2.0, 1.2, terry((0.84, 0.84, 0.82)), 3, 0.09), (-2.35, 0.2, 0), (0, 0, 32))
for k in range(5):  # rack of dumbbells far behind
    put(dumbbell(rubber, chrome), (-3.9 + 1.9 * k, 7.6, 1.15), (0, 0, 90))
put(box(14, 0.9, 0.10, metal((0.25, 0.25, 0.26), 0.4)), (0, 7.6, 1.03))
sky((0.85, 0.93, 1), 0.22)
window_light(2500)
light((-1, -5, 6), (0, 0, 0.3), (3, 2), 200, (1, 0.95, 0.9))
light((6, 2.5, 3.5), (0, 0, 0.6), (0.7, 4), 300, (1, 0.80, 0.62))
camera((0.25, 0.2, 0.82), 9.2, 13, -92, 62, 0.24, (-0.6, -0.7, 0.8))
render("fitness-" + LOOK)
