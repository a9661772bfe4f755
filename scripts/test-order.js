/**
 * The order of test files: the longest first, so that a run does not end with one long file while other processors have
 * nothing to do. Vitest knows how long files took, but not in a new clone.
 */
import { fileURLToPath } from 'node:url';
import { BaseSequencer } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files that take longest, from a minute down to some seconds, which a file that is missing here costs a run. */
export const SLOW_TESTS = [
  'test/server/growth/growth.test.ts',
  'test/conformance/kubectl/kubectl.test.ts',
  'test/attacks/short.test.ts',
  'test/storage/sqlite/crash.test.ts',
  'test/conformance/golden/golden.test.ts',
  'test/examples/three-servers.test.ts',
  'test/storage/etcd/watch-cache.test.ts',
  'test/client/backends/backends.test.ts',
  'test/storage-contract/etcd.test.ts',
  'test/server/list-streams.test.ts',
  'test/storage/etcd/failover.test.ts',
  'test/storage/etcd/faults.test.ts',
  'test/conformance/kubectl/workloads.test.ts',
  'test/package/declarations.test.ts',
  'test/history/engines.test.ts',
  'test/examples/python.test.ts',
  'test/storage-contract/sqlite.test.ts',
  'test/storage/etcd/etcd-model.test.ts',
  'test/server/small-heap.test.ts',
  'test/storage-contract/cached.test.ts',
  'test/examples.test.ts',
  'test/cli/test-server.test.ts',
  'test/cli/init.test.ts',
  'test/conformance/bad-input/bad-input.test.ts',
  'test/docs.test.ts',
  'test/storage/etcd/server-faults.test.ts',
  'test/ui/page.test.ts',
  'test/cli/store-commands.test.ts',
  'test/conformance/certificates/node-agent.test.ts',
  'test/ui/views.test.ts',
  'test/conformance/kubectl/drain.test.ts',
  'test/storage/etcd/security.test.ts',
  'test/conformance/kubectl/guide.test.ts',
  'test/storage-contract/pglite.test.ts',
  'test/package/public-api.test.ts',
  'test/machinery/cel/pieces.test.ts',
];

const ranks = new Map(SLOW_TESTS.map((path, index) => [path, index]));

/** Puts the files that take longest before the others, which stay in their order. @param pathOf from the root */
export function slowFirst(files, pathOf) {
  const rankOf = (file) => ranks.get(pathOf(file)) ?? SLOW_TESTS.length;
  return [...files].sort((one, other) => rankOf(one) - rankOf(other));
}

/** Sorts as Vitest does, after the files that take longest. */
export default class TestOrder extends BaseSequencer {
  async sort(files) {
    return slowFirst(await super.sort(files), ({ moduleId }) => moduleId.slice(root.length));
  }
}
