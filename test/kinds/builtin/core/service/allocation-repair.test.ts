import { expect, test } from 'vitest';
import { ApiError } from '../../../../../src/foundation/errors/api-error.js';
import { Service } from '../../../../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../../../../src/storage/memory/index.js';
import { decorateStorage, StorageError, type Storage } from '../../../../../src/entries/storage.js';
import { createManualClock, startTestServer, type TestServer } from '../../../../../src/entries/testing.js';

const CLAIMS = '/internal/ranges/serviceips/';

/** A storage that stays open when a server closes it. */
const shared = (): Storage =>
  decorateStorage(createMemoryStorage({ clock: createManualClock() }), { close: () => Promise.resolve() });

const start = (storage: Storage): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', storage });

const create = ({ client }: TestServer, name: string, clusterIP?: string) =>
  client
    .resource(Service)
    .namespace('default')
    .create({ metadata: { name }, spec: { clusterIP, ports: [{ port: 80 }] } });

const takenIPs = async (storage: Storage): Promise<string[]> =>
  (await storage.list(CLAIMS)).records.map(({ key }) => key.slice(CLAIMS.length));

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.code === 422;

test('a server takes the addresses of stored services that nobody has taken', async () => {
  const storage = shared();
  const first = await start(storage);
  await create(first, 'web', '10.0.0.10');
  await first.close();
  for (const { key, modRevision } of (await storage.list(CLAIMS)).records)
    await storage.delete(key, () => '{}', modRevision);
  await using second = await start(storage);
  await expect(create(second, 'other', '10.0.0.10')).rejects.toSatisfy(isRefused);
  expect(await takenIPs(storage)).toEqual(['10.0.0.10']);
});

test('an address whose service was never stored is given back after three minutes', async () => {
  const storage = shared();
  await storage.create(`${CLAIMS}10.0.0.10`, () => JSON.stringify({ service: 'default/ghost' }));
  await storage.create(`${CLAIMS}10.0.0.11`, () => JSON.stringify({ service: 'default/late' }));
  await using server = await start(storage);
  await expect(create(server, 'web', '10.0.0.10')).rejects.toSatisfy(isRefused);
  // Another server on the store stores its service only now.
  await using other = await start(storage);
  await storage.delete(
    `${CLAIMS}10.0.0.11`,
    () => '{}',
    (await storage.get(`${CLAIMS}10.0.0.11`)).record?.modRevision ?? 0,
  );
  await create(other, 'late', '10.0.0.11');
  await server.advance(3 * 60_000);
  expect(await takenIPs(storage)).toEqual(['10.0.0.11']);
  await create(server, 'web', '10.0.0.10');
});

test('two servers on one store never give an address twice', async () => {
  const storage = shared();
  await using one = await start(storage);
  await using two = await start(storage);
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, index) => create(index % 2 === 0 ? one : two, `web-${index}`)),
  );
  expect(new Set(made.map(({ spec }) => spec?.clusterIP)).size).toBe(60);
  const [first] = made;
  await two.client.resource(Service).namespace('default').delete('web-0');
  expect((await create(one, 'again', first?.spec?.clusterIP)).spec?.clusterIP).toBe(first?.spec?.clusterIP);
});

test('an address is kept while the storage does not say whether the service was stored', async () => {
  const storage = shared();
  let fails = true;
  const flaky = decorateStorage(storage, {
    create: async (...given) => {
      const record = await storage.create(...given);
      if (fails && given[0].startsWith('/registry/services/')) throw new StorageError('Unavailable', { key: given[0] });
      return record;
    },
  });
  await using server = await start(flaky);
  await expect(create(server, 'web', '10.0.0.10')).rejects.toThrow('try again');
  fails = false;
  // The write has taken effect.
  await expect(create(server, 'other', '10.0.0.10')).rejects.toSatisfy(isRefused);
  await server.advance(3 * 60_000);
  await expect(create(server, 'other', '10.0.0.10')).rejects.toSatisfy(isRefused);
});
