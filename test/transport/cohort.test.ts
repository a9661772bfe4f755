import { expect, onTestFinished, test, vi } from 'vitest';
import { connectionAccepted } from '../../src/foundation/async/arrivals.js';
import { nextTurn } from '../../src/foundation/async/turn.js';
import type { ApiRequest, ApiResponse } from '../../src/server/requests/http.js';
import { Cohort } from '../../src/transport/cohort.js';
import { listen } from '../../src/transport/node/listening/listen.js';
import { RawClient } from './support/raw-client.js';

/** Replaces the time of the host for a test. */
const hostTime = (now: () => number): void => {
  const spy = vi.spyOn(performance, 'now').mockImplementation(now);
  onTestFinished(() => spy.mockRestore());
};

test('requests of one turn start together in the next one, in their order', async () => {
  hostTime(() => 0);
  const cohort = new Cohort();
  const started: number[] = [];
  for (const index of [0, 1, 2]) cohort.join(() => started.push(index));
  await Promise.resolve();
  expect(started).toEqual([]);
  await nextTurn();
  expect(started).toEqual([0, 1, 2]);
});

test('answers that are there are sent when all requests of the turn have started', async () => {
  let nowMs = 0;
  hostTime(() => (nowMs += 1));
  const cohort = new Cohort();
  const steps: string[] = [];
  for (const name of ['a', 'b', 'c'])
    cohort.join(
      () => steps.push(`start ${name}`),
      () => steps.push(`send ${name}`),
    );
  await nextTurn();
  expect(steps).toEqual(['start a', 'start b', 'send a', 'send b']);
  await nextTurn();
  expect(steps.slice(4)).toEqual(['start c', 'send c']);
});

test('one turn starts 32 requests, and those that follow wait for the next one', async () => {
  hostTime(() => 0);
  const cohort = new Cohort();
  let started = 0;
  const join = (): void => cohort.join(() => void (started += 1));
  for (let index = 0; index < 70; index += 1) join();
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await nextTurn();
    counts.push(started);
    if (turn === 1) join();
  }
  expect(counts).toEqual([32, 64, 71, 71]);
});

test('requests whose start takes long begin in several turns, in their order', async () => {
  let nowMs = 0;
  hostTime(() => (nowMs += 1));
  const cohort = new Cohort();
  const started: number[] = [];
  for (let index = 0; index < 5; index += 1) cohort.join(() => started.push(index));
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await nextTurn();
    counts.push(started.length);
  }
  expect(counts).toEqual([2, 4, 5, 5]);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('clients take turns with the requests that one turn cannot start, each with its own in their order', async () => {
  let nowMs = 0;
  hostTime(() => (nowMs += 1));
  const cohort = new Cohort();
  const started: string[] = [];
  const join = (name: string): void =>
    cohort.join(
      () => void started.push(name),
      undefined,
      () => name.charAt(0),
    );
  for (let index = 0; index < 100; index += 1) join(`a${index}`);
  for (const name of ['b0', 'b1', 'c0']) join(name);
  await nextTurn();
  expect(started).toEqual(['a0', 'a1']);
  await nextTurn();
  join('d0');
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(started.slice(2)).toEqual(['a2', 'b0', 'c0', 'a3', 'b1', 'd0', 'a4', 'a5']);
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  expect(started).toHaveLength(104);
});

test('a request that arrives while others start does not overtake those of its client', async () => {
  let nowMs = 0;
  hostTime(() => (nowMs += 1));
  const cohort = new Cohort();
  const started: number[] = [];
  const join = (name: number): void => cohort.join(() => void started.push(name));
  cohort.join(() => {
    started.push(0);
    join(4);
  });
  for (const name of [1, 2, 3]) join(name);
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('requests wait while each turn accepts a connection, for a bounded time', async () => {
  let nowMs = 0;
  hostTime(() => nowMs);
  const cohort = new Cohort();
  const started: number[] = [];
  const turn = async (index: number, hasAccepted: boolean): Promise<void> => {
    cohort.join(() => void started.push(index));
    if (hasAccepted) connectionAccepted();
    await nextTurn();
    nowMs += 3;
  };
  await turn(0, true);
  await turn(1, true);
  expect(started).toEqual([]);
  await turn(2, false);
  expect(started).toEqual([0, 1, 2]);
  for (const index of [3, 4, 5]) await turn(index, true);
  expect(started).toHaveLength(3);
  await turn(6, true);
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await turn(7, true);
  expect(started).toHaveLength(7);
  await nextTurn();
  expect(started).toHaveLength(8);
});

test('a cohort that has started is followed by another', async () => {
  const cohort = new Cohort();
  await new Promise<void>((resolve) => cohort.join(resolve));
  await new Promise<void>((resolve) => cohort.join(resolve));
});

/** Several attempts, because the system may deliver the requests of one attempt in two turns. */
const ATTEMPTS = 20;

test('a listener handles requests of different connections side by side', async () => {
  let log: string[] = [];
  const handle = async ({ path }: ApiRequest): Promise<ApiResponse> => {
    log.push(`begin ${path}`);
    await Promise.resolve();
    log.push(`end ${path}`);
    return { status: 200, headers: {}, body: `answer to ${path}` };
  };
  const listener = await listen({ handle });
  onTestFinished(() => listener.close({ grace: 0 }));
  const clients = [new RawClient(listener.address.port), new RawClient(listener.address.port)];
  const ask = async (attempt: number): Promise<void> => {
    for (const client of clients) client.write(`GET /${attempt} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await Promise.all(clients.map((client) => client.until(`answer to /${attempt}`)));
  };
  await ask(0);
  const orders = new Set<string>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    log = [];
    await ask(attempt);
    orders.add(log.map((line) => line.split(' ')[0]).join(' '));
  }
  expect(orders).toContain('begin begin end end');
});

test('a listener serves another client between the requests of one that sends many', async () => {
  let started: string[] = [];
  const handle = ({ path }: ApiRequest): Promise<ApiResponse> => {
    started.push(path);
    return Promise.resolve({ status: 200, headers: {}, body: `answer to ${path}` });
  };
  const listener = await listen({ handle });
  onTestFinished(() => listener.close({ grace: 0 }));
  // Each start uses its turn up.
  let nowMs = 0;
  hostTime(() => (nowMs += 10));
  const get = (path: string, token: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const many = Array.from({ length: 60 }, () => new RawClient(listener.address.port));
  const one = new RawClient(listener.address.port);
  const places: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    started = [];
    for (const client of many) client.write(get(`/many/${attempt}`, 'a'));
    one.write(get(`/one/${attempt}`, 'b'));
    const all = [one.until(`answer to /one/${attempt}`), ...many.map((m) => m.until(`answer to /many/${attempt}`))];
    await Promise.all(all);
    expect(started).toHaveLength(61);
    places.push(started.indexOf(`/one/${attempt}`));
  }
  expect(Math.min(...places)).toBeLessThan(30);
});
