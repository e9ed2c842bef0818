"""The studio of rendered pictures: stage, light, camera, materials and table things, by Blender's Cycles.

Lengths are in units of 10 cm. A scene is a module that begins, puts its things, and renders:

    python -m lab.pictures.scenes.noodles OUT --width 320 --samples 6
"""

import argparse
import math
import os
import random
import sys
import time
from collections.abc import Set
from types import SimpleNamespace

# Blender's libraries start as many threads as they see cores when they are loaded, and these wait by
# spinning: of two minutes of processor time one went into that. They see one core; rendering may use any.
CORES: Set[int] = os.sched_getaffinity(0)
os.sched_setaffinity(0, {min(CORES)})

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from mathutils import Vector  # noqa: E402

#: Every scene draws its chances from here, seeded by `begin`.
R = random.Random(1)
PI2 = 2 * math.pi


def parse_shot():
    """How a picture differs from its scene's own camera: degrees to turn and raise it, factor of distance."""
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    for name, default in (("turn", 0), ("rise", 0), ("far", 1), ("seed", 0)):
        parser.add_argument(f"--{name}", type=float, default=default)
    parser.add_argument("--name", default="")
    found, rest = parser.parse_known_args()
    sys.argv = sys.argv[:1] + rest
    return found


SHOT = parse_shot()


def choose_look(*names):
    """The name of the look that `--look NAME` asks for, the first by default."""
    name = names[0]
    if "--look" in sys.argv:
        at = sys.argv.index("--look")
        name = sys.argv[at + 1]
        del sys.argv[at : at + 2]
    assert name in names, f"--look: one of {', '.join(names)}"
    return name


def choose_values(**looks):
    """The name of the look that is asked for, and its values."""
    name = choose_look(*looks)
    return name, SimpleNamespace(**looks[name])


# ---------- stage ----------
def begin(seed=1):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    R.seed(seed + int(SHOT.seed))
    w = bpy.context.scene.world = bpy.data.worlds.new("w")
    w.use_nodes = True
    w.node_tree.nodes["Background"].inputs[0].default_value = (1.0, 0.86, 0.72, 1)
    w.node_tree.nodes["Background"].inputs[1].default_value = 0.20


def light(loc, to, size, watt, color=(1, 1, 1)):
    d = bpy.data.lights.new("l", "AREA")
    d.shape, d.size, d.size_y, d.energy, d.color = "RECTANGLE", size[0], size[1], watt, color
    o = bpy.data.objects.new("l", d)
    o.location = loc
    o.rotation_euler = (Vector(to) - Vector(loc)).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(o)


def window_light(watt=1100, side=-1):
    """Two tall panes at the back on one side, a weak warm fill from the other, a rim from behind."""
    for k in (-1.2, 1.2):
        light((side * (5.4 - 0.6 * k), 4.8 + k, 4.9), (0, 0, 0.2), (2.0, 3.4), watt / 2, (1, 0.93, 0.82))
    light((-side * 7, -3, 4), (0, 0, 0), (5, 4), watt * 0.06, (1, 0.80, 0.60))
    light((-side * 1.4, 7.5, 5.9), (0, 0, 0.3), (1.5, 2.2), watt * 0.14, (1, 0.90, 0.78))


