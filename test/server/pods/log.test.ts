import { afterEach, describe, expect, test, vi } from 'vitest';
import { Pod, type LogLine, type PodHandlers } from '../../../src/entries/index.js';
import { isStream, type ApiResponse } from '../../../src/server/requests/http.js';
import type { TestServer } from '../../../src/entries/testing.js';
import { turnsDuring } from '../../support/turns.js';
import { ask, jsonOf, textOf } from '../ask.js';
import { OWNER, podOf, startWorld } from './world.js';

afterEach(() => vi.restoreAllMocks());

const START = Date.parse('2024-01-01T00:00:00Z');

const getLog = (world: TestServer, query = '', signal?: AbortSignal): Promise<ApiResponse> =>
  ask(world.server, 'GET', `/api/v1/namespaces/default/pods/p/log${query}`, {
    token: OWNER,
    ...(signal === undefined ? {} : { signal }),
  });

/** The text of an answer whose stream ends. */
async function wholeText(response: ApiResponse): Promise<string> {
  if (!isStream(response.body)) return textOf(response);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body.stream) text += decoder.decode(chunk, { stream: true });
  return text;
}

async function worldWith(log: PodHandlers['log'], spec: object = {}): Promise<TestServer> {
  const world = await startWorld({ handlers: { pods: { log } } });
  await world.client.resource(Pod).namespace('default').create(podOf('p', { spec }));
  return world;
}

test('a handler gets the pod and the checked options', async () => {
  const log = vi.fn<NonNullable<PodHandlers['log']>>(() => 'hello\n');
  await using world = await worldWith(log);
  const query =
    '?follow=true&previous=1&timestamps=true&sinceTime=2024-01-01T00:00:00Z&tailLines=3&limitBytes=100&insecureSkipTLSVerifyBackend=true';
  const response = await getLog(world, query);
  expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' } });
  expect(await wholeText(response)).toBe('hello\n');
  const [pod, options] = log.mock.calls[0] ?? [];
  expect(pod?.metadata.name).toBe('p');
  expect(options).toMatchObject({
    container: 'main',
    follow: true,
    previous: true,
    timestamps: true,
    sinceSeconds: undefined,
    sinceTime: '2024-01-01T00:00:00Z',
    tailLines: 3,
    limitBytes: 100,
    insecureSkipTLSVerifyBackend: true,
  });
  expect(options?.user.groups).toContain('system:masters');
});

describe('a log may be', () => {
  const lines: LogLine[] = [
    { time: '2023-12-31T23:59:58Z', text: 'one' },
    { time: '2023-12-31T23:59:59.5Z', text: 'two' },
    { time: START, text: 'three' },
  ];
  async function* later() {
    await Promise.resolve();
    yield 'a\nb\n';
    yield new TextEncoder().encode('c');
    yield '\nd\n';
  }

  test.each<[string, PodHandlers['log'], string, string]>([
    ['a text', () => 'a\nb\n', '', 'a\nb\n'],
    ['bytes', () => new TextEncoder().encode('ä\n'), '', 'ä\n'],
    ['empty', () => '', '', ''],
    ['a promise', () => Promise.resolve('x'), '', 'x'],
    ['a stream', later, '', 'a\nb\nc\nd\n'],
    ['a web stream', () => new Blob(['web\n']).stream(), '', 'web\n'],
    ['lines with times', () => lines, '', 'one\ntwo\nthree\n'],
    [
      'lines with shown times',
      () => lines.slice(1),
      '?timestamps=true',
      '2023-12-31T23:59:59.500000000Z two\n2024-01-01T00:00:00.000000000Z three\n',
    ],
    ['lines of the last seconds', () => lines, '?sinceSeconds=1', 'two\nthree\n'],
    ['lines since a time', () => lines, '?sinceTime=2024-01-01T00:00:00Z', 'three\n'],
    ['its last lines', later, '?tailLines=2', 'c\nd\n'],
    ['its last lines without a line break at the end', () => 'a\nb\nc', '?tailLines=2', 'b\nc'],
    ['no lines', later, '?tailLines=0', ''],
    ['more lines than it has', later, '?tailLines=9', 'a\nb\nc\nd\n'],
    ['its first bytes', later, '?limitBytes=3', 'a\nb'],
    ['the first bytes of its last lines', later, '?limitBytes=3&tailLines=2', 'c\nd'],
  ])('%s', async (_, log, query, expected) => {
    await using world = await worldWith(log);
    const response = await getLog(world, query);
    expect(response.status).toBe(200);
    expect(await wholeText(response)).toBe(expected);
  });
});

