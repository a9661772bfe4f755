import { describe, expect, test } from 'vitest';
import { postReview, WebhookError, type WebhookOptions } from '../../../src/foundation/outbound/webhook.js';
import { webhookPost, type WebhookPost } from '../../../src/foundation/outbound/webhook-post.js';
import type { OutboundRequest, OutboundResponse } from '../../../src/foundation/outbound/index.js';
import { createManualClock, seededEntropy } from '../../../src/entries/testing.js';

const REVIEW = { apiVersion: 'example.com/v1', kind: 'Review', spec: { token: 's3cret' } };
const ANSWER = { apiVersion: 'example.com/v1', kind: 'Review', status: { allowed: true } };

const answer = (
  status: number,
  body: unknown = ANSWER,
  headers: Readonly<Record<string, string>> = {},
): OutboundResponse => ({
  status,
  header: (name) => headers[name],
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});

const networkError = (code: string): Error =>
  new Error('POST https://hook.test/: failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) });

/** A webhook that gives a sequence of answers, repeating the last one; the times of its calls are recorded. */
function hook(answers: readonly (OutboundResponse | Error)[], options: Partial<WebhookOptions> = {}) {
  const clock = createManualClock();
  const times: number[] = [];
  const bodies: string[] = [];
  const start = clock.now();
  const post: WebhookPost = async (body) => {
    times.push(clock.now() - start);
    bodies.push(body);
    const next = answers[Math.min(times.length, answers.length) - 1];
    if (next === undefined || next instanceof Error) throw next ?? new Error('no answer is planned');
    return next;
  };
  const ask = (signal?: AbortSignal) =>
    postReview(
      REVIEW,
      { post, clock, entropy: { uuid: () => '', bytes: (length) => new Uint8Array(length) }, ...options },
      signal,
    );
  return { clock, times, bodies, ask };
}

async function failureOf(asked: Promise<unknown>): Promise<WebhookError> {
  const error: unknown = await asked.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof WebhookError)) throw error;
  return error;
}

describe('a review', () => {
  test('is posted as JSON, and returned with its status', async () => {
    const { ask, bodies, clock } = hook([answer(200)]);
    expect(await ask()).toEqual(ANSWER);
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([REVIEW]);
    expect(clock.pending).toBe(0);
  });

  test.each([201, 202, 206])('may be answered with %i', async (status) => {
    expect(await hook([answer(status)]).ask()).toEqual(ANSWER);
  });

  test.each([{ status: { allowed: true } }, { apiVersion: '', kind: '' }, { apiVersion: 'example.com/v1' }])(
    'may be answered with %j, without kind and version',
    async (body) => {
      expect(await hook([answer(200, body)]).ask()).toEqual(body);
    },
  );

  test.each<[string, OutboundResponse, string]>([
    [
      'another version',
      answer(200, { ...ANSWER, apiVersion: 'example.com/v1beta1' }),
      'the answer of the webhook must have apiVersion "example.com/v1"',
    ],
    ['another kind', answer(200, { ...ANSWER, kind: 'Status' }), 'the answer of the webhook must have kind "Review"'],
    [
      'a kind that is no string',
      answer(200, { ...ANSWER, kind: 1 }),
      'the answer of the webhook must have kind "Review"',
    ],
    ['junk', answer(200, 's3cret junk'), 'the answer of the webhook is not a JSON object'],
    [
      'many values',
      answer(200, { spec: Array.from({ length: 20_001 }, () => 0) }),
      'the answer of the webhook cannot be read: it has more than 20000 values',
    ],
    ['a byte order mark', answer(200, '\ufeff{}'), 'the answer of the webhook is not a JSON object'],
    ['nothing', answer(200, ''), 'the answer of the webhook is not a JSON object'],
    ['a list', answer(200, []), 'the answer of the webhook is not a JSON object'],
    ['null', answer(200, 'null'), 'the answer of the webhook is not a JSON object'],
    [
      'bytes that are no text',
      { ...answer(200), body: Uint8Array.of(0x7b, 0xff, 0x7d) },
      'the answer of the webhook is not a JSON object',
    ],
    [
      'an answer that is too long',
      answer(200, `"${'x'.repeat(1024 * 1024)}"`),
      'the answer of the webhook is longer than 1048576 bytes',
    ],
    [
      'a redirect',
      answer(307, '', { location: 'https://elsewhere.test/' }),
      'the webhook answered with a redirect (307), which is not followed',
    ],
    ['not modified', answer(304, ''), 'the webhook answered with a redirect (304), which is not followed'],
    ['an informational status', answer(101), 'the webhook answered with status 101'],
    ['unauthorized', answer(401, 's3cret'), 'the webhook answered with status 401'],
    ['not found', answer(404), 'the webhook answered with status 404'],
  ])('that is answered with %s fails at once', async (_case, response, message) => {
    const { ask, times } = hook([response]);
    const error = await failureOf(ask());
    expect([error.message, error.transient]).toEqual([message, false]);
    expect(times).toEqual([0]);
  });
});

