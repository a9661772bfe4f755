/** The initial states of a user's watches are sent a few at a time, in slices of the request's work. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';
import { WatchPace } from '../../src/server/endpoints/watch-pace.js';
import { InitialStates, type InitialState } from '../../src/server/operations/initial-states.js';
import { LabelSelector } from '../../src/machinery/index.js';
import { ConfigMaps } from '../registry/registry.js';
import { ask, streamOf } from './ask.js';

/** Sends the events of an initial state; returns what tells how many have been sent. */
function sending(state: InitialState, events: number): { readonly sent: () => number; readonly over: Promise<void> } {
  let sent = 0;
  const send = async (): Promise<void> => {
    while (sent < events) {
      await state.proceed();
      sent += 1;
      state.handedOut();
      await nextTurn();
    }
    state.end();
  };
  return { sent: () => sent, over: send() };
}

describe('the initial states of a user', () => {
  test('are sent a few at a time, in the order in which they began', async () => {
    const states = new InitialStates(2);
    const all = [0, 1, 2, 3, 4].map(() => sending(states.begin('alice'), 3));
    const other = sending(states.begin('bob'), 3);
    await nextTurn();
    expect(all.map(({ sent }) => sent() > 0)).toEqual([true, true, false, false, false]);
    expect(other.sent()).toBeGreaterThan(0);
    await all[1]?.over;
    await nextTurn();
    expect(all.map(({ sent }) => sent() > 0)).toEqual([true, true, true, true, false]);
    await Promise.all(all.map(({ over }) => over));
  });

  test('do not wait for a client that does not ask for the next event, which then continues first', async () => {
    const states = new InitialStates(1);
    const [blocked, second, third] = [states.begin('alice'), states.begin('alice'), states.begin('alice')];
    expect(blocked.proceed()).toBeUndefined();
    blocked.handedOut();
    const order: string[] = [];
    const follow = (name: string, state: InitialState): void =>
      void Promise.resolve(state.proceed()).then(() => order.push(name));
    follow('second', second);
    follow('third', third);
    await Promise.resolve();
    expect(order).toEqual([]);
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    expect(order).toEqual(['second']);
    follow('blocked', blocked);
    second.end();
    await Promise.resolve();
    expect(order).toEqual(['second', 'blocked']);
    blocked.end();
    await Promise.resolve();
    expect(order).toEqual(['second', 'blocked', 'third']);
    third.end();
  });

  test('keep their place while the client asks in time', async () => {
    const states = new InitialStates(1);
    const [first, second] = [states.begin('alice'), states.begin('alice')];
    let isSecond = false;
    expect(first.proceed()).toBeUndefined();
    void Promise.resolve(second.proceed()).then(() => (isSecond = true));
    for (let events = 0; events < 10; events += 1) {
      first.handedOut();
      await nextTurn();
      expect(first.proceed()).toBeUndefined();
    }
    expect(isSecond).toBe(false);
    first.end();
    await Promise.resolve();
    expect(isSecond).toBe(true);
  });

  test('that end while they wait let their watch end', async () => {
    const states = new InitialStates(1);
    const [first, second, third] = [states.begin('alice'), states.begin('alice'), states.begin('alice')];
    expect(first.proceed()).toBeUndefined();
    const waiting = second.proceed();
    const next = third.proceed();
    second.end();
    await waiting;
    expect(second.proceed()).toBeUndefined();
    first.end();
    first.end();
    await next;
    third.end();
  });

  test('have no limit with 0', () => {
    const states = new InitialStates(0);
    for (let count = 0; count < 20; count += 1) expect(states.begin('alice').proceed()).toBeUndefined();
  });
});

const OBJECTS = 40;

describe('watches over HTTP', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = new ApiServer({
      dialect: 'kubernetes',
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
    const maps = server.client().resource(ConfigMap).namespace('default');
    for (let index = 0; index < OBJECTS; index += 1)
      await maps.create({ metadata: { name: `map-${index}`, labels: { index: String(index) } } });
  });
  afterEach(() => server.close());

  test('20 of a user get their initial states eight at a time, and all of them in the end', async () => {
    const streams = await Promise.all(
      Array.from({ length: 20 }, async () =>
        streamOf(await ask(server, 'GET', '/api/v1/namespaces/default/configmaps?watch=1')),
      ),
    );
    const counts = streams.map(() => 0);
    const begun: number[] = [];
    let ended = 0;
    let most = 0;
    await Promise.all(
      streams.map(async (stream, index) => {
        while ((counts[index] ?? 0) < OBJECTS) {
          await stream.next();
          if (counts[index] === 0) begun.push(index);
          counts[index] = (counts[index] ?? 0) + 1;
          most = Math.max(most, begun.length - ended);
        }
        ended += 1;
        // The next event is asked for, so the state ends.
        void stream.next();
      }),
    );
    expect(most).toBeLessThanOrEqual(9);
    // The order in which they may begin is tested above. Their first events come when their pages have been read.
    expect(begun.toSorted((a, b) => a - b)).toEqual(streams.map((_, index) => index));
    for (const stream of streams) await stream.return?.();
  });

  test('a client that reads nothing does not keep others of its user waiting', async () => {
    const open = async (): Promise<AsyncIterator<Uint8Array>> =>
      streamOf(await ask(server, 'GET', '/api/v1/namespaces/default/configmaps?watch=1'));
    const unread = await Promise.all(Array.from({ length: 8 }, open));
    for (const stream of unread) await stream.next();
    const reader = await open();
    for (let count = 0; count < OBJECTS; count += 1) expect((await reader.next()).done).toBe(false);
    for (const stream of [...unread, reader]) await stream.return?.();
  });
});

