import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../../src/entries/index.js';
import { useTestServer, type TestServer } from '../../../src/entries/testing.js';

const maps = (of: TestServer) => of.client.resource(ConfigMap).namespace('default');
const names = async (of: TestServer) => (await maps(of).list()).items.map(({ metadata }) => metadata.name);

describe('useTestServer', () => {
  const server = useTestServer(
    { prepare: async (seeded) => void (await maps(seeded).create({ metadata: { name: 'seed' } })) },
    { beforeAll, beforeEach, afterEach, afterAll },
  );
  let first: TestServer | undefined;

  test('gives a test a server', async () => {
    first = server();
    await maps(first).delete('seed');
    expect(await names(first)).toEqual([]);
  });

  test('gives the next test another one, and closes the first', async () => {
    expect(server()).not.toBe(first);
    expect(await names(server())).toEqual(['seed']);
    if (first !== undefined)
      await expect(maps(first).list()).rejects.toMatchObject({ code: 503, message: 'the server is closed' });
  });

  test('has no server outside of a test, and needs hooks', () => {
    expect(() => useTestServer({})).toThrow(/no global beforeAll: pass its hooks/);
    expect(() => useTestServer({}, {} as never)).toThrow(/beforeAll and before is missing/);
    const none = (): void => undefined;
    const outside = useTestServer({}, { before: none, beforeEach: none, afterEach: none, after: none });
    expect(() => outside()).toThrow(/no server outside of a test/);
  });
});