def camera(target, dist, elev=40, azim=-90, lens=70, fstop=0.32, focus=None):
    elev, azim, dist = elev + SHOT.rise, azim + SHOT.turn, dist * SHOT.far
    e, a = math.radians(elev), math.radians(azim)
    loc = Vector(target) + dist * Vector((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    d = bpy.data.cameras.new("c")
    d.lens, d.dof.use_dof, d.dof.aperture_fstop = lens, True, fstop
    o = bpy.data.objects.new("c", d)
    o.location, o.rotation_euler = loc, (Vector(target) - loc).to_track_quat("-Z", "Y").to_euler()
    view = (Vector(target) - loc).normalized()
    d.dof.focus_distance = (Vector(focus or target) - loc).dot(view)
    bpy.context.collection.objects.link(o)
    bpy.context.scene.camera = o


def render(name):
    """Render the scene into a PNG file, in the folder, width and samples that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--exposure", type=float, default=0.65)
    wanted = parser.parse_args()
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.resolution_x, scene.render.resolution_y = wanted.width, wanted.width * 3 // 4
    set_quality(scene.cycles, wanted.samples)
    scene.view_settings.view_transform, scene.view_settings.look = "AgX", "AgX - Punchy"
    scene.view_settings.exposure = wanted.exposure
    bpy.context.view_layer.update()
    os.sched_setaffinity(0, CORES)
    begun = time.time()
    scene.render.filepath = os.path.join(os.path.abspath(wanted.out), f"{SHOT.name or name}.png")
    bpy.ops.render.render(write_still=True)
    print(f"{SHOT.name or name}: {time.time() - begun:.0f} s")


def set_quality(cycles, samples):
    """What looks well at the width of a page: few samples, cleaned by the denoiser."""
    cycles.samples, cycles.use_adaptive_sampling, cycles.adaptive_threshold = samples, True, 0.02
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 6, 2, 2
    cycles.transparent_max_bounces = 8
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect, cycles.blur_glossy = 4, 0.5
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"


# ---------- materials ----------
def mat(
    color,
    color2=None,
    mix=(3, 0.45, 0.6),
    rough=0.5,
    bump=None,
    stretch=(1, 1, 1),
    uv=False,
    sss=0,
    radius=(0.12, 0.07, 0.04),
    coat=0,
    spec=0.5,
    glass=0,
    ior=1.45,
    sheen=0,
    vcol=False,
    detail=6,
    weave=0,
):
    """Two colours mixed by noise (scale, low, high), bump (scale, depth), light below the skin, coat."""
    m = bpy.data.materials.new("m")
    m.use_nodes = True
    T = m.node_tree
    N, L = T.nodes.new, T.links.new
    p = T.nodes["Principled BSDF"]
    I = p.inputs
    I["Base Color"].default_value = (*color, 1)
    I["Roughness"].default_value, I["IOR"].default_value = rough, ior
    I["Subsurface Weight"].default_value, I["Subsurface Radius"].default_value = sss, radius
    I["Subsurface Scale"].default_value = 1
    I["Coat Weight"].default_value, I["Coat Roughness"].default_value = coat, 0.08
    I["Specular IOR Level"].default_value = spec
    I["Transmission Weight"].default_value, I["Sheen Weight"].default_value = glass, sheen
    tc, mp = N("ShaderNodeTexCoord"), N("ShaderNodeMapping")
    L(tc.outputs["UV" if uv else "Object"], mp.inputs[0])
    mp.inputs["Scale"].default_value = stretch
    oi, add = N("ShaderNodeObjectInfo"), N("ShaderNodeMath")  # every object gets its own piece of the noise
    add.operation, add.inputs[1].default_value = "MULTIPLY", 50
    L(oi.outputs["Random"], add.inputs[0])
    L(add.outputs[0], mp.inputs["Location"])

    def noise(scale):
        n = N("ShaderNodeTexNoise")
        n.inputs["Scale"].default_value, n.inputs["Detail"].default_value = scale, detail
        L(mp.outputs[0], n.inputs["Vector"])
        return n.outputs["Fac"]

    col = None
    if vcol:
        v = N("ShaderNodeVertexColor")
        v.layer_name, col = "Col", v.outputs[0]
    if color2:
        r = N("ShaderNodeValToRGB")
        r.color_ramp.elements[0].position, r.color_ramp.elements[1].position = mix[1], mix[2]
        L(noise(mix[0]), r.inputs[0])
        x = N("ShaderNodeMix")
        x.data_type = "RGBA"
        L(r.outputs[0], x.inputs[0])
        x.inputs[6].default_value, x.inputs[7].default_value = (*color, 1), (*color2, 1)
        if col:
            L(col, x.inputs[6])
        col = x.outputs[2]
    if col:
        L(col, I["Base Color"])
    if weave:  # crossed threads
        x = N("ShaderNodeMath")
        x.operation = "MAXIMUM"
        for i, d in enumerate("XY"):
            w = N("ShaderNodeTexWave")
            w.bands_direction = d
            (
                w.inputs["Scale"].default_value,
                w.inputs["Distortion"].default_value,
                w.inputs["Detail Scale"].default_value,
            ) = weave, 1.5, 4
            L(mp.outputs[0], w.inputs[0])
            L(w.outputs["Fac"], x.inputs[i])
        b = N("ShaderNodeBump")
        b.inputs["Distance"].default_value = 0.012
        L(x.outputs[0], b.inputs["Height"])
        L(b.outputs[0], I["Normal"])
    elif bump:
        b = N("ShaderNodeBump")
        b.inputs["Strength"].default_value, b.inputs["Distance"].default_value = 1, bump[1]
        L(noise(bump[0]), b.inputs["Height"])
        L(b.outputs[0], I["Normal"])
    return m


def wood(dark=(0.09, 0.038, 0.016), pale=(0.30, 0.15, 0.07), rough=0.42, fine=1.0):
    return mat(
        dark, pale, (2.2 * fine, 0.34, 0.64), rough, (4 * fine, 0.006), (0.30, 5, 5), detail=12, coat=0.05
    )


def marble():
    return mat(
        (0.78, 0.72, 0.64),
        (0.40, 0.35, 0.30),
        (0.9, 0.54, 0.74),
        0.20,
        None,
        (1, 1.8, 1),
        detail=12,
        coat=0.2,
    )


def ceramic(c=(0.83, 0.80, 0.74), speck=(0.55, 0.47, 0.38)):
    return mat(c, speck, (14, 0.60, 0.78), 0.22, (5, 0.002), coat=0.35)


def cloth_mat(c=(0.62, 0.52, 0.40)):
    return mat(c, tuple(x * 0.80 for x in c), (9, 0.3, 0.7), 0.95, sheen=0.15, weave=26)


def dough():
    return mat(
        (0.93, 0.86, 0.72),
        (0.90, 0.74, 0.52),
        (4, 0.46, 0.82),
        0.33,
        (30, 0.003),
        sss=0.6,
        vcol=True,
        radius=(0.20, 0.11, 0.06),
        coat=0.35,
    )


# ---------- geometry ----------
def mesh(verts, faces, m, smooth=True, sub=0, uvs=None, cols=None, thick=0):
    me = bpy.data.meshes.new("o")
    me.from_pydata([tuple(v) for v in verts], [], [tuple(f) for f in faces])
    if smooth:
        me.shade_smooth()
    me.materials.append(m)
    if uvs is not None:
        idx = np.empty(len(me.loops), int)
        me.loops.foreach_get("vertex_index", idx)
        me.uv_layers.new().data.foreach_set("uv", np.asarray(uvs, float)[idx].ravel())
    if cols is not None:
        a = me.color_attributes.new("Col", "FLOAT_COLOR", "POINT")
        c = np.ones((len(verts), 4))
        c[:, :3] = cols
        a.data.foreach_set("color", c.ravel())
    o = bpy.data.objects.new("o", me)
    bpy.context.collection.objects.link(o)
    if thick:
        s = o.modifiers.new("t", "SOLIDIFY")
        s.thickness, s.offset = thick, 0
    if sub:
        s = o.modifiers.new("s", "SUBSURF")
        s.levels = s.render_levels = sub
    return o


def sheet(P, m, wrap=False, **kw):
    """A grid of points P[i, j] as a surface; wrap joins the ends of j."""
    n, k = P.shape[:2]
    J = k if wrap else k - 1
    f = [
        (i * k + j, i * k + (j + 1) % k, (i + 1) * k + (j + 1) % k, (i + 1) * k + j)
        for i in range(n - 1)
        for j in range(J)
    ]
    uv = np.stack(np.meshgrid(np.linspace(0, 1, k), np.linspace(0, 1, n)), -1).reshape(-1, 2)
    if "cols" in kw:
        kw["cols"] = kw["cols"].reshape(-1, 3)
    return mesh(P.reshape(-1, 3), f, m, uvs=uv, **kw)


def ripple(x, y, freq=1.0, n=5):
    """Smooth random field, about -1..1."""
    z = 0 * x
    for _ in range(n):
        a, f = R.uniform(0, PI2), freq * R.uniform(0.5, 1.6)
        z = z + np.sin(f * (x * math.cos(a) + y * math.sin(a)) + R.uniform(0, PI2))
    return z / n


def lathe(profile, m, n=96, sub=1, wobble=0.004, **kw):
    p, t = np.array(profile, float), np.linspace(0, PI2, n, endpoint=False)
    r = p[:, :1] * (1 + wobble * ripple(np.cos(t), np.sin(t), 2))[None]
    return sheet(np.stack([r * np.cos(t), r * np.sin(t), p[:, 1:] + 0 * r], -1), m, True, sub=sub, **kw)


def tube(pts, r, m, taper=None, res=4):
    cu = bpy.data.curves.new("c", "CURVE")
    cu.dimensions, cu.bevel_depth, cu.bevel_resolution, cu.use_fill_caps = "3D", r, res, True
    s = cu.splines.new("POLY")
    s.points.add(len(pts) - 1)
    s.points.foreach_set("co", np.c_[np.array(pts), np.ones(len(pts))].ravel())
    if taper is not None:
        s.points.foreach_set("radius", np.asarray(taper, float))
    s.use_smooth = True
    cu.materials.append(m)
    o = bpy.data.objects.new("c", cu)
    bpy.context.collection.objects.link(o)
    return o


def put(o, loc=(0, 0, 0), rot=(0, 0, 0), scale=1):
    for x in o if isinstance(o, list) else [o]:
        e = bpy.data.objects.new("e", None) if isinstance(o, list) else x
        if isinstance(o, list):
            bpy.context.collection.objects.link(e)
            x.parent = e
        e.location, e.rotation_euler, e.scale = loc, [math.radians(a) for a in rot], (scale,) * 3
    return o


def box(size, m, loc=(0, 0, 0), bevel=0.02, rot=(0, 0, 0)):
    x, y, z = (a / 2 for a in size)
    o = mesh(
        [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)],
        [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)],
        m,
        smooth=False,
    )
    b = o.modifiers.new("b", "BEVEL")
    b.width, b.segments = bevel, 2
    return put(o, loc, rot)


# ---------- table, cloth, dishes ----------
def table(m, planks=True):
    """Planks with small gaps and different grain, or one slab."""
    w = 1.15 if planks else 40
    return [
        box((40, w - 0.016, 0.3), m, (0, i * w, R.uniform(-0.006, 0) - 0.15))
        for i in (range(-8, 9) if planks else (0,))
    ]


def cloth(w, h, m, folds=0.13, freq=3.2):
    x, y = np.meshgrid(np.linspace(-w / 2, w / 2, 160), np.linspace(-h / 2, h / 2, 120))
    z = 0.012 + folds * np.maximum(ripple(x, y * 0.4, freq), 0) ** 1.4
    e = 0.03 * ripple(x, y, 3)
    return sheet(np.stack([x + e, y + 0.05 * ripple(x, y, 2), z], -1), m, thick=0.012)


def plate(r, m, h=0.12):
    return lathe(
        [
            (0, 0.03),
            (r * 0.55, 0.03),
            (r * 0.68, 0.045),
            (r * 0.95, h),
            (r * 0.99, h + 0.012),
            (r, h),
            (r * 0.97, h - 0.02),
            (r * 0.66, 0.01),
            (r * 0.6, 0),
            (0, 0),
        ],
        m,
    )


def bowl(r, h, m, inner=None):
    t = np.linspace(0, 1, 14)
    out = [(r * (0.42 + 0.58 * math.sin(a * math.pi / 2) ** 0.9), h * (0.06 + 0.94 * a**1.5)) for a in t]
    ins = [(x - 0.035, y + (0.045 if i < 13 else -0.0)) for i, (x, y) in enumerate(out)][::-1]
    ins[0] = (r - 0.03, h + 0.005)
    return lathe(
        [(0, 0.03), (r * 0.36, 0.03), (r * 0.38, 0), (r * 0.42, 0)]
        + out
        + [(r - 0.012, h + 0.012)]
        + ins
        + [(0, ins[-1][1])],
        m,
    )


def cup(r, h, m, handle=True):
    p = [
        (0, 0),
        (r * 0.52, 0),
        (r * 0.56, 0.02),
        (r * 0.72, h * 0.18),
        (r * 0.92, h * 0.55),
        (r, h * 0.97),
        (r - 0.012, h),
        (r - 0.035, h * 0.97),
        (r * 0.92 - 0.035, h * 0.55),
        (r * 0.7 - 0.035, h * 0.2),
        (0, h * 0.14),
    ]
    out = [lathe(p, m)]
    if handle:
        a = np.linspace(-1.5, 1.45, 30)
        out.append(
            tube(
                [
                    (r * (0.72 + 0.09 * x) + 0.36 * math.cos(x) ** 0.8, 0, h * 0.56 + 0.23 * math.sin(x))
                    for x in a
                ],
                0.045,
                m,
                0.85 + 0.35 * (a / 1.5) ** 2,
                8,
            )
        )
    return out


def liquid(r, m, n=48):
    """Disc with a raised meniscus at the wall."""
    k = np.linspace(0, 1, 24)
    return lathe([(r * x, 0.02 * max(0, x - 0.93) / 0.07) for x in k], m, n, wobble=0)


def chopsticks(m, length=2.3, spread=5):
    out = []
    for k in (-1, 1):
        o = tube([(x, 0, 0) for x in np.linspace(0, length, 12)], 0.036, m, np.linspace(0.55, 1, 12), 6)
        out.append(put(o, (0, k * 0.07, 0.04), (0, 0, k * spread / 2 + R.uniform(-1, 1))))
    return out


def leaf(l, w, m, bend=0.3):
    u, v = np.meshgrid(np.linspace(0, 1, 40), np.linspace(-1, 1, 17))
    half = w * np.sin(np.pi * np.clip(u, 0, 1) ** 0.8) ** 0.8 * (1 + 0.05 * np.sin(30 * u))
    z = bend * u * (1 - u) * 2 + 0.10 * w * np.abs(v) + 0.03 * w * np.sin(26 * u + 3 * np.abs(v)) * np.abs(v)
    return sheet(np.stack([l * u, half * v, z], -1), m, thick=0.012, sub=1)


def steam(x, y, z, w, h, strength=0.10):
    """Soft wisp on a plane that faces the camera."""
    m = bpy.data.materials.new("steam")
    m.use_nodes = True
    T = m.node_tree
    T.nodes.clear()
    N, L = T.nodes.new, T.links.new
    tc, mp, n, r = (
        N("ShaderNodeTexCoord"),
        N("ShaderNodeMapping"),
        N("ShaderNodeTexNoise"),
        N("ShaderNodeMapRange"),
    )
    L(tc.outputs["UV"], mp.inputs[0])
    mp.inputs["Scale"].default_value, mp.inputs["Location"].default_value = (
        (2.6, 1.1, 1),
        (R.uniform(0, 9), R.uniform(0, 9), 0),
    )
    (
        n.inputs["Scale"].default_value,
        n.inputs["Distortion"].default_value,
        n.inputs["Detail"].default_value,
    ) = 1.3, 1.6, 3
    L(mp.outputs[0], n.inputs[0])
    r.inputs["From Min"].default_value, r.inputs["From Max"].default_value = 0.40, 0.95
    L(n.outputs[0], r.inputs[0])
    sep, _fade = N("ShaderNodeSeparateXYZ"), None
    L(tc.outputs["UV"], sep.inputs[0])
    last = r.outputs[0]
    for ax in (0, 1):  # x(1-x)*4 on both axes fades the borders
        a, b, c = N("ShaderNodeMath"), N("ShaderNodeMath"), N("ShaderNodeMath")
        a.operation, b.operation, c.operation = "SUBTRACT", "MULTIPLY", "MULTIPLY"
        a.inputs[0].default_value = 4
        a4 = N("ShaderNodeMath")
        a4.operation = "MULTIPLY"
        a4.inputs[1].default_value = 4
        L(sep.outputs[ax], a4.inputs[0])
        L(a4.outputs[0], a.inputs[1])
        L(sep.outputs[ax], b.inputs[0])
        L(a.outputs[0], b.inputs[1])
        L(last, c.inputs[0])
        L(b.outputs[0], c.inputs[1])
        last = c.outputs[0]
    s = N("ShaderNodeMath")
    s.operation = "MULTIPLY"
    s.inputs[1].default_value = strength
    L(last, s.inputs[0])
    tr, em, mx, o = (
        N("ShaderNodeBsdfTransparent"),
        N("ShaderNodeEmission"),
        N("ShaderNodeMixShader"),
        N("ShaderNodeOutputMaterial"),
    )
    em.inputs[0].default_value, em.inputs[1].default_value = (1, 0.95, 0.88, 1), 1.0
    L(s.outputs[0], mx.inputs[0])
    L(tr.outputs[0], mx.inputs[1])
    L(em.outputs[0], mx.inputs[2])
    L(mx.outputs[0], o.inputs[0])
    g = np.array([[[-w / 2, 0, 0], [w / 2, 0, 0]], [[-w / 2, 0, h], [w / 2, 0, h]]], float)
    ob = put(sheet(g, m), (x, y, z), (-25, 0, 0))
    ob.visible_shadow = ob.visible_diffuse = ob.visible_glossy = False
    return ob


# ---------- food ----------
def dumpling(m, r=0.38):
    n, k = R.randint(16, 20), 320
    prof = np.array(
        [
            (0, 0),
            (0.6, 0.0),
            (0.86, 0.03),
            (0.98, 0.16),
            (1.0, 0.30),
            (0.94, 0.48),
            (0.80, 0.65),
            (0.60, 0.80),
            (0.40, 0.91),
            (0.24, 0.99),
            (0.165, 1.05),
            (0.16, 1.11),
            (0.17, 1.16),
            (0.12, 1.17),
            (0.06, 1.09),
            (0.02, 1.03),
        ]
    )
    t = np.linspace(0, len(prof) - 1, 90)
    pr, pz = (np.interp(t, range(len(prof)), prof[:, i]) for i in (0, 1))
    ker = np.ones(7) / 7
    pr, pz = (np.convolve(np.pad(a, 3, "edge"), ker, "valid") for a in (pr, pz))
    th = np.linspace(0, PI2, k, endpoint=False)[None]
    f = (t / (len(prof) - 1))[:, None]
    up = np.clip((f - 0.20) / 0.36, 0, 1)
    phase = n * (
        th
        + 0.05 * np.sin(3 * th + R.uniform(0, 6))
        + R.choice((1, 1, -1)) * 2.6 * np.clip(f - 0.3, 0, 1) ** 1.5
        + 0.06 * np.sin(2 * th + R.uniform(0, 6))
        + 0.05 * np.sin(5 * th + R.uniform(0, 6))
    )
    fold = np.abs(np.sin(phase / 2 + 0.35 * np.sin(phase))) ** 0.8 - 0.6
    each = 1 + 0.35 * np.sin(3 * th + R.uniform(0, 6)) * np.sin(7 * th + R.uniform(0, 6))
    amp = up * (0.10 + 0.13 * np.clip((f - 0.42) * 3, 0, 1)) * each
    x, y = np.cos(th), np.sin(th)
    sag = 1 + 0.035 * np.sin(2 * th + R.uniform(0, 6)) + 0.02 * np.sin(3 * th + R.uniform(0, 6))
    rr = r * (pr[:, None] * sag * (1 + 0.4 * amp) + amp * 0.55 * fold * np.clip(pr[:, None] * 3.4, 0, 1))
    z = r * 0.98 * R.uniform(0.93, 1.03) * (pz[:, None] * 0.90 + 0.16 * amp * fold) + 0 * th
    lean = (pz[:, None] ** 2) * r * 0.10
    a = R.uniform(0, 6)
    low = np.clip(1 - np.abs(pz[:, None] - 0.30) / 0.34, 0, 1) * (
        0.75 + 0.25 * np.sin(2 * th + a)
    )  # filling shines through
    deep = np.clip(-fold * 1.6, 0, 1) * up  # valleys are thin, too
    c = np.array((0.94, 0.88, 0.75)) - (0.55 * low + 0.45 * deep)[..., None] * np.array((0.16, 0.34, 0.46))
    return sheet(np.stack([rr * x + lean * math.cos(a), rr * y + lean * math.sin(a), z], -1), m, True, cols=c)


def steamer(r=1.12, h=0.52):
    bam = mat(
        (0.50, 0.30, 0.12),
        (0.66, 0.45, 0.22),
        (3, 0.35, 0.65),
        0.48,
        (5, 0.006),
        (3, 26, 1),
        uv=True,
        coat=0.06,
    )
    band = mat(
        (0.42, 0.24, 0.09),
        (0.60, 0.38, 0.17),
        (3, 0.35, 0.65),
        0.45,
        (5, 0.006),
        (4, 18, 1),
        uv=True,
        coat=0.1,
    )
    out = [
        lathe(
            [
                (r - 0.075, 0),
                (r, 0),
                (r, 0.01),
                (r, h - 0.01),
                (r, h),
                (r - 0.01, h + 0.004),
                (r - 0.065, h + 0.004),
                (r - 0.075, h),
                (r - 0.075, h - 0.01),
                (r - 0.075, 0.01),
            ],
            bam,
            sub=0,
        )
    ]
    for z0, z1, g in ((0.0, 0.13, 0.035), (h * 0.62, h * 0.84, 0.03)):
        out.append(
            lathe(
                [
                    (r, z0),
                    (r + g, z0),
                    (r + g + 0.004, z0 + 0.01),
                    (r + g + 0.004, z1 - 0.01),
                    (r + g, z1),
                    (r, z1),
                ],
                band,
                sub=0,
            )
        )
    slat = mat((0.58, 0.40, 0.19), (0.44, 0.27, 0.11), (4, 0.4, 0.6), 0.55, (6, 0.005), (1, 9, 9))
    for _i, y in enumerate(np.arange(-r + 0.09, r - 0.05, 0.105)):
        w = math.sqrt(max(0, (r - 0.08) ** 2 - y * y))
        if w > 0.1:
            out.append(box((2 * w, 0.088, 0.024), slat, (0, y, 0.10 + R.uniform(-0.006, 0.006)), 0.006))
    lash = mat((0.30, 0.15, 0.05), rough=0.6)
    for a in (0.25, 2.2, 4.5):  # cane stitches over the upper band
        for k in range(4):
            b = a + k * 0.045
            c = (math.cos(b) * (r + 0.036), math.sin(b) * (r + 0.036))
            out.append(
                tube(
                    [(c[0], c[1], h * 0.58), (c[0] * 1.008, c[1] * 1.008, h * 0.73), (c[0], c[1], h * 0.88)],
                    0.016,
                    lash,
                )
            )
    return out


def noodles(m, r=0.80, z=0.0, bundles=5, strands=15, rad=0.021, dome=0.20):
    """Combed bundles that fold over each other in a mound."""
    out = []
    for b in range(bundles):
        a0, turn, off = R.uniform(0, PI2), R.choice((-1, 1)), R.uniform(-0.15, 0.15)
        amp, ph = R.uniform(0.16, 0.30), R.uniform(0, 6)
        for s in range(strands):
            t = np.linspace(-1, 1, 70)
            d = (s - strands / 2) * rad * 2.15 + R.uniform(-0.4, 0.4) * rad
            x = t * r * 0.98
            y = (
                off
                + d * (1 + 0.25 * np.sin(2 * t + ph))
                + turn * amp * np.sin(2.3 * t + ph)
                + 0.020 * np.sin(7 * t + R.uniform(0, 6))
                + 0.008 * np.sin(17 * t + R.uniform(0, 6))
            )
            X, Y = x * math.cos(a0) - y * math.sin(a0), x * math.sin(a0) + y * math.cos(a0)
            q = np.hypot(X, Y) / r
            k = np.where(q > 0.97, 0.97 / np.maximum(q, 1e-6), 1)
            X, Y, q = X * k, Y * k, np.minimum(q, 0.97)
            Z = (
                z
                + dome * (1 - q**2)
                - 0.075 * q**6 * 2
                + b * rad * 1.5 * (1 - q**3)
                + 0.016 * np.sin(5 * t + R.uniform(0, 6))
                + R.uniform(-0.6, 0.6) * rad
            )
            out.append(tube(np.c_[X, Y, Z], rad * R.uniform(0.9, 1.1), m, res=3))
    for _ in range(bundles + 2):  # loops that lie around the mound, half in the broth
        a0, span, q0 = R.uniform(0, PI2), R.uniform(1.2, 2.4), R.uniform(0.80, 0.98)
        for s in range(R.randint(4, 8)):
            t = np.linspace(-1, 1, 60)
            q = (
                q0
                + (s - 3) * rad * 2.3 / r * (1 + 0.3 * t)
                - 0.35 * np.abs(t) ** 3
                + 0.02 * np.sin(5 * t + R.uniform(0, 6))
            )
            a = a0 + span * t / 2 + R.uniform(-0.08, 0.08)
            Z = (
                z
                + 0.02
                + 0.11 * np.clip(1.02 - q, 0, 1) * 2.2
                + 0.03 * np.cos(3 * t + R.uniform(0, 6))
                + R.uniform(0, 0.02)
            )
            out.append(
                tube(np.c_[q * r * np.cos(a), q * r * np.sin(a), Z], rad * R.uniform(0.9, 1.1), m, res=3)
            )
    return out


def egg_half(r=0.24):
    white = mat(
        (0.93, 0.89, 0.80),
        (0.82, 0.62, 0.40),
        (2.5, 0.58, 0.85),
        0.28,
        (16, 0.002),
        sss=0.4,
        radius=(0.10, 0.07, 0.05),
        coat=0.25,
    )
    yolk = mat(
        (0.90, 0.22, 0.010),
        (0.96, 0.42, 0.035),
        (4, 0.4, 0.7),
        0.16,
        (7, 0.012),
        sss=0.5,
        radius=(0.10, 0.05, 0.015),
        coat=0.5,
    )
    th = np.linspace(0, PI2, 72, endpoint=False)
    long = 1.24 + 0.14 * np.cos(th)
    rows = []
    for q, z in [
        (0, -0.92),
        (0.35, -0.86),
        (0.66, -0.68),
        (0.86, -0.45),
        (0.97, -0.2),
        (1, -0.04),
        (0.985, 0.005),
        (0.95, 0.02),
        (0.80, 0.01),
        (0.70, -0.01),
        (0.67, -0.03),
        (0.3, -0.03),
        (0, -0.03),
    ]:
        rows.append(np.stack([q * r * np.cos(th) * long, q * r * np.sin(th), z * r + 0 * th], -1))
    w = sheet(np.array(rows), white, True, sub=1)
    rows = []
    e = 1 + 0.02 * np.sin(3 * th + 1) + 0.015 * np.sin(5 * th)
    for q, z in [(1, -0.03), (1.0, 0.02), (0.95, 0.04), (0.8, 0.055), (0.5, 0.06), (0.2, 0.05), (0, 0.05)]:
        rows.append(
            np.stack(
                [
                    q * r * 0.70 * np.cos(th) * 1.10 * e + 0.02 * r,
                    q * r * 0.70 * np.sin(th) * e,
                    z * r + 0 * th,
                ],
                -1,
            )
        )
    return [w, sheet(np.array(rows), yolk, True, sub=1)]


def beef_slice(a=0.36, b=0.25, bend=0.12):
    m = mat(
        (1, 1, 1),
        (0.25, 0.085, 0.042),
        (4, 0.48, 0.66),
        0.27,
        (5, 0.016),
        (2.5, 6, 5),
        sss=0.15,
        radius=(0.05, 0.02, 0.01),
        coat=0.55,
        detail=5,
        vcol=True,
    )
    th, q = np.meshgrid(np.linspace(0, PI2, 96, endpoint=False), np.linspace(0, 1, 14))
    square = (np.abs(np.cos(th)) ** 3.2 + np.abs(np.sin(th)) ** 3.2) ** (-1 / 3.2)
    edge = (
        0.92 * square
        + 0.07 * np.sin(2 * th + R.uniform(0, 6))
        + 0.06 * np.sin(3 * th + R.uniform(0, 6))
        + 0.025 * np.sin(9 * th + R.uniform(0, 6))
    )
    x, y = a * q * edge * np.cos(th), b * q * edge * np.sin(th)
    z = bend * (x / a) ** 2 * -0.5 + 0.02 * ripple(x, y, 9) + 0.012 * ripple(x, y, 22)
    fat = np.clip(1.25 - np.abs(y / b + 0.5 * ripple(x, y, 7) - 0.15) * 11, 0, 1) * np.clip(
        1.3 - np.abs(x / a + 0.3), 0, 1
    )
    tendon = np.clip(1.1 - np.abs(x / a - 0.35 + 0.3 * ripple(x, y, 9)) * 16, 0, 1) * (y > -0.05)
    rim = np.clip((q - 0.88) * 9, 0, 1)[..., None]
    k = np.maximum(fat, 0.25 * tendon)[..., None]
    col = np.array((0.13, 0.036, 0.016)) * (1 - rim) + np.array((0.075, 0.022, 0.010)) * rim
    return sheet(
        np.stack([x, y, z], -1),
        m,
        True,
        thick=0.065,
        sub=1,
        cols=col * (1 - k) + np.array((0.62, 0.40, 0.24)) * k,
    )


def scallion(r=0.042):
    c = R.random()
    m = mat(
        (0.16 + 0.2 * c, 0.36 + 0.18 * c, 0.05 + 0.12 * c),
        (0.30, 0.48, 0.12),
        (8, 0.4, 0.7),
        0.35,
        sss=0.3,
        radius=(0.03, 0.05, 0.01),
        coat=0.2,
    )
    h = R.uniform(0.02, 0.05)
    return lathe(
        [(r, 0), (r * 1.03, h / 2), (r, h), (r * 0.80, h), (r * 0.78, h / 2), (r * 0.80, 0), (r, 0)],
        m,
        20,
        1,
        0.12,
    )


def croissant(length=1.0, seg=7):
    """Crescent whose rolled layers step up towards the middle; brown on the ridges, pale in the grooves."""
    n, k = 420, 96
    s, th = np.meshgrid(np.linspace(-1, 1, n), np.linspace(0, PI2, k, endpoint=False), indexing="ij")
    skew = s + 0.05 * np.sin(th + 0.6) + 0.02 * np.sin(2 * th) + 0.022 * ripple(4 * s, 2 * np.sin(th), 3)
    u = (1 - np.abs(skew)) * (seg / 2) + 0.25
    fr = u - np.floor(u)  # 0 at the outer foot of each layer
    body = (np.clip(1 - np.abs(s) ** 2.1, 0, 1) ** 0.70) * 0.43 + 0.002
    step = 0.20 * (np.minimum(fr * 9, 1) ** 0.6 * (1 - 0.85 * fr)) - 0.07
    flake = np.sin(85 * skew + 3 * ripple(5 * s, 2 * np.sin(th), 2)) * np.clip(
        0.5 + ripple(9 * s, 3 * np.cos(th), 2), 0, 1
    )  # thin layers
    rr = body * (1 + step + 0.035 * ripple(6 * s, 2 * np.cos(th), 3) + 0.012 * flake * (1 - fr)) * length
    ang = s * 1.35
    cx, cy = 0.82 * np.sin(ang) * length, 0.82 * np.cos(ang) * length
    cr, cz = rr * np.cos(th), rr * np.sin(th) * 0.86
    cz = np.where(cz < -0.2 * length, -0.2 * length + 0.25 * (cz + 0.2 * length), cz)
    P = np.stack([cx + cr * np.sin(ang), cy + cr * np.cos(ang), cz + 0.24 * length], -1)
    top = np.clip(0.55 + 0.6 * np.sin(th), 0, 1)
    blot = ripple(22 * s, 5 * np.cos(th), 1.5, 8) + ripple(22 * s, 5 * np.sin(th), 1.5, 8)
    brown = np.clip(
        0.10 + 0.80 * top * np.clip(fr * 9, 0, 1) ** 0.5 * (1.05 - 0.55 * fr) + 0.16 * flake + 0.26 * blot,
        0,
        1,
    )[..., None]
    pale, gold, dark = (np.array(c) for c in ((0.92, 0.70, 0.36), (0.66, 0.26, 0.050), (0.17, 0.042, 0.010)))
    c = np.where(brown < 0.5, pale + (gold - pale) * brown * 2, gold + (dark - gold) * (brown * 2 - 1))
    m = mat(
        (1, 1, 1),
        rough=0.40,
        bump=(17, 0.018),
        stretch=(1, 1, 1),
        sss=0.10,
        radius=(0.06, 0.03, 0.01),
        coat=0.22,
        vcol=True,
        detail=8,
    )
    return sheet(P, m, True, cols=c)


def latte_top(r):
    """Foam with a rosetta, painted on the vertices."""
    q, th = np.meshgrid(np.linspace(0, 1, 150), np.linspace(0, PI2, 360, endpoint=False), indexing="ij")
    x, y = q * np.cos(th), q * np.sin(th)
    y2, ax = y + 0.05 * ripple(x, y, 4), np.abs(x)
    wave = np.sin((y2 * (1 + 0.25 * y2) + 0.75 * ax**1.2) * 25 + 0.9 * ripple(x, y, 4))
    inside = np.clip((0.66 - np.hypot(x / 0.92, (y - 0.02) / 1.12) + 0.05 * ripple(x, y, 7)) * 7, 0, 1)
    stem = np.clip((0.022 - ax) * 60, 0, 1) * np.clip((0.72 - np.abs(y)) * 9, 0, 1)
    milk = np.clip(np.clip(wave * 1.2 + 0.55, 0, 1) * inside + stem * 0.8, 0, 1)
    edge = np.clip((q - 0.80) * 5, 0, 1)
    crema, foam, rim = (np.array(c) for c in ((0.34, 0.145, 0.045), (0.90, 0.77, 0.60), (0.20, 0.070, 0.018)))
    base = crema + (rim - crema) * edge[..., None] + 0.03 * ripple(x, y, 14)[..., None]
    c = base + (foam - base) * milk[..., None]
    P = np.stack([x * r, y * r, 0.008 * milk + 0.02 * np.clip(q - 0.95, 0, 1) / 0.05], -1)
    return sheet(
        P,
        mat(
            (1, 1, 1), rough=0.30, bump=(70, 0.002), sss=0.2, radius=(0.05, 0.03, 0.02), coat=0.12, vcol=True
        ),
        True,
        cols=np.clip(c, 0, 1),
    )
