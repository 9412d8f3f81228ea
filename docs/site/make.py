"""Build the site in build/site and the man page, without a network; renew the lists of the catalogues in docs/."""

from __future__ import annotations

import sys
from pathlib import Path

from catalogues import lists
from links import broken_links
from manual import manual
from pages import ROOT, stage

SOURCE, SITE = ROOT / "build/site-source", ROOT / "build/site"
STYLE = ROOT / "src/referee/page/template/style"


def main() -> int:
    """0 if every page was built without a warning and every link leads somewhere."""
    from sphinx.cmd.build import build_main

    for name, text in lists().items():
        (ROOT / "docs" / name).write_text(text, encoding="utf-8")
    stage(SOURCE)
    (ROOT / "build/referee.1").write_text(manual(), encoding="utf-8")
    add_styles(SOURCE / "_static")
    here = Path(__file__).parent
    failed = build_main(
        ["-q", "-W", "--keep-going", "-E", "-c", str(here), "-d", f"{SITE}-doctrees", str(SOURCE), str(SITE)]
    )
    broken = broken_links(SITE)
    sys.stderr.writelines(f"{line}\n" for line in broken)
    sys.stdout.write(f"{len(list(SITE.rglob('*.html')))} pages, {len(broken)} broken links: {SITE}/index.html\n")
    return failed or bool(broken)


def add_styles(folder: Path) -> None:
    """The look of our own charts, which only counts inside entries."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "colours.css").write_text((STYLE / "colours.css").read_text())
    (folder / "charts.css").write_text(f".entry {{\n{(STYLE / 'charts.css').read_text()}\n}}\n")
    (folder / "site.css").write_text(Path(__file__).with_name("site.css").read_text())


if __name__ == "__main__":
    sys.exit(main())
