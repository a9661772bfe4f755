/** Lines that a client of the page has not read: how many wait, and what they count. */
import { expect, test } from 'vitest';
import { createManualClock } from '../../src/entries/testing.js';
import { MemoryBudget } from '../../src/storage/index.js';
import { lineStream } from '../../src/ui/endpoints/line-stream.js';

function open(memoryBytes = 1_000_000) {
  const budget = new MemoryBudget({ memoryBytes, historyBytes: 0 });
  let send = (_value: object): void => undefined;
  const clock = createManualClock();
  const parts = {
    ...{ clock, ended: new AbortController().signal },
    openRecordings: (giveUp: (bytes: number) => void) => budget.openCache('recordings', giveUp),
  };
  const { body } = lineStream({ scope: { signal: new AbortController().signal }, parts }, (sink) => {
    send = sink.send;
    return () => undefined;
  });
  const lines = body.stream[Symbol.asyncIterator]();
  const next = async (): Promise<string> => Buffer.from((await lines.next()).value as Uint8Array).toString();
  return { budget, next, send: (value: object) => send(value), end: () => lines.return?.() };
}

const long = { text: 'x'.repeat(10_000) };

test('count until they are read, and are left out beyond 32 KiB', async () => {
  const { budget, next, send } = open();
  expect(await next()).toBe('\n');
  for (let sent = 0; sent < 10; sent += 1) send(long);
  expect(budget.usedFor('recordings')).toBe(4 * JSON.stringify(long).length);
  expect((await next()).trimEnd().split('\n').at(-1)).toBe('{"missed":6}');
  expect(budget.usedFor('recordings')).toBe(0);
});

test('are given up when memory is short, and the client is told', async () => {
  const { budget, next, send } = open(30_000);
  await next();
  send(long);
  send(long);
  expect(budget.open('bodies').tryHold(25_000)).toBe(true);
  expect(budget.usedFor('recordings')).toBe(0);
  send({ text: 'short' });
  expect(await next()).toBe('{"text":"short"}\n{"missed":2}\n');
});

test('count no longer when the stream has ended', async () => {
  const { budget, next, send, end } = open();
  await next();
  send(long);
  await end();
  send(long);
  expect(budget.usedFor('recordings')).toBe(0);
});
