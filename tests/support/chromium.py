"""Headless Chromium for the browser tests, spoken to over the DevTools protocol with the standard library alone."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import time
import urllib.request
from pathlib import Path

BINARY = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
START_TIMEOUT_S = 120


class Page:
    """One tab.

    Attributes:
        events: What the browser reported since `open`: requests, exceptions, console and log entries.
    """

    def __init__(self, profile: Path) -> None:
        if BINARY is None:
            raise RuntimeError("no Chromium on this machine")
        self._process = subprocess.Popen(
            [
                BINARY, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        port = self._port(profile / "DevToolsActivePort")
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._shake_hands(port)
        self._number = 0
        self.events: list[dict] = []
        for domain in ("Page", "Runtime", "Network", "Log", "Performance"):
            self.call(f"{domain}.enable")

    def _port(self, path: Path) -> int:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if path.exists() and "\n" in (text := path.read_text()):
                return int(text.split()[0])
            time.sleep(0.1)
        raise TimeoutError("Chromium did not start")

    def _shake_hands(self, port: int) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=60) as reply:
                pages = [target for target in json.load(reply) if target["type"] == "page"]
            if pages:
                break
            time.sleep(0.1)
        address = pages[0]["webSocketDebuggerUrl"].split(str(port), 1)[1]
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._stream = self._socket.makefile("rb")
        while self._stream.readline() != b"\r\n":
            pass

    def call(self, method: str, **parameters):
        """The result of a DevTools method."""
        self._number += 1
        number = self._number
        self._send(json.dumps({"id": number, "method": method, "params": parameters}).encode())
        while True:
            message = self._receive()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def run(self, script: str):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path: Path) -> float:
        """Load a report; milliseconds from navigation to the first answers on the page."""
        return self.open_at(path, "")

    def open_at(self, path: Path, place: str) -> float:
        """Load a report at a *place* ("#view=claims"); milliseconds as `open` has them."""
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + place)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if ready := self.run("document.documentElement?.dataset.ready"):
                return float(ready)
            time.sleep(0.05)
        raise TimeoutError(f"{path}: the page's script did not finish; {self.errors()}")

    def show(self, path: Path) -> None:
        """Load a page without a script."""
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + 60
        while self.run("document.readyState + location.href") != f"complete{path.as_uri()}":
            assert time.monotonic() < deadline, path
            time.sleep(0.05)

    def errors(self) -> list[dict]:
        """Exceptions, console calls and log entries since `open`."""
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.events if event["method"] in names]

    def requests(self) -> list[str]:
        """Addresses asked for since `open`."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def press(self, key: str, *, code: int = 0, text: str = "") -> None:
        """Press and let go a key."""
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width: int, height: int) -> None:
        """Set the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def scheme(self, name: str) -> None:
        """`light` or `dark`."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def close(self) -> None:
        """End the browser that was started here."""
        try:
            self.call("Browser.close")
            self._process.wait(20)
        except Exception:
            self._process.kill()
            self._process.wait(20)
        self._stream.close()
        self._socket.close()

    def _send(self, data: bytes) -> None:
        mask, size = os.urandom(4), len(data)
        if size < 126:
            head = bytes([0x81, 0x80 | size])
        elif size < 1 << 16:
            head = b"\x81\xfe" + struct.pack(">H", size)
        else:
            head = b"\x81\xff" + struct.pack(">Q", size)
        self._socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def _receive(self) -> dict:
        message = b""
        while True:
            first, second = self._stream.read(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack(">H", self._stream.read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self._stream.read(8))
            message += self._stream.read(size)
            if first & 0x80:
                parsed: dict = json.loads(message)
                return parsed
