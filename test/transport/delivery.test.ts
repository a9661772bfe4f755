import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { Delivery, type Stopped } from '../../src/transport/node/responses/delivery.js';

/** The time of the host, which stands still. */
let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => now.mockRestore());
});

/** A stream that hands out what a test puts into it. */
class FakeStream {
  readonly delivery: Delivery;
  readonly #log: string[];
  readonly #name: string;
  readonly #chunks: string[] = [];
  #ready: (() => void) | undefined;
  over = false;
  open = true;

  constructor(log: string[], name: string) {
    this.#log = log;
    this.#name = name;
    this.delivery = new Delivery(
      (ready) => {
        const chunk = this.#chunks.shift();
        if (chunk === undefined) {
          this.#ready = ready;
          return this.over ? 'next' : 'later';
        }
        this.#log.push(`${this.#name} takes ${chunk}`);
        return Buffer.from(chunk);
      },
      {
        write: (chunk) => {
          this.#log.push(`${this.#name} writes ${Buffer.from(chunk).toString()}`);
          return this.open;
        },
        end: () => undefined,
      },
    );
  }

  put(...chunks: string[]): void {
    this.#chunks.push(...chunks);
    const ready = this.#ready;
    this.#ready = undefined;
    ready?.();
  }
}

test('what is there is delivered at once', () => {
  const log: string[] = [];
  const stream = new FakeStream(log, 'a');
  stream.put('1', '2');
  stream.over = true;
  expect(stream.delivery.run()).toBe('next');
  expect(log).toEqual(['a takes 1', 'a writes 1', 'a takes 2', 'a writes 2']);
});

test('streams that become ready in one turn take one after another, and then write one after another', async () => {
  const log: string[] = [];
  const [a, b] = [new FakeStream(log, 'a'), new FakeStream(log, 'b')];
  void a.delivery.run();
  void b.delivery.run();
  a.put('1', '2');
  b.put('1');
  expect(log).toEqual([]);
  await nextTurn();
  expect(log).toEqual(['a takes 1', 'b takes 1', 'a writes 1', 'b writes 1', 'a takes 2', 'a writes 2']);
  b.put('2');
  await nextTurn();
  expect(log.slice(6)).toEqual(['b takes 2', 'b writes 2']);
});

test('nothing is taken for a client without room', async () => {
  const log: string[] = [];
  const stream = new FakeStream(log, 'a');
  const stopped = stream.delivery.run();
  stream.open = false;
  stream.put('1', '2');
  expect(await stopped).toBe('blocked');
  stream.put('3');
  await nextTurn();
  expect(log).toEqual(['a takes 1', 'a writes 1']);
  expect(stream.delivery.run()).toBe('blocked');
  expect(log.slice(2)).toEqual(['a takes 2', 'a writes 2']);
});

test('a stream whose next step has to be awaited stops, and does not hold up others', async () => {
  const log: string[] = [];
  const [a, b] = [new FakeStream(log, 'a'), new FakeStream(log, 'b')];
  const stopped = a.delivery.run();
  void b.delivery.run();
  a.over = true;
  a.put();
  b.put('1');
  expect(await stopped).toBe('next');
  expect(log).toEqual(['b takes 1', 'b writes 1']);
});

test('a stream that is stopped while it waits takes nothing more', async () => {
  const log: string[] = [];
  const stream = new FakeStream(log, 'a');
  const stopped = stream.delivery.run();
  stream.put('1');
  stream.delivery.stop();
  expect(await stopped).toBe('next');
  await nextTurn();
  expect(log).toEqual([]);
});

test('one turn serves 64 streams', async () => {
  const log: string[] = [];
  const streams = Array.from({ length: 150 }, (_, index) => new FakeStream(log, String(index)));
  const runs: (Stopped | Promise<Stopped>)[] = streams.map(({ delivery }) => delivery.run());
  for (const stream of streams) stream.put('1');
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    counts.push(log.length / 2);
  }
  expect(counts).toEqual([64, 128, 150]);
  for (const { delivery } of streams) delivery.stop();
  await Promise.all(runs);
});

test('a slice that large chunks use up ends the turn; those that were served least continue first', async () => {
  const log: string[] = [];
  const streams = Array.from({ length: 40 }, (_, index) => new FakeStream(log, String(index)));
  const runs: (Stopped | Promise<Stopped>)[] = streams.map(({ delivery }) => delivery.run());
  for (const stream of streams) stream.put('1', '2');
  const taken = (): string[] => log.filter((line) => line.includes('takes'));
  // Each look at the time finds the slice used up.
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10));
  const counts: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    await nextTurn();
    counts.push(taken().length);
  }
  expect(counts).toEqual([16, 32, 48, 64, 80, 80]);
  // Nobody gets a second chunk before all have got the first.
  expect(taken().slice(0, 40)).toEqual(streams.map((_, index) => `${index} takes 1`));
  for (const { delivery } of streams) delivery.stop();
  await Promise.all(runs);
});
