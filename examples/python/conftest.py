"""The fixtures: one program for all tests, one fork for each test."""

from collections.abc import Iterator

import pytest

import orch_testserver
from orch_testserver import TestServer


@pytest.fixture(scope="session")
def base() -> Iterator[TestServer]:
    with orch_testserver.test_server() as server:
        yield server


@pytest.fixture
def cluster(base: TestServer) -> Iterator[TestServer]:
    with base.fork() as fork:
        yield fork
