#!/usr/bin/env python3
"""Makes docs/map.png, the picture of the README: the map of `make demo` at 1280×800, as PNG of at most 200 kB.

    scripts/test-page.sh screenshot [FILE]

The demo runs for two minutes, so that its revisions and new events have come.
"""
import base64
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from browser import ARGUMENTS, CHROMIUM, ROOT, Visit

MOST = 200_000
DEMO = 120
# All events of three days, in the window; Pacific and Atlantic side by side.
VIEW = '#2.1/32/-75&window=72h&zone=utc'
# Fewer shades compress better; the picture is drawn anew with the upper bits of each colour.
COARSER = '''async ([picture, bits]) => {
    const image = await createImageBitmap(await (await fetch(picture)).blob());
    const pen = document.createElement('canvas').getContext('2d');
    Object.assign(pen.canvas, { width: image.width, height: image.height });
    pen.drawImage(image, 0, 0);
    const pixels = pen.getImageData(0, 0, image.width, image.height), step = 1 << bits;
    for (let i = 0; i < pixels.data.length; i += 1) {
        pixels.data[i] = Math.min(255, Math.round(pixels.data[i] / step) * step);
    }
    pen.putImageData(pixels, 0, 0);
    return pen.canvas.toDataURL('image/png');
}'''


def small(browser, picture):
    """The picture in as many shades as have room."""
    page = browser.new_page()
    address = 'data:image/png;base64,' + base64.b64encode(picture).decode()
    for bits in range(1, 6):
        if len(picture) <= MOST:
            return picture
        picture = base64.b64decode(page.evaluate(COARSER, [address, bits]).partition(',')[2])
    raise SystemExit(f'the picture has {len(picture)} bytes')


def shoot(browser, url):
    visit = Visit(browser, url, color_scheme='dark', reduced_motion='reduce')
    page = visit.open(VIEW)
    visit.map_whole()
    picture = page.screenshot(type='png')
    visit.close()
    return picture


def main():
    target = Path(sys.argv[1] if sys.argv[1:] else ROOT / 'docs' / 'map.png')
    demo = subprocess.Popen(
        [ROOT / 'scripts' / 'demo.sh'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True)
    try:
        url = next(found[1] for line in demo.stdout if (found := re.search(r'the map: (http://\S+)', line)))
        time.sleep(DEMO)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            picture = small(browser, shoot(browser, url))
            browser.close()
    finally:
        os.kill(demo.pid, signal.SIGTERM)
        demo.communicate()
    target.write_bytes(picture)
    print(f'{target}: {len(picture)} bytes')


if __name__ == '__main__':
    main()
