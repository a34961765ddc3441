# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, for tests of pages. A test of it is skipped where Chromium, its driver or Selenium is
missing, or the driver does not start."""

import importlib.util
import pathlib
import shutil
import socket
import time
import unittest

MISSING = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
MISSING += [name for name in ("selenium",) if not importlib.util.find_spec(name)]
try:
    socket.gethostbyname("localhost")  # by which Selenium reaches the driver
except OSError:
    MISSING.append("name localhost")


def needed(test):
    """Decorates a class that needs a browser."""
    return unittest.skipIf(MISSING, f"no {', '.join(MISSING)} here (section browser of scripts/packages)")(test)


class Browser:
    """One window. `open()` and `end()` fail on what the console says."""

    def __init__(self, test, dark=False):
        from selenium import webdriver
        from selenium.common.exceptions import WebDriverException
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service

        options = Options()
        options.binary_location = shutil.which("chromium")
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1280,1000"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.test = test
        try:
            self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        except WebDriverException as error:
            test.skipTest(f"Chromium does not start: {error.msg}")
        test.addCleanup(self.driver.quit)
        if dark:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                        {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def open(self, page):
        """Opens a file; returns the seconds until it is drawn."""
        begin = time.monotonic()
        self.driver.get(pathlib.Path(page).resolve().as_uri())
        self.run("return document.body.offsetHeight")
        seconds = time.monotonic() - begin
        self.quiet()
        return seconds

    def quiet(self):
        """Fails if the console says something."""
        self.test.assertEqual(self.driver.get_log("browser"), [])

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        self.test.assertEqual(len(found), 1, selector)
        return found[0]

    def rows(self, selector):
        """Texts of the cells of a table's body."""
        return self.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(row => "
                        "[...row.children].map(cell => cell.textContent))", selector)

    def tip(self):
        return self.run("const tip = document.getElementById('tip'); "
                        "return tip.style.opacity === '1' ? tip.textContent : null")

    def point(self, x, y, selector="#network-drawing canvas"):
        """Moves the mouse to a place of the window over an element; returns the milliseconds that its answer takes."""
        return self.run("""const begin = performance.now(), moved = {clientX: arguments[0], clientY: arguments[1]};
            document.querySelector(arguments[2]).dispatchEvent(new MouseEvent("mousemove", moved));
            return performance.now() - begin""", x, y, selector)

    def covered(self, selector):
        """Pairs of labels of which one covers the other."""
        return self.run("""const labels = [...document.querySelectorAll(arguments[0])], pairs = [];
            const boxes = labels.map(one => [one.getBoundingClientRect(), one.textContent]);
            boxes.forEach(([a, name], i) => boxes.slice(i + 1).forEach(([b, other]) => {
              if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
                pairs.push([name, other]); }));
            return pairs""", selector)

    def shot(self, path):
        """A picture of the whole page, to look at."""
        height = self.run("return document.documentElement.scrollHeight")
        self.driver.set_window_size(1280, min(height + 120, 8000))
        self.driver.save_screenshot(str(path))
        self.driver.set_window_size(1280, 1000)
