"""What the package and each extra take: megabytes installed, and CPU seconds of pip. `make sizes` writes docs/sizes.md.

Each extra is installed into a copy of the base, so its row is what it adds. pip may have the files in its cache.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "sizes.md"
MOST_OF_BASE = 500
HEAD = """# What an installation takes
Made by `make sizes`: the wheel is built and installed with pip into a new environment ({python}, {platform}).
Megabytes are those of the files as unpacked, without pip and setuptools. An extra's row is what it adds to the base;
packages that two extras share count in both. CPU seconds are pip's own: it downloads, checks and unpacks.

"""


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def megabytes(environment: Path) -> float:
    (packages,) = environment.glob("lib/python3*/site-packages")
    files = [file for file in packages.rglob("*") if file.is_file() and not file.is_symlink()]
    tools = ("pip", "setuptools", "_distutils_hack", "pkg_resources")
    return sum(file.stat().st_size for file in files if not file.relative_to(packages).parts[0].startswith(tools)) / 1e6


def packages(environment: Path) -> int:
    return len(list(environment.glob("lib/python3*/site-packages/*.dist-info")))


def installed(environment: Path, wanted: str) -> tuple[float, float, int]:
    """Megabytes, CPU seconds and the number of packages after pip has run."""
    before = cpu_seconds()
    words = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile", wanted]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    return megabytes(environment), cpu_seconds() - before, packages(environment)


def measured(wheel: Path, extras: list[str], folder: Path) -> list[tuple[str, float, float, int]]:
    base = folder / "base"
    subprocess.run([sys.executable, "-m", "venv", str(base)], check=True)
    empty = packages(base)
    size, seconds, many = installed(base, str(wheel))
    rows = [("base", size, seconds, many - empty)]
    for extra in extras:
        environment = folder / extra
        shutil.copytree(base, environment, symlinks=True)
        more, spent, with_it = installed(environment, f"{wheel}[{extra}]")
        rows.append((extra, more - size, spent, with_it - many))
        shutil.rmtree(environment)
        sys.stdout.write(f"{rows[-1]}\n")
        sys.stdout.flush()
    return rows


def page(rows: list[tuple[str, float, float, int]]) -> str:
    lines = ["| what | MB | CPU seconds of pip | packages |", "|---|---|---|---|"]
    lines += [f"| {name} | {size:,.0f} | {seconds:.0f} | {many} |" for name, size, seconds, many in rows]
    platform = f"Python {sys.version.split()[0]}"
    return HEAD.format(python=platform, platform=sys.platform) + "\n".join(lines) + "\n"


if __name__ == "__main__":
    extras = list(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    with tempfile.TemporaryDirectory() as place:
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", place]
        subprocess.run(build, cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
        (wheel,) = Path(place).glob("*.whl")
        rows = measured(wheel, extras, Path(place))
    PAGE.write_text(page(rows))
    sys.exit(f"the base takes {rows[0][1]:.0f} MB" if rows[0][1] > MOST_OF_BASE else 0)
