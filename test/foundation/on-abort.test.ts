import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { delay } from '../../src/foundation/index.js';
import { onAbort } from '../../src/foundation/async/on-abort.js';
import { sendWithin } from '../../src/foundation/outbound/index.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';

let warnings: string[];
const note = (warning: Error): void => void warnings.push(warning.message);
beforeEach(() => {
  warnings = [];
  process.on('warning', note);
});
afterEach(() => process.off('warning', note));

/** Beyond the number of listeners at which Node warns, which is ten. */
const MANY = 25;
const many = <Value>(make: (index: number) => Value): Value[] =>
  Array.from({ length: MANY }, (_, index) => make(index));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('onAbort', () => {
  test('calls every callback once, in order', () => {
    const controller = new AbortController();
    const called: number[] = [];
    many((index) => onAbort(controller.signal, () => called.push(index)));
    controller.abort();
    controller.abort();
    expect(called).toEqual(many((index) => index));
  });

  test('skips a removed callback, even one removed by another', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const same = (): void => void called.push('same');
    const stopFirst = onAbort(controller.signal, same);
    onAbort(controller.signal, same);
    const stopThird = onAbort(controller.signal, () => called.push('third'));
    stopFirst();
    stopFirst();
    onAbort(controller.signal, stopThird);
    stopThird();
    controller.abort();
    expect(called).toEqual(['same']);
  });

  test('has one listener on a signal while callbacks are registered, and none afterwards', () => {
    const { signal } = new AbortController();
    const listeners: string[] = [];
    const spied = Object.assign(signal, {
      addEventListener: () => listeners.push('added'),
      removeEventListener: () => listeners.push('removed'),
    });
    for (let round = 0; round < 2; round += 1) for (const stop of many(() => onAbort(spied, () => undefined))) stop();
    expect(listeners).toEqual(['added', 'removed', 'added', 'removed']);
  });

  test('never calls back without a signal', () => {
    expect(onAbort(undefined, () => undefined)()).toBeUndefined();
  });
});

describe('Node warns of no leak', () => {
  test('when one signal ends watches, waits and requests in the process', async () => {
    await using running = await startTestServer();
    const maps = running.client.resource(ConfigMap).namespace('default');
    const { signal, abort } = abortable();
    const ended = many(() => [
      maps
        .watch({ signal })
        .next()
        .catch(() => undefined),
      maps.get('a', { resourceVersion: '1000', signal }).catch(() => undefined),
      maps.list({ resourceVersion: '1000', signal }).catch(() => undefined),
      delay(running.clock, 1000, signal),
      sendWithin(
        ({ signal: own }) => new Promise((_resolve, reject) => onAbort(own, () => reject(new Error('gone')))),
        { method: 'GET', url: 'https://nowhere.example', maxBytes: 1, signal },
        { clock: createManualClock(), timeoutMs: 1000 },
      ).catch(() => undefined),
    ]);
    await running.settled();
    await turn();
    abort();
    await Promise.all(ended.flat());
    await turn();
    expect(warnings).toEqual([]);
  });

  test('when one signal ends requests of a transport', async () => {
    await using running = await startTestServer();
    const handle = toFetchHandler(running.server);
    const { signal, abort } = abortable();
    const answers = await Promise.all(
      many((index) => handle(new Request(`http://server/${index % 2 === 0 ? 'readyz' : 'apis'}`, { signal }))),
    );
    for (const answer of answers) await answer.text();
    await turn();
    abort();
    expect(warnings).toEqual([]);
  });
});

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
