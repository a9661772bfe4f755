import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Namespace, Pod, PodDisruptionBudget } from '../../src/kinds/builtin/index.js';
import type { ConnectRequest, PodLogOptions } from '../../src/server/connect/handlers.js';
import type { TestServer } from '../../src/entries/testing.js';
import { podOf, startWorld } from '../server/pods/world.js';

let requests: (PodLogOptions & ConnectRequest)[];
let source: () => string | AsyncIterable<string>;
let test: TestServer;
beforeEach(async () => {
  requests = [];
  source = () => 'one\ntwo\n';
  test = await startWorld({
    handlers: {
      pods: {
        log(_pod, request) {
          requests.push(request);
          return source();
        },
      },
    },
  });
  await pods().create(podOf('web', { labels: { app: 'web' } }));
});
afterEach(() => test.close());

const pods = (user?: string) =>
  test.server
    .client(user === undefined ? {} : { user })
    .resource(Pod)
    .namespace('default');
const linesOf = async (lines: AsyncIterable<string>): Promise<string[]> => {
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  return read;
};

describe('the client of pods', () => {
  it('binds a pod once', async () => {
    await pods().bind('web', 'a');
    expect((await pods().get('web')).spec?.nodeName).toBe('a');
    await expect(pods().bind('web', 'b')).rejects.toMatchObject({ code: 409 });
    await expect(pods().bind('other', 'b')).rejects.toMatchObject({ code: 404 });
    await expect(pods().bind('web', '')).rejects.toThrow(
      new TypeError('bind: the second argument must be the name of a node, got ""'),
    );
  });

  it('evicts a pod', async () => {
    await pods().evict('web', { dryRun: true });
    expect((await pods().list()).items).toHaveLength(1);
    await expect(pods().evict('web', { preconditions: { uid: 'other' } })).rejects.toMatchObject({ code: 409 });
    await pods().evict('web', { gracePeriodSeconds: 0 });
    expect((await pods().list()).items).toEqual([]);
    await expect(pods().evict('web')).rejects.toMatchObject({ code: 404 });
  });

  it('does not evict a pod that a budget protects', async () => {
    const budgets = test.client.resource(PodDisruptionBudget).namespace('default');
    await budgets.create({ metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'web' } } } });
    await pods().updateStatus({ ...(await pods().get('web')), status: { phase: 'Running' } });
    await expect(pods().evict('web')).rejects.toMatchObject({ code: 429, reason: 'TooManyRequests' });
  });

  it('reads logs', async () => {
    expect(await linesOf(pods().logs('web', { tailLines: 5, timestamps: true }))).toEqual(['one', 'two']);
    expect(requests).toMatchObject([
      { container: 'main', follow: false, tailLines: 5, timestamps: true, user: { username: 'system:apiserver' } },
    ]);
    source = () => 'no end';
    expect(await linesOf(pods().logs('web', { container: 'main' }))).toEqual(['no end']);
  });

  it('follows logs until it leaves them, or its signal aborts', async () => {
    let ended = 0;
    source = async function* () {
      try {
        for (let line = 1; ; line += 1) yield `line ${line}\nand `;
      } finally {
        ended += 1;
      }
    };
    for await (const line of pods().logs('web', { follow: true })) if (line === 'and line 3') break;
    expect(ended).toBe(1);
    const abort = new AbortController();
    source = async function* () {
      yield 'a\n';
      await new Promise(() => undefined);
    };
    const read: string[] = [];
    for await (const line of pods().logs('web', { follow: true, signal: abort.signal })) {
      read.push(line);
      abort.abort();
    }
    expect(read).toEqual(['a']);
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it('reports why there are no logs', async () => {
    await expect(linesOf(pods().logs('other'))).rejects.toMatchObject({ code: 404 });
    await expect(linesOf(pods().logs('web', { container: 'x' }))).rejects.toMatchObject({
      code: 400,
      message: 'container x is not valid for pod web',
    });
    await expect(linesOf(pods().logs('web', { limitBytes: 0 }))).rejects.toMatchObject({ code: 422 });
    await expect(linesOf(pods().logs('web', { sinceTime: 'now' }))).rejects.toThrow(TypeError);
    await expect(linesOf(pods().logs(''))).rejects.toThrow(TypeError);
    source = () => {
      throw new Error('no disk');
    };
    await expect(linesOf(pods().logs('web'))).rejects.toMatchObject({ code: 500 });
    await expect(linesOf(pods('eve').logs('web'))).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot get resource "pods/log"'),
    });
    await expect(pods('eve').evict('web')).rejects.toMatchObject({ code: 403 });
  });

  it('is only for pods', async () => {
    const namespaces = test.client.resource(Namespace);
    // @ts-expect-error a namespace has no log
    const logs = namespaces.logs('default');
    await expect(logs.next()).rejects.toThrow(new TypeError('Namespace has no logs'));
    // @ts-expect-error a namespace cannot be evicted
    const evicted = namespaces.evict('default');
    await expect(evicted).rejects.toThrow(new TypeError('Namespace has no subresource that takes a Eviction'));
  });
});
