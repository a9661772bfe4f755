import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../src/cli/flags/parse.js';
import {
  limitFlags,
  limitsOf,
  portLimitFlags,
  portLimitsOf,
  wrongTokensOf,
} from '../../src/cli/serve/flags/limit-flags.js';
import { defaultWrongTokens } from '../../src/security/authn/wrong-token-throttle.js';
import { defaultLimits } from '../../src/server/limits/server-limits.js';
import { defaultInFlight, defaultWatches } from '../../src/server/limits/in-flight.js';
import { resolveOptions } from '../../src/transport/node/listening/listen-options.js';
import { RawClient } from '../transport/support/raw-client.js';
import { plain, ServingTests } from './serving.js';

const flags = { ...limitFlags, ...portLimitFlags };

describe('the limit flags', () => {
  it('have the defaults of the options', () => {
    const values = parseFlags(flags, []);
    const { bodyBytes, bodyContainers, requestTimeoutMs, requestCpuMs, minWatchMs } = defaultLimits;
    expect(limitsOf(values)).toEqual({
      bodyBytes,
      bodyContainers,
      requestTimeout: requestTimeoutMs,
      requestCpu: requestCpuMs,
      minWatch: minWatchMs,
      inFlight: defaultInFlight,
      watches: defaultWatches,
    });
    expect(wrongTokensOf(values)).toEqual(defaultWrongTokens);
    const { limits, timeouts } = resolveOptions({});
    expect(resolveOptions(portLimitsOf(values))).toMatchObject({ limits, timeouts });
  });

  it('set every limit', () => {
    const values = parseFlags(flags, [
      '--request-timeout=2m',
      '--request-cpu=3s',
      '--min-request-timeout=7',
      '--max-request-body-size=1Ki',
      '--max-request-body-containers=17',
      '--max-requests-inflight=1',
      '--max-mutating-requests-inflight=2',
      '--max-waiting-requests=3',
      '--max-waiting-body-megabytes=4',
      '--max-user-share=50',
      '--max-watches=5',
      '--max-watches-per-user=6',
      '--max-initial-states-per-user=17',
      '--max-wrong-bootstrap-tokens=7',
      '--max-wrong-bootstrap-tokens-per-source=8',
      '--max-connections=9',
      '--http2-max-streams-per-connection=10',
      '--http2-max-resets-per-connection=17',
      '--max-header-size=11Ki',
      '--max-url-size=12k',
      '--header-timeout=13s',
      '--idle-timeout=14s',
      '--write-timeout=15s',
      '--linger-timeout=16s',
    ]);
    expect(limitsOf(values)).toEqual({
      bodyBytes: 1024,
      bodyContainers: 17,
      requestTimeout: 120_000,
      requestCpu: 3_000,
      minWatch: 7_000,
      inFlight: { maxReadOnly: 1, maxMutating: 2, maxWaiting: 3, maxBodyBytes: 4 * 1024 * 1024, userShare: 0.5 },
      watches: { max: 5, maxPerUser: 6, initialStatesPerUser: 17 },
    });
    expect(wrongTokensOf(values)).toEqual({ inAll: 7, perSource: 8 });
    expect(portLimitsOf(values)).toEqual({
      limits: { connections: 9, streams: 10, resets: 17, headerBytes: 11 * 1024, urlBytes: 12_000 },
      timeouts: { request: 120_000, headers: 13_000, idle: 14_000, write: 15_000, linger: 16_000 },
    });
  });

  it.each([
    ['--request-timeout=0', 'must be greater than 0'],
    ['--request-timeout=60', 'must be a duration such as 500ms, 5s or 1m30s'],
    ['--request-cpu=10', 'must be a duration such as 500ms, 5s or 1m30s'],
    ['--min-request-timeout=0', 'must be greater than 0'],
    ['--min-request-timeout=30m', 'must be a non-negative integer'],
    ['--max-request-body-size=much', 'must be a quantity of bytes (3Mi)'],
    ['--max-request-body-size=-1', 'must be a quantity of bytes (3Mi)'],
    ['--max-user-share=101', 'must be between 1 and 100, inclusive'],
    ['--max-connections=0', 'must be greater than 0'],
  ])('%s is rejected', (word, message) => {
    expect(() => parseFlags(flags, [word])).toThrow(message);
  });
});

describe('serving with limits', () => {
  const tests = new ServingTests();

  it('answers a request that takes longer than --request-timeout with 504', async () => {
    const server = await tests.start([...plain, '--request-timeout=2s']);
    const before = server.host.clock.pending;
    const late = fetch(`${server.http}/api/v1/namespaces?resourceVersion=1000000`, { headers: server.authorization });
    // The request is pending when the timers of its deadline and of its longer wait for the version are set.
    await expect.poll(() => server.host.clock.pending).toBeGreaterThan(before + 1);
    await server.host.clock.advance(2_000);
    const answer = await late;
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({
      reason: 'Timeout',
      message: expect.stringContaining('request did not complete within the allotted timeout') as string,
    });
  });

  it('ends a watch after --min-request-timeout seconds at the earliest, and twice that at the latest', async () => {
    const server = await tests.start([...plain, '--min-request-timeout=5']);
    const watch = await fetch(`${server.http}/api/v1/namespaces?watch=1`, { headers: server.authorization });
    let over = false;
    const text = watch.text().then((all) => {
      over = true;
      return all;
    });
    await server.host.clock.advance(4_999);
    expect((await fetch(`${server.http}/livez`)).status).toBe(200);
    expect(over).toBe(false);
    await server.host.clock.advance(5_001);
    expect((await text).trimEnd().split('\n')).toHaveLength(4);
  });

  it('rejects a body, a URL and a header section beyond the configured lengths', async () => {
    const server = await tests.start([
      ...plain,
      '--max-request-body-size=1Ki',
      '--max-url-size=200',
      '--max-header-size=4Ki',
    ]);
    const headers = { ...server.authorization, 'content-type': 'application/json' };
    const create = (bytes: number) =>
      fetch(`${server.http}/api/v1/namespaces/default/configmaps`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ metadata: { name: 'a' }, data: { text: 'x'.repeat(bytes) } }),
      });
    expect((await create(1024)).status).toBe(413);
    expect((await create(100)).status).toBe(201);
    expect((await fetch(`${server.http}/version?a=${'x'.repeat(200)}`)).status).toBe(414);
    expect((await fetch(`${server.http}/version`, { headers: { 'x-long': 'x'.repeat(5_000) } })).status).toBe(431);
    expect((await fetch(`${server.http}/version`)).status).toBe(200);
  });

  it('closes a connection beyond the limit at once', async () => {
    const server = await tests.start([...plain, '--max-connections=1']);
    const port = Number(new URL(server.http).port);
    const first = new RawClient(port);
    first.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await first.until('200 OK');
    await new RawClient(port).closed;
    first.socket.destroy();
  });

  it('answers wrong bootstrap tokens beyond the limit with 429', async () => {
    const server = await tests.start([
      ...plain,
      '--enable-bootstrap-token-auth',
      '--max-wrong-bootstrap-tokens-per-source=2',
    ]);
    const status = async (): Promise<number> =>
      (await fetch(`${server.http}/version`, { headers: { authorization: 'Bearer aaaaaa.bbbbbbbbbbbbbbbb' } })).status;
    expect([await status(), await status(), await status()]).toEqual([401, 401, 429]);
  });
});
