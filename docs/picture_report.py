"""The picture of a report page in README: ``python docs/picture_report.py`` after ``make demo``.

It needs Playwright and Chromium. The photograph in it is by danielbuechele, CC BY 2.0; it comes
with scikit-learn.
"""

import io
import os
from pathlib import Path
from shutil import which

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = os.environ.get("SPHERELAX_CHROMIUM", which("chromium") or "/usr/bin/chromium")
# What is shown: a section of the page, which part of it, and its place and width in the picture.
SHOTS = [
    ("section >> nth=0", (0, 0, 920, 327), (20, 20), 720),
    ("section:has(h2:text('One track whole'))", (0, 0, 920, 520), (20, 330), 720),
    ("section:has(h2:text('Matches on images'))", (336, 160, 920, 1050), (770, 20), 470),
]
SIZE = 1260, 760

picture = Image.new("RGB", SIZE, "white")
with sync_playwright() as driver:
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.goto((ROOT / "demo-output" / "report.html").as_uri())
    for section, part, place, width in SHOTS:
        shot = Image.open(io.BytesIO(page.locator(section).screenshot())).convert("RGB").crop(part)
        size = width, round(shot.height * width / shot.width)
        picture.paste(shot.resize(size, Image.Resampling.LANCZOS), place)
    browser.close()
picture.quantize(256).save(ROOT / "docs" / "_static" / "report.png", optimize=True)
