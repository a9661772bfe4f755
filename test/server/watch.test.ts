import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { controllerNames } from '../../src/entries/controllers.js';
import { ApiServer } from '../../src/entries/index.js';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { listen } from '../../src/transport/node/index.js';
import { isStream, type StreamBody } from '../../src/server/requests/http.js';
import { ask, countWatchers, streamOf, textOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
let running: TestServer;
let counter: ReturnType<typeof countWatchers>;
beforeEach(async () => {
  counter = countWatchers();
  running = await startTestServer({
    dialect: 'kubernetes',
    featureGates: { WatchList: true },
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
});
afterEach(async () => {
  await running.close();
  counter.restore();
});

const maps = () => running.client.resource(ConfigMap).namespace('default');
const watch = async (target: string, accept = 'application/json'): Promise<AsyncIterator<Uint8Array>> =>
  streamOf(await ask(running.server, 'GET', target, { headers: { accept } }));

async function take(stream: AsyncIterator<Uint8Array>, count: number): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  while (frames.length < count) {
    const { done, value } = await stream.next();
    if (done === true) break;
    frames.push(value);
  }
  return frames;
}

interface Event {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly code?: number;
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string; readonly annotations?: object };
  };
}
const eventOf = (frame: Uint8Array): Event => JSON.parse(new TextDecoder().decode(frame)) as Event;
const words = (frame: Uint8Array): string => {
  const { type, object } = eventOf(frame);
  return `${type} ${object.metadata.name ?? object.kind}`;
};

describe('an event is encoded once for all watchers of one form', () => {
  const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';

  test('each form has its own bytes, shared by its watchers', async () => {
    const revision = (await maps().list()).metadata.resourceVersion ?? '';
    const forms = ['application/json', PARTIAL, PROTOBUF, TABLE];
    const streams = await Promise.all(
      forms.flatMap((accept) => [1, 2, 3].map(() => watch(`${MAPS}?watch=1&resourceVersion=${revision}`, accept))),
    );
    await maps().create({ metadata: { name: 'a' } });
    await maps().update({ metadata: { name: 'a' }, data: { k: 'v' } });
    const frames = await Promise.all(streams.map((stream) => take(stream, 2)));
    const seconds = forms.map((_, form) => [0, 1, 2].map((index) => frames[form * 3 + index]?.[1]));
    for (const [first, ...others] of seconds) for (const other of others) expect(other).toBe(first);
    expect(new Set(seconds.map(([first]) => first)).size).toBe(forms.length);
    // The first event of a Table has the columns; later ones do not.
    expect(frames[9]?.map((frame) => 'columnDefinitions' in eventOf(frame).object)).toEqual([true, true]);
    const columns = frames[9]?.map(
      (frame) => (eventOf(frame).object as { columnDefinitions?: unknown[] | null }).columnDefinitions?.length ?? 0,
    );
    expect(columns?.[0]).toBeGreaterThan(0);
    expect(columns?.[1]).toBe(0);
  });

  test('watchers with different selectors share equal events, and nothing else', async () => {
    const revision = (await maps().list()).metadata.resourceVersion ?? '';
    const target = (selector: string): string => `${MAPS}?watch=1&resourceVersion=${revision}${selector}`;
    const [all, x, notY] = await Promise.all([
      watch(target('')),
      watch(target('&labelSelector=app%3Dx')),
      watch(target('&labelSelector=app!%3Dy')),
    ]);
    await maps().create({ metadata: { name: 'a', labels: { app: 'x' } } });
    await maps().update({ metadata: { name: 'a', labels: { app: 'y' } } });
    const [allFrames, xFrames, notYFrames] = await Promise.all([take(all, 2), take(x, 2), take(notY, 2)]);
    expect(xFrames[0]).toBe(allFrames[0]);
    expect(notYFrames[0]).toBe(allFrames[0]);
    expect([allFrames, xFrames, notYFrames].map((frames) => frames.map(words))).toEqual([
      ['ADDED a', 'MODIFIED a'],
      ['ADDED a', 'DELETED a'],
      ['ADDED a', 'DELETED a'],
    ]);
    expect(xFrames[1]).toBe(notYFrames[1]);
    const gone = eventOf(xFrames[1] ?? new Uint8Array()).object;
    expect(gone).toMatchObject({ metadata: { labels: { app: 'x' }, resourceVersion: String(Number(revision) + 2) } });
  });
});

