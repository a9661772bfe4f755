"""Tests with the official package kubernetes."""

import pytest

from orch_testserver import TestServer

kubernetes = pytest.importorskip("kubernetes", reason="the package kubernetes is not installed")


def test_the_official_client_works_on_a_fork(cluster: TestServer) -> None:
    api = kubernetes.client.CoreV1Api(cluster.configuration())
    api.create_namespaced_config_map("default", {"metadata": {"name": "a", "labels": {"app": "web"}}})
    made = api.list_namespaced_config_map("default", label_selector="app=web").items
    assert [item.metadata.name for item in made] == ["a"]
    with pytest.raises(kubernetes.client.ApiException) as failure:
        api.create_namespaced_config_map("default", {"metadata": {"name": "a"}})
    assert failure.value.status == 409


def test_a_watch_sees_what_another_client_writes(cluster: TestServer) -> None:
    api = kubernetes.client.CoreV1Api(cluster.configuration())
    version = api.list_namespaced_config_map("default").metadata.resource_version
    cluster.request("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "b"}})
    watch = kubernetes.watch.Watch()
    for event in watch.stream(api.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=10):
        assert (event["type"], event["object"].metadata.name) == ("ADDED", "b")
        watch.stop()
