import { expect, test } from 'vitest';
import { ApiServer, kubernetes, Namespace, orch } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';

test.each([orch, kubernetes])(
  'the namespaces of a new server are identical to ones created through the API ($name)',
  async (dialect) => {
    await using server = new ApiServer({ dialect, clock: createManualClock() });
    const client = server.client({ fieldManager: dialect.apiServerName }).resource(Namespace);
    const made = await client.create({ metadata: { name: 'made' } });
    for (const name of Object.values(dialect.namespaces)) {
      const found = await client.get(name);
      const expected = JSON.parse(JSON.stringify(made).replaceAll('"made"', JSON.stringify(name))) as typeof made;
      expect({ ...found, metadata: { ...found.metadata, uid: '', resourceVersion: '' } }).toEqual({
        ...expected,
        metadata: { ...expected.metadata, uid: '', resourceVersion: '' },
      });
      expect(Object.keys(found)).toEqual(Object.keys(made));
      expect(Object.keys(found.metadata)).toEqual(Object.keys(made.metadata));
    }
    expect((await client.list()).items.map((item) => item.metadata.name).sort()).toEqual(
      [...Object.values(dialect.namespaces), 'made'].sort(),
    );
  },
);
