/** Two servers in one process share no state. */
import { expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage, StorageRecord } from '../../src/entries/storage.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';

const KEY = '/registry/configmaps/default/subject';

async function recordOf(storage: Storage): Promise<StorageRecord> {
  const { record } = await storage.get(KEY);
  if (record === undefined) throw new Error('it is not there');
  return record;
}

test('the work of one server does not evict the decoded objects of the other', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  await using quiet = await startTestServer({ storage });
  await using busy = await startTestServer();
  await quiet.client
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'subject' } });
  const { decoded } = await recordOf(storage);
  expect(decoded).toBeDefined();
  // More objects, and more text, than the cached forms of one server.
  const maps = busy.client.resource(ConfigMap).namespace('default');
  for (let index = 0; index < 400; index += 1)
    await maps.create({ metadata: { name: `m-${index}` }, data: { value: 'x'.repeat(8192) } });
  expect((await recordOf(storage)).decoded).toBe(decoded);
});
