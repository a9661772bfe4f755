"""Starts `orch-apiserver test-server` for Python tests: a Kubernetes API server that each test forks.

Copy this file beside your tests. It needs only the standard library; `configuration()` needs the package kubernetes.
The program is found on the PATH, or named by the environment variable ORCH_APISERVER ("npx orch-apiserver", "node
node_modules/orch-apiserver/dist/cli/main.js").
"""

from __future__ import annotations

import json
import os
import shlex
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class ApiFailure(Exception):
    """A failure of the server: the Status of Kubernetes."""

    def __init__(self, status: dict[str, Any]) -> None:
        super().__init__(status.get("message", ""))
        self.code: int = status.get("code", 0)
        self.reason: str = status.get("reason", "")
        self.status = status


class TestServer:
    """A running server, or a fork of one."""

    __test__ = False  # pytest must not collect this class.

    def __init__(self, description: dict[str, Any], control_token: str) -> None:
        self.url: str = description["url"]
        self.token: str = description["token"]
        self.certificate_authority: str = description["certificateAuthority"]
        self.kubeconfig: str = description["kubeconfig"]
        self._control: str = description["control"]
        self._control_token = control_token
        self._tls = ssl.create_default_context(cadata=self.certificate_authority)

    @contextmanager
    def fork(self) -> Iterator[TestServer]:
        """Returns an independent server with the same state, which is deleted at the end of the block."""
        fork = TestServer(self._command("POST", "/forks"), self._control_token)
        try:
            yield fork
        finally:
            fork._command("DELETE", "")

    def reset(self) -> None:
        """Returns to the state that the server had when it started or was forked."""
        self._command("POST", "/reset")

    def advance(self, duration: str) -> None:
        """Advances the server's time, for example by "2h", and waits for the resulting work of its controllers."""
        self._command("POST", "/clock/advance", {"duration": duration})

    def settled(self) -> None:
        """Waits until no controller of the server has work left."""
        self._command("POST", "/settled")

    def load(self, manifests: str) -> list[dict[str, Any]]:
        """Creates the objects of manifests in YAML."""
        return self._command("POST", "/load", manifests)["items"]

    def fault(self, rule: dict[str, Any]) -> Callable[[], int]:
        """Adds a fault rule. Returns a function that removes it and returns how often it was applied."""
        return self._rule("/faults", rule)

    def simulate(self, rule: dict[str, Any]) -> Callable[[], int]:
        """Adds a rule about simulated pods or nodes. Returns a function that removes it and returns how many follow it."""
        return self._rule("/simulation/rules", rule)

    def requests(self, **filters: str) -> list[dict[str, Any]]:
        """Returns the requests that the server has answered, such as requests(verb="update")."""
        return self._command("GET", f"/requests?{urllib.parse.urlencode(filters)}")["items"]

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """Sends a request to the Kubernetes API. Raises ApiFailure."""
        return _send(method, self.url + path, self.token, body, content_type, self._tls)

    def configuration(self) -> Any:
        """Returns an API client of the official package kubernetes."""
        import kubernetes
        import yaml

        return kubernetes.config.new_client_from_config_dict(yaml.safe_load(self.kubeconfig))

    def _rule(self, path: str, rule: dict[str, Any]) -> Callable[[], int]:
        added = self._command("POST", path, rule)
        return lambda: self._command("DELETE", f"{path}/{added['id']}")["hits"]

    def _command(self, method: str, path: str, body: Any = None) -> Any:
        return _send(method, self._control + path, self._control_token, body, "application/json", None)


def _send(method: str, url: str, token: str, body: Any, content_type: str, tls: ssl.SSLContext | None) -> Any:
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type}
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, context=tls) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise ApiFailure(json.load(error)) from None


@contextmanager
def test_server(*flags: str) -> Iterator[TestServer]:
    """Starts the program with flags such as "--simulate-nodes=3", and ends it with the block."""
    command = shlex.split(os.environ.get("ORCH_APISERVER", "orch-apiserver"))
    program = subprocess.Popen(
        [*command, "test-server", "--output=json", "--exit-with-parent", *flags],
        # The program ends when this pipe closes, also when this process is killed.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        line = program.stdout.readline()
        if not line:
            raise RuntimeError(f"test-server ended with {program.wait()}: run {shlex.join(command)} test-server to see why")
        printed = json.loads(line)
        yield TestServer(printed, printed["controlToken"])
    finally:
        program.stdin.close()
        program.stdout.close()
        program.wait()


test_server.__test__ = False
