"""Tests with the standard library alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from counter import MAPS, count_visit
from orch_testserver import ApiFailure, TestServer


def make(cluster: TestServer, name: str) -> None:
    cluster.request("POST", MAPS, {"metadata": {"name": name}})


def test_counts_the_visits_of_many_writers(cluster: TestServer) -> None:
    make(cluster, "visits")
    with ThreadPoolExecutor(8) as pool:
        totals = list(pool.map(lambda _: count_visit(cluster, "visits"), range(20)))
    assert sorted(totals) == list(range(1, 21))


def test_starts_with_the_state_of_the_base(cluster: TestServer) -> None:
    # Another test has made "visits" in its own fork.
    with pytest.raises(ApiFailure, match='configmaps "visits" not found'):
        count_visit(cluster, "visits")


def test_repeats_an_update_after_a_conflict(cluster: TestServer) -> None:
    make(cluster, "visits")
    remove = cluster.fault(
        {"fault": "fail", "match": {"verb": "update", "resource": "configmaps", "times": 2}, "status": 409}
    )
    assert count_visit(cluster, "visits") == 1
    assert remove() == 2
    assert len(cluster.requests(verb="update")) == 3


def test_a_token_expires_when_its_time_is_over(cluster: TestServer) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    cluster.request("POST", accounts, {"metadata": {"name": "robot"}})
    token = cluster.request("POST", f"{accounts}/robot/token", {"spec": {"expirationSeconds": 3600}})["status"]["token"]
    review = {"spec": {"token": token}}
    path = "/apis/authentication.k8s.io/v1/tokenreviews"
    assert cluster.request("POST", path, review)["status"]["authenticated"] is True
    cluster.advance("2h")
    assert "authenticated" not in cluster.request("POST", path, review)["status"]
