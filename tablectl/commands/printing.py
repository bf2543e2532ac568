"""From a page to a PDF, by the Chromium of this machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

#: names under which Chromium may be installed; the one without windows first: it does the same in half the time
BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: seconds that a page may take
PATIENCE: Final = 120


class PrintError(Exception):
    """The PDF was not made; the message says why and what to do."""


def to_pdf(html: str, path: Path) -> None:
    """Print a page that needs nothing but itself.

    Raises:
        PrintError: there is no Chromium here, or it made no PDF.
    """
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise PrintError(
            f"{path}: making a PDF needs Chromium, and there is none on this machine. Install it (sudo apt install "
            "chromium), or write the page with --html and print it from any browser"
        )
    with tempfile.TemporaryDirectory(prefix="tablectl-print-", ignore_cleanup_errors=True) as folder:
        page, made = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, encoding="utf-8")
        command = [
            browser,
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
            *(f"--user-data-dir={folder}/profile", "--no-pdf-header-footer", f"--print-to-pdf={made}"),
            page.as_uri(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PrintError(f"{path}: {browser} did not print: {error}") from error
        if not made.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise PrintError(f"{path}: {browser} made no PDF: {said[-1] if said else 'it did not say why'}")
        try:
            shutil.copyfile(made, path)
        except OSError as error:
            raise PrintError(f"{path}: cannot be written: {error.strerror}") from error