describe('retries', () => {
  test.each<[string, OutboundResponse | Error]>([
    ['500', answer(500)],
    ['502', answer(502)],
    ['503', answer(503)],
    ['504', answer(504)],
    ['429', answer(429)],
    ['a connection that was reset', networkError('ECONNRESET')],
    ['a connection that was refused', networkError('ECONNREFUSED')],
    ['a name that was not found just now', networkError('EAI_AGAIN')],
  ])('follow %s', async (_case, failure) => {
    const { ask, clock, times } = hook([failure, answer(200)]);
    const asked = ask();
    await clock.advance(499);
    expect(times).toEqual([0]);
    await clock.advance(1);
    expect(await asked).toEqual(ANSWER);
    expect(times).toEqual([0, 500]);
  });

  test.each([
    networkError('DEPTH_ZERO_SELF_SIGNED_CERT'),
    networkError('ERR_TLS_CERT_ALTNAME_INVALID'),
    new Error('the answer is longer than 10 bytes'),
  ])('do not follow %s', async (failure) => {
    const { ask, times } = hook([failure]);
    expect((await failureOf(ask())).message).toBe(`the request to the webhook failed: ${failure.message}`);
    expect(times).toEqual([0]);
  });

  test('are four, with pauses that grow by half', async () => {
    const { ask, clock, times } = hook([answer(500), answer(503)]);
    const failed = failureOf(ask());
    await clock.advance(60_000);
    expect(await failed).toMatchObject({ message: 'the webhook answered with status 503', status: 503 });
    expect(times).toEqual([0, 500, 1250, 2375, 4062.5]);
    expect(clock.pending).toBe(0);
  });

  test('have randomly longer pauses, by a fifth at most', async () => {
    const pauses = new Set<number>();
    for (let seed = 0; seed < 40; seed += 1) {
      const { ask, clock, times } = hook([answer(500), answer(200)], { entropy: seededEntropy(seed) });
      const asked = ask();
      await clock.advance(600);
      await asked;
      pauses.add(times[1] ?? 0);
    }
    expect(pauses.size).toBeGreaterThan(30);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...pauses)).toBeLessThan(600);
    expect(Math.max(...pauses)).toBeGreaterThan(580);
  });

  test('have their defaults for settings that are undefined', async () => {
    const retry = { initial: undefined, factor: undefined, jitter: undefined, steps: undefined };
    const { ask, clock, times } = hook([answer(500)], { retry });
    const failed = failureOf(ask());
    await clock.advance(60_000);
    await failed;
    expect(times).toEqual([0, 500, 1250, 2375, 4062.5]);
  });

  test('may be fewer', async () => {
    const { ask, times } = hook([answer(500)], { retry: { steps: 1 } });
    await failureOf(ask());
    expect(times).toEqual([0]);
  });

  test.each([
    ['2', 2000],
    ['0', 500],
    ['3600', 30_000],
    ['-1', 500],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 500],
  ])('wait as long as Retry-After %j says, within bounds', async (value, pauseMs) => {
    const { ask, clock, times } = hook([answer(429, '', { 'retry-after': value }), answer(200)]);
    const asked = ask();
    await clock.advance(30_000);
    await asked;
    expect(times).toEqual([0, pauseMs]);
  });

  test('end when the signal aborts, with the last failure', async () => {
    const { ask, clock, times } = hook([answer(500)]);
    const abort = new AbortController();
    const failed = failureOf(ask(abort.signal));
    await clock.advance(100);
    abort.abort();
    expect((await failed).message).toBe('the webhook answered with status 500');
    await clock.advance(60_000);
    expect(times).toEqual([0]);
    expect(clock.pending).toBe(0);
  });
});

describe('a webhook that does not answer', () => {
  const never = () => {
    const signals: AbortSignal[] = [];
    const post: WebhookPost = (_body, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    return { signals, post };
  };

  test('is abandoned after thirty seconds, and not retried', async () => {
    const { signals, post } = never();
    const { ask, clock } = hook([], { post });
    const failed = failureOf(ask());
    await clock.advance(29_999);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(await failed).toMatchObject({ message: 'the webhook has not answered within 30 seconds', transient: false });
    await clock.advance(60_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('is abandoned when the request ends', async () => {
    const { signals, post } = never();
    const { ask, clock } = hook([], { post });
    const abort = new AbortController();
    const failed = failureOf(ask(abort.signal));
    await clock.settle();
    abort.abort();
    expect((await failed).message).toBe('the request to the webhook was cancelled');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('is not called by a request that has ended', async () => {
    const { signals, post } = never();
    const abort = new AbortController();
    abort.abort();
    expect((await failureOf(hook([], { post }).ask(abort.signal))).message).toBe(
      'the request to the webhook was cancelled',
    );
    expect(signals).toEqual([]);
  });

  test('a post that throws synchronously is an ordinary failure', async () => {
    const { ask, clock } = hook([], {
      post: () => {
        throw new Error('no route');
      },
    });
    expect((await failureOf(ask())).message).toBe('the request to the webhook failed: no route');
    expect(clock.pending).toBe(0);
  });
});

test("a post through a client sends JSON to one URL, with the endpoint's headers", async () => {
  const requests: OutboundRequest[] = [];
  const post = webhookPost(async (request) => (requests.push(request), answer(200)), {
    url: 'https://hook.test/x',
    tls: { serverName: 'hook' },
    headers: { authorization: 'Bearer b' },
  });
  const { signal } = new AbortController();
  await post('{}', signal);
  expect(requests).toEqual([
    {
      url: 'https://hook.test/x',
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: 'Bearer b' },
      body: '{}',
      tls: { serverName: 'hook' },
      maxBytes: 1024 * 1024,
      signal,
    },
  ]);
});