describe('a log of many lines', () => {
  const MANY = 20_000;
  const many: PodHandlers['log'] = () =>
    Array.from({ length: MANY }, (_, index): LogLine => ({ time: START, text: `line ${index}` }));

  test('is read in turns, also those that the client does not want', async () => {
    await using world = await worldWith(many);
    let text = '';
    const turns = await turnsDuring(async () => {
      text = await wholeText(await getLog(world, '?sinceTime=2024-01-02T00:00:00Z'));
    });
    expect(text).toBe('');
    expect(turns).toBeGreaterThan(100);
  });

  test('has as many last lines as are asked for', async () => {
    await using world = await worldWith(many);
    const text = await wholeText(await getLog(world, '?tailLines=5000'));
    expect(text.split('\n').slice(0, 2)).toEqual([`line ${MANY - 5_000}`, `line ${MANY - 4_999}`]);
    expect(text.split('\n')).toHaveLength(5_001);
  });

  test('whose last lines do not fit into the memory of requests answers 429', async () => {
    await using world = await startWorld({
      limits: { memoryBytes: 64 * 1024 * 1024 },
      handlers: { pods: { log: () => 'line of a log\n'.repeat(5_000_000) } },
    });
    await world.client.resource(Pod).namespace('default').create(podOf('p', {}));
    const response = await getLog(world, '?tailLines=100000000');
    expect([response.status, jsonOf(response)['reason']]).toEqual([429, 'TooManyRequests']);
  });
});

describe('the options are checked', () => {
  test.each<[string, number, string]>([
    [
      '?tailLines=-1',
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['?limitBytes=0', 422, 'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
    ['?sinceSeconds=0', 422, 'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0'],
    [
      '?sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z',
      422,
      'PodLogOptions "p" is invalid: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['?tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['?sinceTime=yesterday', 400, 'parsing time "yesterday": it is not a time in RFC 3339'],
    ['?container=other', 400, 'container other is not valid for pod p'],
  ])('%s', async (query, code, message) => {
    const log = vi.fn(() => '');
    await using world = await worldWith(log);
    const response = await getLog(world, query);
    expect([response.status, jsonOf(response)['message']]).toEqual([code, message]);
    expect(log).not.toHaveBeenCalled();
  });

  test('a pod with several containers needs a name', async () => {
    const spec = {
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ],
      initContainers: [{ name: 'init', image: 'i' }],
    };
    await using world = await worldWith(({ metadata }, { container }) => `${metadata.name} ${container}`, spec);
    const response = await getLog(world);
    expect([response.status, jsonOf(response)['message']]).toEqual([
      400,
      'a container name must be specified for pod p, choose one of: [init a b]',
    ]);
    expect(await wholeText(await getLog(world, '?container=init'))).toBe('p init');
  });

  test('the pod must exist', async () => {
    await using world = await startWorld({ handlers: { pods: { log: () => '' } } });
    const response = await getLog(world);
    expect([response.status, jsonOf(response)['message']]).toEqual([404, 'pods "p" not found']);
  });
});

describe('without a handler', () => {
  test('a bound pod is refused, and the refusal names the option', async () => {
    await using world = await startWorld();
    await world.client
      .resource(Pod)
      .namespace('default')
      .create(podOf('p', { spec: { nodeName: 'n' } }));
    const response = await getLog(world);
    expect(response.status).toBe(501);
    expect(jsonOf(response)).toMatchObject({
      reason: 'NotImplemented',
      message:
        'pods/log is not supported by this server: it runs no nodes; its owner can answer with the option handlers.pods.log',
    });
  });

  test('a pod without a node has no log', async () => {
    await using world = await startWorld();
    await world.client.resource(Pod).namespace('default').create(podOf('p'));
    expect((await getLog(world)).status).toBe(204);
  });
});

describe('a handler ends only its own request', () => {
  test('when it throws', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    await using world = await worldWith(() => {
      throw new Error('secret');
    });
    const response = await getLog(world);
    expect(response.status).toBe(500);
    expect(textOf(response)).not.toContain('secret');
    expect(logged).toHaveBeenCalled();
    expect((await ask(world.server, 'GET', '/api/v1/namespaces/default/pods/p', { token: OWNER })).status).toBe(200);
  });

  test('when it returns no log', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await using world = await worldWith((() => 7) as unknown as PodHandlers['log']);
    expect((await getLog(world)).status).toBe(500);
  });

  test('when it never answers', async () => {
    await using world = await worldWith(() => new Promise<string>(() => undefined));
    const response = getLog(world);
    await world.advance(60_000);
    expect((await response).status).toBe(504);
  });

  test('when its stream never continues and the client leaves', async () => {
    let stopped = false;
    await using world = await worldWith(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => undefined),
        return: () => {
          stopped = true;
          return Promise.resolve({ done: true as const, value: undefined });
        },
      }),
    }));
    const client = new AbortController();
    const response = await getLog(world, '?follow=true', client.signal);
    const text = wholeText(response);
    client.abort();
    expect(await text).toBe('');
    expect(stopped).toBe(true);
  });
});

test('a log that is followed has no deadline, and ends when the server closes', async () => {
  const lines = new TransformStream<string, string>();
  const world = await worldWith(() => lines.readable);
  const response = await getLog(world, '?follow=true');
  const writer = lines.writable.getWriter();
  void writer.write('first\n');
  await world.advance(3_600_000);
  if (!isStream(response.body)) throw new Error('no stream');
  const iterator = response.body.stream[Symbol.asyncIterator]();
  expect(new TextDecoder().decode((await iterator.next()).value as Uint8Array)).toBe('first\n');
  const last = iterator.next();
  await world.close();
  expect((await last).done).toBe(true);
});
