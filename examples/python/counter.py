"""The code under test: counts visits in a ConfigMap, with many writers at once."""

from orch_testserver import ApiFailure, TestServer

MAPS = "/api/v1/namespaces/default/configmaps"


def count_visit(cluster: TestServer, name: str) -> int:
    """Adds one visit and returns the total. Another writer's change is not lost: the update is repeated."""
    while True:
        counter = cluster.request("GET", f"{MAPS}/{name}")
        total = int(counter.get("data", {}).get("visits", "0")) + 1
        counter["data"] = {"visits": str(total)}
        try:
            cluster.request("PUT", f"{MAPS}/{name}", counter)
            return total
        except ApiFailure as failure:
            if failure.reason != "Conflict":
                raise