describe('the frames of a watch can be taken without waiting', () => {
  // Without an interceptor, unlike a test server: it may wait for any event.
  let server: ApiServer;
  const maps = () => server.client().resource(ConfigMap).namespace('default');
  beforeEach(async () => {
    server = new ApiServer({
      dialect: 'kubernetes',
      controllers: { disable: controllerNames },
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
    await server.ready();
  });
  afterEach(() => server.close());
  const open = async (target: string, signal = new AbortController().signal): Promise<StreamBody> => {
    const { body } = await ask(server, 'GET', target, { signal });
    if (!isStream(body)) throw new Error('the answer is no stream');
    // The turn of the event loop that the test shares with the start of the server may be used up.
    await nextTurn();
    return body;
  };
  const wordsOf = (taken: Uint8Array | 'later' | 'next' | undefined): string | undefined =>
    typeof taken === 'string' || taken === undefined ? taken : words(taken);
  /** Counts how often a stream says that it is ready. */
  const readiness = (): { times: number; readonly ready: () => void } => {
    const counted = { times: 0, ready: () => void (counted.times += 1) };
    return counted;
  };
  const present = async (): Promise<string> => (await maps().list()).metadata.resourceVersion ?? '';

  test('a stream says once that there is more', async () => {
    const { stream, take } = await open(`${MAPS}?watch=1&resourceVersion=${await present()}`);
    const counted = readiness();
    expect(take?.(counted.ready)).toBe('later');
    await maps().create({ metadata: { name: 'a' } });
    await maps().create({ metadata: { name: 'b' } });
    expect(counted.times).toBe(1);
    // The writes may have used up the turn.
    await nextTurn();
    expect([1, 2, 3].map(() => wordsOf(take?.(counted.ready)))).toEqual(['ADDED a', 'ADDED b', 'later']);
    await maps().delete('a');
    expect(counted.times).toBe(2);
    // The iterator continues where the last frame was taken.
    const next = await stream[Symbol.asyncIterator]().next();
    expect(words(next.value as Uint8Array)).toBe('DELETED a');
  });

  test('frames that are taken are those that others iterate', async () => {
    const target = `${MAPS}?watch=1&resourceVersion=${await present()}`;
    const { take } = await open(target);
    const other = streamOf(await ask(server, 'GET', target));
    await maps().create({ metadata: { name: 'a' } });
    await nextTurn();
    const frame = take?.(() => undefined);
    expect((await other.next()).value).toBe(frame);
  });

  test('the initial state is iterated, and what follows is taken', async () => {
    await maps().create({ metadata: { name: 'a' } });
    const { stream, take } = await open(`${MAPS}?watch=1&fieldSelector=metadata.name%3Da`);
    const { ready } = readiness();
    expect(take?.(ready)).toBe('next');
    const first = await stream[Symbol.asyncIterator]().next();
    expect(words(first.value as Uint8Array)).toBe('ADDED a');
    await maps().update({ metadata: { name: 'a' }, data: { k: 'v' } });
    await maps().create({ metadata: { name: 'b' } });
    const pulled = stream[Symbol.asyncIterator]().next();
    expect(words((await pulled).value as Uint8Array)).toBe('MODIFIED a');
    await nextTurn();
    expect(take?.(ready)).toBe('later');
  });

  test('the events of an interceptor are iterated', async () => {
    const { body } = await ask(running.server, 'GET', `${MAPS}?watch=1`);
    expect(isStream(body) && body.take).toBeUndefined();
  });

  test('the end is iterated', async () => {
    const abort = new AbortController();
    const { stream, take } = await open(`${MAPS}?watch=1&resourceVersion=${await present()}`, abort.signal);
    const counted = readiness();
    expect(take?.(counted.ready)).toBe('later');
    abort.abort();
    expect(counted.times).toBe(1);
    expect(take?.(counted.ready)).toBe('next');
    expect(await stream[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
    expect(counter.watchers()).toBe(0);
  });
});

describe('the path of a watch', () => {
  test.each([
    ['the older path of a namespace', '/api/v1/watch/namespaces/default/configmaps', ['ADDED a', 'ADDED b', 'ADDED c']],
    ['the older path of all namespaces', '/api/v1/watch/configmaps', ['ADDED a', 'ADDED b', 'ADDED c']],
    ['the older path of one object', '/api/v1/watch/namespaces/default/configmaps/a', ['ADDED a', 'MODIFIED a']],
    ['watch on the path of one object', `${MAPS}/a?watch=true`, ['ADDED a', 'MODIFIED a']],
    ['watch with a selector of a name', `${MAPS}?watch=1&fieldSelector=metadata.name%3Da`, ['ADDED a', 'MODIFIED a']],
    [
      'watch on the path of one object, with a selector that it does not match',
      `${MAPS}/a?watch=true&labelSelector=none`,
      [],
    ],
    [
      'watch on the path of an object whose name looks like a selector',
      `${MAPS}/a%2Cmetadata.namespace%3Ddefault?watch=true`,
      [],
    ],
    [
      'the older path of an object whose name looks like a selector',
      `/api/v1/watch/namespaces/default/configmaps/a%3D%5C`,
      [],
    ],
  ])('%s', async (_name, target, expected) => {
    for (const name of ['a', 'b']) await maps().create({ metadata: { name } });
    const stream = await watch(target);
    const seen: string[] = [];
    void (async () => {
      for (let next = await stream.next(); next.done !== true; next = await stream.next()) seen.push(words(next.value));
    })();
    await running.settled();
    await maps().create({ metadata: { name: 'c' } });
    await maps().update({ metadata: { name: 'a' }, data: { k: 'v' } });
    await running.settled();
    expect(seen.slice(0, expected.length)).toEqual(expected);
    expect(seen.length).toBe(expected.length === 3 ? 4 : expected.length);
  });

  test.each(['watch=0', 'watch=false', 'watch=False'])('%s is not a watch', async (query) => {
    expect(textOf(await ask(running.server, 'GET', `${MAPS}?${query}`))).toContain('"kind":"ConfigMapList"');
  });

  test('an object that does not exist can be watched until it does', async () => {
    const stream = await watch(`${MAPS}/later?watch=true`);
    const first = stream.next();
    await maps().create({ metadata: { name: 'later' } });
    expect(words((await first).value as Uint8Array)).toBe('ADDED later');
  });
});

describe('the answer to a watch', () => {
  test.each([
    ['', 200, 'application/json'],
    ['application/json', 200, 'application/json'],
    ['application/json;stream=watch', 200, 'application/json'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 200, 'application/vnd.kubernetes.protobuf;stream=watch'],
    ['application/json;as=Table;g=meta.k8s.io;v=v1', 200, 'application/json'],
    ['text/html', 406, 'application/json'],
  ])('to Accept %j is %i in %s', async (accept, status, contentType) => {
    const response = await ask(running.server, 'GET', `${MAPS}?watch=1`, { headers: accept === '' ? {} : { accept } });
    expect([response.status, response.headers['content-type']]).toEqual([status, contentType]);
    if (status === 200) await streamOf(response).return?.();
  });

  test('from a compacted version is an ERROR event with status 200', async () => {
    await maps().create({ metadata: { name: 'a' } });
    const old = (await maps().list()).metadata.resourceVersion ?? '';
    await (await watch(`${MAPS}?watch=1`)).return?.();
    await maps().create({ metadata: { name: 'b' } });
    await running.advance(10 * 60_000);
    await maps().create({ metadata: { name: 'c' } });
    const stream = await watch(`${MAPS}?watch=1&resourceVersion=${old}`);
    expect(eventOf((await take(stream, 1))[0] ?? new Uint8Array())).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
    expect((await stream.next()).done).toBe(true);
  });

  test('with bookmarks includes one two seconds before its timeout', async () => {
    await using test = await startTestServer({
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
      limits: { minWatch: 10_000, bookmarkInterval: 3_600_000 },
    });
    const { body } = await ask(
      test.server,
      'GET',
      `${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${(await test.client.resource(ConfigMap).list()).metadata.resourceVersion ?? ''}`,
    );
    if (typeof body !== 'object' || !('stream' in body)) throw new Error('not a stream');
    const start = test.clock.now();
    const seen: [string, number][] = [];
    const over = (async () => {
      for await (const frame of body.stream) seen.push([eventOf(frame).type, test.clock.now() - start]);
      return test.clock.now() - start;
    })();
    await test.advance(20_000);
    const [[type, at] = ['none', 0], ...rest] = seen;
    expect([type, rest]).toEqual(['BOOKMARK', []]);
    expect((await over) - at).toBe(2000);
  });

  test('with sendInitialEvents ends the initial state with an annotated bookmark', async () => {
    await maps().create({ metadata: { name: 'a' } });
    const stream = await watch(
      `${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const [added, bookmark] = (await take(stream, 2)).map(eventOf);
    expect([added?.type, added?.object.metadata.name]).toEqual(['ADDED', 'a']);
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: added?.object.metadata.resourceVersion,
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      },
    });
  });

  test('ends after timeoutSeconds, and always after some time', async () => {
    const short = await watch(`${MAPS}?watch=1&timeoutSeconds=10`);
    const long = await watch(`${MAPS}?watch=1`);
    const [shortEnd, longEnd] = [short.next(), long.next()];
    await running.advance(10_000);
    expect((await shortEnd).done).toBe(true);
    expect(counter.watchers()).toBe(1);
    await running.advance(60 * 60_000);
    expect((await longEnd).done).toBe(true);
    expect(counter.watchers()).toBe(0);
  });
});

describe('a disconnecting watcher', () => {
  test('leaves nothing behind over fetch, read or unread', async () => {
    const fetched = toFetchHandler(running.server);
    const request = (signal?: AbortSignal): Request =>
      new Request(`http://x${MAPS}?watch=1`, {
        headers: { authorization: 'Bearer admin' },
        ...(signal === undefined ? {} : { signal }),
      });
    await (await fetched(request())).body?.cancel();
    const reader = (await fetched(request())).body?.getReader();
    const waiting = reader?.read();
    await reader?.cancel();
    await waiting;
    const gone = new AbortController();
    const response = await fetched(request(gone.signal));
    gone.abort();
    await response.text().catch(() => undefined);
    await running.settled();
    expect([counter.watchers(), running.clock.pending]).toEqual([0, 0]);
  });

  test('leaves nothing behind over WebSocket', async () => {
    await using listener = await listen(running.server, { webSocket: { ping: 0 } });
    await maps().create({ metadata: { name: 'a' } });
    const socket = new WebSocket(`${listener.url.replace('http', 'ws')}${MAPS}?watch=1`, {
      headers: { authorization: 'Bearer admin' },
    });
    const messages: string[] = [];
    socket.on('message', (data, isBinary) => messages.push(isBinary ? 'binary' : words(Buffer.from(String(data)))));
    await expect.poll(() => messages).toEqual(['ADDED a']);
    await maps().delete('a');
    await expect.poll(() => messages).toEqual(['ADDED a', 'DELETED a']);
    expect(counter.watchers()).toBe(1);
    socket.terminate();
    await expect.poll(() => counter.watchers()).toBe(0);
  });

  test('over WebSocket, without credentials or for a request that is no watch, is rejected before the upgrade', async () => {
    await using listener = await listen(running.server, { webSocket: { ping: 0 } });
    const refused = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve) => {
        const socket = new WebSocket(listener.url.replace('http', 'ws') + path, { headers });
        socket.on('unexpected-response', (_request, response) => {
          resolve(response.statusCode);
          socket.terminate();
        });
        socket.on('open', () => resolve(101));
        socket.on('error', () => undefined);
      });
    expect(await refused(`${MAPS}?watch=1`, {})).toBe(403);
    expect(await refused(`${MAPS}?watch=1`, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await refused(MAPS, { authorization: 'Bearer admin' })).toBe(400);
    expect(await refused(`${MAPS}?watch=1&resourceVersion=x`, { authorization: 'Bearer admin' })).toBe(500);
    expect(counter.watchers()).toBe(0);
  });
});
