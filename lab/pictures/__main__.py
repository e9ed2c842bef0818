"""Renders the demo's photographs whose scene changed, one at a time, and two sheets with all of them.

    python -m lab.pictures                      # what changed since it was rendered
    python -m lab.pictures noodles salon        # those with one of these words in their name, changed or not

pictures.toml says which scene each is of, in which look, and how its camera differs; rendered.toml what each
was rendered from. The files go to apps/demo/photos, whose photos.toml says what they show.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PHOTOS, SHEET = ROOT / "apps/demo/photos", ROOT / "var/photographs.jpg"
#: What the README shows.
SMALL_SHEET = ROOT / "docs/pictures/photographs.webp"
RENDERED = HERE / "rendered.toml"
#: Bytes of a file at most, and the quality that is tried first.
MAX_BYTES, BEST_QUALITY, STEP = 70_000, 84, 4


def main(words: list[str]) -> None:
    """Render the pictures that are wanted, and write the sheets."""
    pictures = tomllib.loads((HERE / "pictures.toml").read_text())
    rendered = tomllib.loads(RENDERED.read_text()) if RENDERED.exists() else {}
    sources = {name: digest_sources(row) for name, row in pictures.items()}
    wanted = [
        name
        for name in pictures
        if (any(word in name for word in words) if words else rendered.get(name) != sources[name])
    ]
    os.nice(19)
    for number, name in enumerate(wanted, start=1):
        begun = time.monotonic()
        size = render(name, pictures[name])
        rendered[name] = sources[name]
        lines = (f'{key} = "{rendered[key]}"\n' for key in sorted(rendered) if key in pictures)
        RENDERED.write_text(
            "# What each picture was rendered from (python -m lab.pictures).\n" + "".join(lines)
        )
        seconds = time.monotonic() - begun
        print(f"{number}/{len(wanted)} {name}: {seconds:.0f} s, {size // 1000} kB", flush=True)
    paths = sorted(PHOTOS.glob("*.webp"))
    SHEET.parent.mkdir(exist_ok=True)
    draw_sheet(paths, width=320, columns=6).save(SHEET, quality=85)
    draw_sheet(paths, width=90, columns=14).save(SMALL_SHEET, quality=70, method=6)
    print(f"{len(wanted)} rendered; look at {SHEET.relative_to(ROOT)}")


def digest_sources(row: dict[str, Any]) -> str:
    """A digest of what a picture depends on: its row, its scene and the modules that the scene imports."""
    scene = (HERE / "scenes" / f"{row['scene']}.py").read_text()
    names = {"studio", *re.findall(r"^from lab\.pictures\.(\w+) import", scene, re.MULTILINE)}
    texts = (scene, *((HERE / f"{name}.py").read_text() for name in sorted(names)), repr(sorted(row.items())))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def render(name: str, row: dict[str, Any]) -> int:
    """Render a picture into the demo's folder; returns its bytes. CalledProcessError when the scene fails."""
    options = (
        part for key in ("look", "turn", "rise", "far") if key in row for part in (f"--{key}", str(row[key]))
    )
    with tempfile.TemporaryDirectory() as folder:
        scene = f"lab.pictures.scenes.{row['scene']}"
        command = [sys.executable, "-m", scene, folder, "--name", name, *options]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        with Image.open(Path(folder) / f"{name}.png") as image:
            content = encode(image.convert("RGB"))
    (PHOTOS / f"{name}.webp").write_bytes(content)
    return len(content)


def encode(image: Image.Image) -> bytes:
    """The picture as WebP of MAX_BYTES at most."""
    for quality in range(BEST_QUALITY, 0, -STEP):
        file = BytesIO()
        image.save(file, "WEBP", quality=quality, method=6)
        if file.tell() <= MAX_BYTES:
            break
    return file.getvalue()


def draw_sheet(paths: list[Path], *, width: int, columns: int) -> Image.Image:
    """All pictures on one page, each so wide."""
    height, rows = width * 3 // 4, -(-len(paths) // columns)
    sheet = Image.new("RGB", (width * columns, height * rows), "white")
    for place, path in enumerate(paths):
        with Image.open(path) as image:
            card = image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
        sheet.paste(card, (place % columns * width, place // columns * height))
    return sheet


if __name__ == "__main__":
    main(sys.argv[1:])
