import { describe, expect, test as base } from 'vitest';
import { ConfigMap } from '../../../src/entries/index.js';
import type { TestServer } from '../../../src/entries/testing.js';
import { serverFixtures, type ServerFixtures } from '../../../src/testing/vitest.js';

const maps = (of: TestServer) => of.client.resource(ConfigMap).namespace('default');
const names = async (of: TestServer) => (await maps(of).list()).items.map(({ metadata }) => metadata.name);

let prepared = 0;
const options = {
  prepare: async (seeded: TestServer) => {
    prepared += 1;
    await maps(seeded).create({ metadata: { name: 'seed' } });
  },
};

const test = base.extend<ServerFixtures>(serverFixtures(options));

describe('the fixtures of vitest', () => {
  const used: TestServer[] = [];

  for (const name of ['a', 'b', 'c'])
    test.concurrent(`give test ${name} a server of its own, from one that is prepared once`, async ({ testServer }) => {
      used.push(testServer);
      await maps(testServer).create({ metadata: { name } });
      await testServer.advance('1h');
      expect(await names(testServer)).toEqual([name, 'seed'].sort());
      expect(prepared).toBe(1);
    });

  test('close the server of a test after it', async ({ seededServer }) => {
    expect(used).toHaveLength(3);
    for (const closed of used)
      await expect(maps(closed).list()).rejects.toMatchObject({ code: 503, message: 'the server is closed' });
    expect(await names(seededServer)).toEqual(['seed']);
  });

  base('refuse another scope', () => {
    expect(() => serverFixtures({ scope: 'test' as never })).toThrow(/scope must be 'file' or 'worker'/);
  });
});
