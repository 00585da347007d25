"""The picture of a report page in README: ``python docs/picture_report.py`` after ``make demo``.

It needs Playwright and Chromium. The photograph in it is by danielbuechele, CC BY 2.0; it comes
with scikit-learn.
"""

import os
from pathlib import Path
from shutil import which

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = os.environ.get("SPHERELAX_CHROMIUM", which("chromium") or "/usr/bin/chromium")
TAKEN = ROOT / "docs" / "_static" / "report.png"

with sync_playwright() as driver:
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 980, "height": 980})
    page.goto((ROOT / "demo-output" / "report.html").as_uri())
    page.screenshot(path=TAKEN)
    browser.close()
with Image.open(TAKEN) as picture:
    few = picture.convert("RGB").quantize(256)
few.save(TAKEN, optimize=True)
