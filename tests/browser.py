"""Drives a headless Chromium over the pipe of its debugging protocol; no other machine can be reached by it.
browser.py URL light|dark SCRIPT: opens the page, where each line of the script is an expression that has to become true.
It fails where one never does, at errors on the console, and where anything was asked of another place."""
import json
import os
import subprocess
import sys
import time


class Browser:
    def __init__(self):
        read, self.to = os.pipe()
        self.source, write = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
                   "--window-size=1400,1000", "--user-data-dir=" + os.path.abspath("profile"),
                   "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
        self.process = subprocess.Popen(  # the browser reads 3 and writes 4
            ["sh", "-c", f'exec chromium "$@" 3<&{read} 4>&{write}', "chromium", *options], pass_fds=(read, write), stderr=subprocess.DEVNULL)
        self.rest, self.number, self.events, self.session = b"", 0, [], {}
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **self.session}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.source, 1 << 20)
            one, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(one)
            if answer.get("id") == self.number:
                return answer["result"]
            self.events.append(answer)

    def wait(self, expression):
        for _ in range(3000):
            if self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value"):
                return
            time.sleep(0.02)
        sys.exit(f"never true: {expression}")


def main(url, scheme, script):
    browser = Browser()
    try:
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.call("Page.navigate", url=url)
        browser.wait("location.href != 'about:blank' && document.readyState == 'complete'")
        for line in filter(str.strip, script.splitlines()):
            browser.wait(line)
    finally:
        browser.process.kill()
    for event in browser.events:
        what, params = event["method"], event["params"]
        if what == "Runtime.exceptionThrown" or what == "Log.entryAdded" and params["entry"]["level"] == "error":
            sys.exit(f"{url}: {json.dumps(params)[:500]}")
        if what == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("http://127.0.0.1:", "data:", url)):
            sys.exit(f"{url}: asks for {params['request']['url']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
