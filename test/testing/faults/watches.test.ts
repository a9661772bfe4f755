import { KubeConfig, Watch } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { connectKubeConfig } from '../../../src/client/client-node/client-node.js';
import { ConfigMap } from '../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { listen } from '../../../src/transport/node/index.js';

const DEFAULT = 'default';

/** An open watch of ConfigMaps, with what it has seen. */
interface Seen {
  /** `TYPE name`, or `ERROR code`. */
  readonly events: string[];
  /** How it ended; pending while it is open. */
  readonly ended: Promise<string>;
  readonly stop: () => void;
}

type Open = (test: TestServer, query?: Record<string, string>) => Promise<Seen>;

const shown = (type: string, object: any): string =>
  `${type} ${type === 'ERROR' ? object.code : (object.metadata.name ?? '')}`;

const inProcess: Open = async (test, { resourceVersion } = {}) => {
  const events: string[] = [];
  const abort = new AbortController();
  const watching = async (): Promise<string> => {
    const watch = test.client
      .resource(ConfigMap)
      .namespace(DEFAULT)
      .watch({
        signal: abort.signal,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      });
    for await (const event of watch) events.push(shown(event.type, event.object));
    return 'ended';
  };
  const ended = watching().catch((error) => String(error.code ?? error));
  return { events, ended, stop: () => abort.abort() };
};

const byClientNode =
  (connect: (test: TestServer) => Promise<{ config: KubeConfig; close: () => Promise<void> }>): Open =>
  async (test, query = {}) => {
    const { config, close } = await connect(test);
    const events: string[] = [];
    let request: AbortController;
    const ended = new Promise<string>((resolve, reject) => {
      new Watch(config)
        .watch(
          `/api/v1/namespaces/${DEFAULT}/configmaps`,
          query,
          (type, object) => events.push(shown(type, object)),
          (error) => void close().then(() => resolve(error ? String((error as any).code ?? error) : 'ended')),
        )
        .then((started) => (request = started), reject);
    });
    return { events, ended, stop: () => request.abort() };
  };

const overSocket = byClientNode(async ({ server }) => {
  const listener = await listen(server, { port: 0 });
  const config = new KubeConfig();
  config.loadFromString(server.kubeConfig({ server: listener.url }));
  return { config, close: () => listener.close({ grace: 0 }) };
});

const withoutSocket = byClientNode(async ({ server }) => ({
  config: connectKubeConfig(new KubeConfig(), server),
  close: () => Promise.resolve(),
}));

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

describe.each([
  ['in process', inProcess],
  ['of client-node over a socket', overSocket],
  ['of client-node without a socket', withoutSocket],
])('a watch %s', (_name, open) => {
  async function setUp(): Promise<
    {
      test: TestServer;
      maps: ReturnType<ReturnType<TestServer['client']['resource']>['namespace']>;
    } & AsyncDisposable
  > {
    const test = await startTestServer({ dialect: 'kubernetes' });
    const maps = test.client.resource({ apiVersion: 'v1', kind: 'ConfigMap' }).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    return { test, maps, [Symbol.asyncDispose]: () => test.close() };
  }

  test('is dropped, and is logged', async () => {
    await using running = await setUp();
    const { test } = running;
    const seen = await open(test);
    await until(() => seen.events.includes('ADDED a'));
    const rule = test.faults.dropWatches({ resource: 'configmaps' });
    expect(await seen.ended).toMatch(/ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|terminated|Premature/);
    expect(rule.hits).toBe(1);
    expect(test.requests({ verb: 'watch' }).map(({ resource, status }) => [resource, status])).toEqual([
      ['configmaps', 200],
    ]);
  });

  test('is dropped before its third event, cleanly', async () => {
    await using running = await setUp();
    const { test, maps } = running;
    const rule = test.faults.dropWatches({ after: 2 }, { cleanly: true });
    const seen = await open(test);
    await until(() => seen.events.length > 0);
    for (const name of ['b', 'c', 'd']) await maps.create({ metadata: { name } });
    expect(await seen.ended).toMatch(/ended|AbortError|Premature/);
    expect(seen.events).toHaveLength(2);
    expect(rule.hits).toBe(1);
  });

  test('gets 410 when the history expires, and when it starts from an old version', async () => {
    await using running = await setUp();
    const { test, maps } = running;
    const { metadata } = await maps.get('a');
    const seen = await open(test);
    await until(() => seen.events.includes('ADDED a'));
    await maps.create({ metadata: { name: 'b' } });
    await until(() => seen.events.length > 1);
    const rule = test.faults.expireHistory();
    await seen.ended;
    expect(seen.events.at(-1)).toBe('ERROR 410');
    const old = await open(test, { resourceVersion: metadata.resourceVersion ?? '' });
    await old.ended;
    expect(old.events).toEqual(['ERROR 410']);
    const now = await open(test);
    await until(() => now.events.includes('ADDED b'));
    now.stop();
    await now.ended;
    expect(rule.hits).toBe(2);
    await expect(
      maps.list({ resourceVersion: metadata.resourceVersion ?? '', resourceVersionMatch: 'Exact', limit: 1 }),
    ).rejects.toMatchObject({ code: 410 });
  });

  test('that nobody reads continues, or has lost its events', async () => {
    await using running = await setUp();
    const { test, maps } = running;
    const seen = await open(test);
    await until(() => seen.events.includes('ADDED a'));
    const first = test.faults.slowConsumer({ verb: 'watch' });
    await maps.create({ metadata: { name: 'b' } });
    await test.settled();
    expect(seen.events).not.toContain('ADDED b');
    first.remove();
    await until(() => seen.events.includes('ADDED b'));
    test.faults.slowConsumer({});
    await maps.create({ metadata: { name: 'c' } });
    await maps.create({ metadata: { name: 'd' } });
    await test.advance(301_000);
    await maps.create({ metadata: { name: 'e' } });
    test.faults.clear();
    await seen.ended;
    expect(seen.events.at(-1)).toBe('ERROR 410');
  });

  test('of a separated user is cut, or is silent until the partition heals', async () => {
    await using running = await setUp();
    const { test, maps } = running;
    const seen = await open(test);
    await until(() => seen.events.includes('ADDED a'));
    const partition = test.faults.partition('system:apiserver', { watches: 'silent' });
    partition.remove();
    expect(await seen.ended).toMatch(/ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|terminated|Premature/);
    const again = await open(test);
    await until(() => again.events.includes('ADDED a'));
    test.faults.partition('system:*');
    expect(await again.ended).toMatch(/ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|terminated|Premature/);
    await expect(maps.get('a')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