/** Work whose slices are used up after some units; it counts them. */
function countingWork(unitsPerSlice: number): { readonly work: Work; slices: number; measured: number } {
  let left = unitsPerSlice;
  const counted = {
    slices: 1,
    measured: 0,
    work: {
      ...UNBOUNDED_WORK,
      spend: (units: number) => (left -= units) <= 0,
      next: () => {
        left = unitsPerSlice;
        counted.slices += 1;
        return nextTurn();
      },
      measure: <Result>(step: () => Result): Result => {
        counted.measured += 1;
        return step();
      },
    },
  };
  return counted;
}

describe('the pace of a watch request', () => {
  const frame = new Uint8Array(32 * 60);
  /** Sends frames of 100 units each. */
  async function send(pace: WatchPace, frames: number): Promise<void> {
    for (let sent = 0; sent < frames;) {
      const turn = pace.turn();
      if (turn === undefined) sent += pace.handOut(Array.from({ length: frames - sent }, () => frame)).length;
      else await turn;
    }
    pace.end();
  }

  test('makes as many frames in a step as fit into a slice of its work', async () => {
    const counted = countingWork(500);
    const pace = new WatchPace({ context: counted, scope: { initialState: undefined, watchSeat: undefined } });
    await send(pace, 52);
    expect(counted).toMatchObject({ slices: 11, measured: 11 });
  });

  test('makes no more than 64 KiB in a step', async () => {
    const counted = countingWork(1_000_000);
    const pace = new WatchPace({ context: counted, scope: { initialState: undefined, watchSeat: undefined } });
    await send(pace, 350);
    // 35 frames of 1920 bytes in each.
    expect(counted).toMatchObject({ slices: 10, measured: 10 });
  });

  test('takes its turn among the initial states of the user, and gives up its place and its seat at the end', async () => {
    const states = new InitialStates(1);
    const [first, initialState] = [states.begin('alice'), states.begin('alice')];
    expect(first.proceed()).toBeUndefined();
    let initialized = 0;
    const watchSeat = { initialized: () => void (initialized += 1), ended: () => undefined };
    const counted = countingWork(500);
    const sent = send(new WatchPace({ context: counted, scope: { initialState, watchSeat } }), 10);
    await nextTurn();
    expect(counted.measured).toBe(0);
    first.end();
    await sent;
    expect(counted.measured).toBe(2);
    expect(initialized).toBe(1);
    expect(states.begin('alice').proceed()).toBeUndefined();
  });

  test('ends the watch when its request is over', async () => {
    const registry = new ConfigMaps();
    await registry.create('a');
    await registry.create('b');
    const { work } = countingWork(1);
    const over = new ApiError({ message: 'over', code: 504, reason: 'Timeout' });
    const pace = new WatchPace({
      context: { work: { ...work, next: () => Promise.reject(over) } },
      scope: { initialState: undefined, watchSeat: undefined },
    });
    const notices = await registry.store.watch('default', { initialPace: pace });
    expect((await notices.next()).value).toMatchObject({ type: 'ADDED' });
    expect((await notices.next()).value).toMatchObject({ type: 'ERROR', status: { code: 504 } });
    expect((await notices.next()).done).toBe(true);
  });
});

test('a watch pauses among objects that its selector does not match', async () => {
  const registry = new ConfigMaps();
  for (let index = 0; index < 100; index += 1) await registry.create(`map-${index}`, { labels: { app: 'a' } });
  let [turns, spent, ends] = [0, 0, 0];
  const notices = await registry.store.watch('default', {
    labelSelector: LabelSelector.parse('app!=a'),
    // The index of the labels leaves out no object that cannot be read.
    onUnreadable: () => undefined,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
    initialPace: {
      turn: () => void (turns += 1),
      spend: (units) => {
        spent += 1;
        expect(units).toBeGreaterThan(4);
        return spent % 10 === 0;
      },
      measure: (step) => step(),
      end: () => void (ends += 1),
    },
  });
  expect((await notices.next()).value).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
  expect(spent).toBe(100);
  // One for each ten objects, and one for the end of the page.
  expect(turns).toBeGreaterThanOrEqual(11);
  expect(ends).toBe(1);
  await notices.return?.();
  expect(ends).toBe(1);
});
