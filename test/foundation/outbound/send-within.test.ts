import { expect, test } from 'vitest';
import { sendWithin, type HttpClient } from '../../../src/foundation/outbound/index.js';
import { createManualClock } from '../../../src/entries/testing.js';

const never: HttpClient = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
const answered: HttpClient = async () => ({ status: 200, header: () => undefined, body: new Uint8Array() });
const request = { url: 'https://issuer.example/', maxBytes: 1 };

test('a request that is not answered in time ends', async () => {
  const clock = createManualClock();
  const outcome = sendWithin(never, request, { clock, timeoutMs: 30_000 }).catch(String);
  await clock.advance(29_999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(await outcome).toBe('Error: no answer within 30000 ms');
});

test('a response leaves no timer', async () => {
  const clock = createManualClock();
  expect((await sendWithin(answered, request, { clock, timeoutMs: 1 })).status).toBe(200);
  expect(clock.pending).toBe(0);
});

test('the signal of the request ends it too, even if already aborted', async () => {
  const clock = createManualClock();
  const controller = new AbortController();
  const outcome = sendWithin(never, { ...request, signal: controller.signal }, { clock, timeoutMs: 1000 }).catch(
    String,
  );
  controller.abort(new Error('gone'));
  expect(await outcome).toBe('Error: gone');
  const seen: HttpClient = async ({ signal }) => {
    signal?.throwIfAborted();
    return answered(request);
  };
  await expect(sendWithin(seen, { ...request, signal: controller.signal }, { clock, timeoutMs: 1000 })).rejects.toThrow(
    'gone',
  );
  expect(clock.pending).toBe(0);
});
