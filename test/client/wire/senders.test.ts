import { describe, expect, test } from 'vitest';
import { limited } from '../../../src/client/wire/limit.js';
import { retried } from '../../../src/client/wire/retry.js';
import type { Sender, WireRequest } from '../../../src/client/wire/sender.js';
import { bounded } from '../../../src/client/wire/timeout.js';
import { createManualClock, seededEntropy } from '../../../src/entries/testing.js';
import { encodeUtf8, type OutboundStream } from '../../../src/foundation/index.js';

const read: WireRequest = { method: 'GET', path: '/api', repeats: 'always' };
const write: WireRequest = { method: 'POST', path: '/api', repeats: 'refused' };
const operation: WireRequest = { method: 'POST', path: '/api', repeats: 'unsent' };
const bound: WireRequest = { method: 'PUT', path: '/api', repeats: 'always' };

const cancelled: number[] = [];
const answer = (status: number, retryAfter?: string): OutboundStream => ({
  status,
  header: (name) => (name === 'retry-after' ? retryAfter : undefined),
  fields: () => (retryAfter === undefined ? [] : [['retry-after', retryAfter]]),
  body: (async function* () {
    yield encodeUtf8('{}');
  })(),
  cancel: () => void cancelled.push(status),
});

const lost = (code: string): Error => new Error('no answer', { cause: Object.assign(new Error(code), { code }) });

/** Sends requests to a server that does one thing after the other. */
function server(...outcomes: (OutboundStream | Error)[]) {
  const clock = createManualClock();
  const times: number[] = [];
  const send: Sender = async () => {
    times.push(clock.now());
    const next = outcomes.shift() ?? answer(200);
    if (next instanceof Error) throw next;
    return next;
  };
  const retries = { clock, entropy: seededEntropy('retries'), attempts: 4, firstMs: 250, mostMs: 10_000 };
  return { clock, times, send: retried(send, retries) };
}

/** Waits for a request while time passes. @returns its status or error code, and the pauses between attempts in seconds */
async function outcome(
  request: WireRequest,
  ...outcomes: (OutboundStream | Error)[]
): Promise<readonly [unknown, readonly number[]]> {
  const { clock, times, send } = server(...outcomes);
  const sent = send(request).then(
    ({ status }) => status,
    (error: Error) => (error.cause as { code?: string }).code,
  );
  let done = false;
  void sent.then(() => (done = true));
  for (let step = 0; step < 1000 && !done; step += 1) {
    await clock.advance(100);
    await Promise.resolve();
  }
  const pauses = times.slice(1).map((time, at) => (time - (times[at] ?? 0)) / 1000);
  return [await sent, pauses];
}

describe('repeated requests', () => {
  test('a read is repeated when the server asks for it, after the time that it asks for', async () => {
    expect(await outcome(read, answer(429, '3'), answer(503, '1'), answer(500, '2'))).toEqual([200, [3, 1, 2]]);
    expect(await outcome(read, answer(429, '0'))).toEqual([200, [expect.any(Number)]]);
  });

  test('the pauses double, with chance, when the server says no time', async () => {
    const [status, pauses] = await outcome(read, answer(503), answer(503), answer(503));
    expect(status).toBe(200);
    for (const [at, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(0.25 * 2 ** at);
      expect(pause).toBeLessThanOrEqual(0.5 * 2 ** at + 0.1);
    }
  });

  test('the last answer counts when there are no attempts left, and earlier ones are not read', async () => {
    cancelled.length = 0;
    expect((await outcome(read, answer(429), answer(429), answer(429), answer(429)))[0]).toBe(429);
    expect(cancelled).toEqual([429, 429, 429]);
  });

  test.each<[string, WireRequest, readonly (OutboundStream | Error)[], unknown, number]>([
    ['a 500 without a time', read, [answer(500)], 500, 0],
    ['a 404', read, [answer(404, '1')], 404, 0],
    ['a write that was refused', write, [answer(429)], 200, 1],
    ['a write that may have happened', write, [answer(503, '1')], 503, 0],
    ['a write of a version', bound, [answer(503, '1')], 200, 1],
    ['an operation, whose refusal is its result', operation, [answer(429, '1')], 429, 0],
    ['a lost read', read, [lost('ECONNRESET')], 200, 1],
    ['a lost write', write, [lost('ECONNRESET')], 'ECONNRESET', 0],
    ['a lost write of a version', bound, [lost('ECONNRESET')], 'ECONNRESET', 0],
    ['a write that was not sent', write, [lost('ECONNREFUSED')], 200, 1],
    ['an operation that was not sent', operation, [lost('ENOTFOUND')], 200, 1],
    ['a certificate that is refused', read, [lost('CERT_HAS_EXPIRED')], 'CERT_HAS_EXPIRED', 0],
    ['a watch', { ...read, lasting: true }, [answer(429, '1')], 429, 0],
  ])('%s', async (_name, request, outcomes, result, repetitions) => {
    const [found, pauses] = await outcome(request, ...outcomes);
    expect([found, pauses.length]).toEqual([result, repetitions]);
  });

  test('a signal ends the pause with its reason', async () => {
    const { send } = server(answer(429, '60'));
    const abort = new AbortController();
    const sent = send({ ...read, signal: abort.signal });
    await Promise.resolve();
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
  });
});

describe('the rate of requests', () => {
  test('is limited beyond a burst, in the order of the requests', async () => {
    const clock = createManualClock();
    const start = clock.now();
    const sent: [string, number][] = [];
    const send = limited(
      async ({ path }) => {
        sent.push([path, clock.now() - start]);
        return answer(200);
      },
      clock,
      { perSecond: 2, burst: 3 },
    );
    const all = Promise.all(['/a', '/b', '/c', '/d', '/e'].map((path) => send({ ...read, path })));
    await clock.advance(2000);
    await all;
    expect(sent).toEqual([
      ['/a', 0],
      ['/b', 0],
      ['/c', 0],
      ['/d', 500],
      ['/e', 1000],
    ]);
    await clock.advance(60_000);
    await Promise.all(['/f', '/g', '/h'].map((path) => send({ ...read, path })));
    expect(sent.slice(5).map(([, time]) => time)).toEqual([62_000, 62_000, 62_000]);
  });
});

describe('the timeout of a request', () => {
  const hanging: Sender = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  test('ends it, unless it has been answered', async () => {
    const clock = createManualClock();
    const sent = bounded(hanging, clock, 60_000)(read);
    sent.catch(() => undefined);
    await clock.advance(60_000);
    await expect(sent).rejects.toThrow('no answer within 60000 ms');
  });

  test('counts until the body has arrived; of a lasting response, until it begins', async () => {
    const clock = createManualClock();
    const signals: AbortSignal[] = [];
    const begun: Sender = async ({ signal }) => {
      if (signal !== undefined) signals.push(signal);
      return answer(200);
    };
    await bounded(begun, clock, 60_000)(read);
    await bounded(begun, clock, 60_000)({ ...read, lasting: true });
    const whole = await bounded(begun, clock, 60_000)(read);
    for await (const _chunk of whole.body);
    await clock.advance(120_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false]);
  });
});
