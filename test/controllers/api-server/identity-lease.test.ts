import { hostname } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { ApiServer } from '../../../src/entries/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { Lease } from '../../../src/kinds/builtin/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { listen } from '../../../src/transport/node/index.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function start(storage: Storage, dialect: 'kubernetes' | 'orch' = 'kubernetes'): ApiServer {
  const server = new ApiServer({ dialect, storage, clock: createManualClock() });
  open.push(server);
  return server;
}

const leasesOf = async (server: ApiServer, label: string) =>
  (await server.client().resource(Lease).namespace(server.dialect.namespaces.system).list({ labelSelector: label }))
    .items;

test.each([
  ['kubernetes', 'kubernetes.io', 'kube-apiserver'],
  ['orch', 'orch.io', 'orch-apiserver'],
] as const)(
  'the Lease of a server says what it is and where it runs, in the dialect %s',
  async (dialect, domain, name) => {
    const server = start(keptOpenStorage(createManualClock()), dialect);
    open.push(await listen(server));
    await server.settled();
    const [lease] = await leasesOf(server, `apiserver.${domain}/identity`);
    expect(lease?.metadata.labels).toEqual({
      [`apiserver.${domain}/identity`]: name,
      [`${domain}/hostname`]: hostname(),
    });
    expect(lease?.metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
    expect(lease?.spec?.holderIdentity).toMatch(new RegExp(`^${lease?.metadata.name}_[0-9a-f-]{36}$`));
    expect(lease?.spec?.leaseDurationSeconds).toBe(3600);
  },
);

test('a host name that no label can have is left out', async () => {
  const server = start(keptOpenStorage(createManualClock()));
  server.target.listening('http://127.0.0.1:1', [], 'not a label!');
  await server.settled();
  const [lease] = await leasesOf(server, 'apiserver.kubernetes.io/identity');
  expect(lease?.metadata.labels).toEqual({ 'apiserver.kubernetes.io/identity': 'kube-apiserver' });
});

test('a server that closes removes its Lease, one that dies leaves it', async () => {
  const storage = keptOpenStorage(createManualClock());
  const observer = start(storage);
  const closing = start(storage);
  closing.target.listening('http://127.0.0.1:1', [], 'one');
  await closing.settled();
  let die = (): void => undefined;
  const dying = new ApiServer({
    ...{ dialect: 'kubernetes', storage, clock: createManualClock() },
    interceptor: {
      request: async (_request, next) => void (await next()),
      attach: ({ halt }) => void (die = halt),
    },
  });
  open.push(dying);
  dying.target.listening('http://127.0.0.1:2', [], 'two');
  await dying.settled();
  const hosts = async (): Promise<(string | undefined)[]> =>
    (await leasesOf(observer, 'apiserver.kubernetes.io/identity')).map(
      ({ metadata }) => metadata.labels?.['kubernetes.io/hostname'],
    );
  expect((await hosts()).sort()).toEqual(['one', 'two']);
  await closing.close();
  expect(await hosts()).toEqual(['two']);
  die();
  await dying.close();
  expect(await hosts()).toEqual(['two']);
});
