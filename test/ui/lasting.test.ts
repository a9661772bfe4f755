import { describe, expect, test } from 'vitest';
import { ApiFailure, send } from '../../src/ui/web/data/api.js';
import { Batches } from '../../src/ui/web/data/batches.js';
import type { PageClock } from '../../src/ui/web/data/clock.js';
import { draftKeyOf, Drafts } from '../../src/ui/web/data/drafts.js';
import type { PageKind } from '../../src/ui/web/data/kinds.js';
import { nextText, type Loss } from '../../src/ui/web/data/loss.js';
import { persist, repeatWhileSeen } from '../../src/ui/web/data/persist.js';
import { SameStore } from '../../src/ui/web/data/same-store.js';
import { keepsMs } from '../../src/ui/web/data/sight.js';
import { keyOf, newestOf, type ShownWrite } from '../../src/ui/web/data/writes.js';
import { StillClock, TestTab } from './still.js';

/** A clock whose timers fire at once, and which remembers them. */
function quickClock(): { readonly clock: PageClock; readonly pauses: number[] } {
  const pauses: number[] = [];
  const after = (ms: number, callback: () => void): (() => void) => {
    pauses.push(ms);
    queueMicrotask(callback);
    return () => undefined;
  };
  return { clock: { now: () => 0, after }, pauses };
}

function storeOf(kept: Map<string, string>) {
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

/** Waits until all that is ready has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the store behind the page', () => {
  const answer =
    (status = 200) =>
    (): Promise<Response> =>
      Promise.resolve(new Response('', { status }));
  const failed = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'));
  /** @param stores what the server answers when it is asked; undefined for a failure */
  const watched = (...stores: (string | undefined)[]) => {
    const seen = { asked: 0, startedOver: 0 };
    const clock = new StillClock();
    const store = new SameStore({
      clock,
      read() {
        seen.asked += 1;
        const [told] = stores.length > 1 ? stores.splice(0, 1) : stores;
        return told === undefined ? Promise.reject(new Error('no answer')) : Promise.resolve(told);
      },
      startOver: () => void (seen.startedOver += 1),
    });
    return { store, seen, clock };
  };

  test('is asked for only after requests have failed, and once for all views', async () => {
    const { store, seen } = watched('a');
    expect(store.know('a')).toBe(false);
    expect((await store.send('https://host/api/v1/pods', answer())).status).toBe(200);
    expect((await store.send('https://host/api/v1/pods', answer(404))).status).toBe(404);
    expect(seen.asked).toBe(0);
    await expect(store.send('https://host/api/v1/pods', failed)).rejects.toThrow('Failed to fetch');
    await Promise.all([
      store.send('https://host/api/v1/pods', answer()),
      store.send('https://host/api/v1/pods', answer()),
    ]);
    await store.send('https://host/api/v1/pods', answer());
    expect(seen).toEqual({ asked: 1, startedOver: 0 });
    // A server in between that reaches none.
    expect((await store.send('https://host/api/v1/pods', answer(503))).status).toBe(503);
    await store.send('https://host/api/v1/pods', answer());
    expect(seen).toEqual({ asked: 2, startedOver: 0 });
  });

  test('is asked for before a stream is opened, unless it was told just now', async () => {
    const { store, seen, clock } = watched('a', 'a', 'a', 'b');
    store.know('a');
    const follow = (): Promise<Response> => store.send('https://host/ui/v1/counts/follow', answer());
    const watch = (): Promise<Response> => store.send('https://host/api/v1/pods?watch=1&resourceVersion=5', answer());
    clock.advance(100);
    await Promise.all([follow(), watch()]);
    expect(seen.asked).toBe(0);
    clock.advance(1);
    await Promise.all([follow(), watch()]);
    expect(seen.asked).toBe(1);
    clock.advance(101);
    for (const path of ['pods', 'pods?labelSelector=watch%3D1', 'pods?limit=1', 'configmaps/watch=1', 'follow/x'])
      await store.send(`https://host/api/v1/${path}`, answer());
    expect(seen.asked).toBe(1);
    await store.send('https://host/ui/v1/writes/follow?limit=1', answer());
    await store.send('https://host/api/v1/pods?fieldSelector=metadata.name%3Da&watch=true', answer());
    expect(seen.asked).toBe(2);
    clock.advance(101);
    await watch();
    clock.advance(101);
    await expect(watch()).rejects.toThrow('another store');
    expect(seen).toEqual({ asked: 4, startedOver: 1 });
  });

  test('is asked for after a stream has ended, before what lists again', async () => {
    const { store, seen } = watched('a', 'b');
    store.know('a');
    const watch = (body: BodyInit) =>
      store.send('https://host/api/v1/pods?watch=1', () => Promise.resolve(new Response(body, { status: 200 })));
    const list = (): Promise<Response> => store.send('https://host/api/v1/pods', answer());
    const told = await watch('an event');
    await list();
    expect(seen.asked).toBe(0);
    expect(await told.text()).toBe('an event');
    await list();
    expect(seen.asked).toBe(1);
    // One that the page leaves says nothing about the server.
    await (await watch(new ReadableStream())).body?.cancel();
    const left = new ReadableStream({ start: (controller) => controller.error(new DOMException('', 'AbortError')) });
    await expect((await watch(left)).text()).rejects.toThrow();
    await list();
    expect(seen.asked).toBe(1);
    const lost = new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) });
    await expect((await watch(lost)).text()).rejects.toThrow('network error');
    await expect(list()).rejects.toThrow('another store');
    expect(seen).toEqual({ asked: 2, startedOver: 1 });
  });

  test('does not become doubtful by a request that the page ends itself', async () => {
    const { store, seen } = watched('b');
    store.know('a');
    await expect(
      store.send('https://host/api/v1/pods', () => Promise.reject(new DOMException('', 'AbortError'))),
    ).rejects.toThrow();
    await store.send('https://host/api/v1/pods', answer());
    expect(seen).toEqual({ asked: 0, startedOver: 0 });
  });

  test('ends the views once when it is another one, which send it nothing', async () => {
    const { store, seen } = watched(undefined, '', 'b');
    store.know('a');
    await expect(store.send('https://host/api/v1/pods', failed)).rejects.toThrow();
    // A server that cannot say it, or not to a stranger, is asked again.
    await store.send('https://host/api/v1/pods', answer());
    await store.send('https://host/api/v1/pods', answer());
    expect(seen).toEqual({ asked: 2, startedOver: 0 });
    await expect(store.send('https://host/api/v1/pods', answer())).rejects.toThrow(ApiFailure);
    expect(seen).toEqual({ asked: 3, startedOver: 1 });
    // The views of the new store.
    await store.send('https://host/api/v1/pods', answer());
    expect(seen).toEqual({ asked: 3, startedOver: 1 });
  });

  test('may also turn out to be another one when somebody signs in again', () => {
    const { store } = watched('b');
    expect([
      store.know(''),
      store.know('a'),
      store.know(''),
      store.know('a'),
      store.know('b'),
      store.know('b'),
    ]).toEqual([...[false, false, false, false, true, false]]);
  });
});

describe('drafts', () => {
  const kept = new Map<string, string>();
  const draftsOf = (user: string): Drafts => {
    const drafts = new Drafts(storeOf(kept));
    drafts.become(user);
    return drafts;
  };

  test('outlive a reload, but those of Secrets do not', () => {
    const drafts = draftsOf('alice');
    drafts.keep('a', { text: 'mine', base: { kind: 'A' } }, true);
    drafts.keep('secret', { text: 'hunter2' }, false);
    expect(drafts.of('secret')?.text).toBe('hunter2');
    expect(JSON.stringify([...kept])).not.toContain('hunter2');
    const reloaded = draftsOf('alice');
    expect(reloaded.of('a')).toMatchObject({ text: 'mine', base: { kind: 'A' } });
    expect(reloaded.of('secret')).toBeUndefined();
    reloaded.drop('a');
    expect([reloaded.any, kept.size]).toEqual([false, 0]);
  });

  test('are given to nobody else, and forgotten at the end', () => {
    draftsOf('alice').keep('a', { text: 'mine' }, true);
    expect(draftsOf('bob').of('a')).toBeUndefined();
    expect(draftsOf('alice').of('a')).toBeUndefined();
    const drafts = draftsOf('alice');
    drafts.keep('a', { text: 'mine' }, true);
    // Somebody who signs in again is the same user.
    drafts.become('alice');
    expect(drafts.of('a')?.text).toBe('mine');
    drafts.forget();
    expect([drafts.any, kept.size]).toEqual([false, 0]);
  });

  test('of another object of the same name are found, and no others', () => {
    const drafts = draftsOf('alice');
    const kind = { group: '', version: 'v1', plural: 'configmaps' } as PageKind;
    drafts.keep(draftKeyOf(kind, 'shop', 'web', 'u-1'), { text: 'mine' }, true);
    for (const [namespace, name] of [
      ['shop', 'we'],
      ['sho', 'web'],
      [undefined, 'web'],
    ] as const)
      expect(drafts.ofOther(draftKeyOf(kind, namespace, name, 'u-2'))).toBeUndefined();
    expect(drafts.ofOther(draftKeyOf(kind, 'shop', 'web', 'u-1'))).toBeUndefined();
    const other = drafts.ofOther(draftKeyOf(kind, 'shop', 'web', 'u-2'));
    expect(other?.text).toBe('mine');
    expect(drafts.ofOther(draftKeyOf(kind, 'shop', 'web'))?.key).toBe(other?.key);
  });

  test('that the browser cannot store stay in the memory of the tab', () => {
    const drafts = draftsOf('alice');
    drafts.keep('large', { text: 'x'.repeat(3_000_000) }, true);
    drafts.keep('integer', { text: 'x', base: { spec: 2n ** 64n } }, true);
    expect([drafts.of('large')?.text.length, drafts.any, kept.size]).toEqual([3_000_000, true, 0]);
  });

  test('are none where what is stored means nothing', () => {
    for (const text of ['{}', '[]', 'null', '{"user":"alice","drafts":[1,["a"],["a",{}],[2,{"text":"x"}]]}']) {
      kept.set('drafts', text);
      expect(draftsOf('alice').any).toBe(false);
    }
  });
});

describe('what is to last', () => {
  const { sight } = new TestTab(new StillClock());

  test('is tried again after growing pauses, until it works', async () => {
    const { clock, pauses } = quickClock();
    const lost: (string | undefined)[] = [];
    const outcomes = [new Error('a'), new ApiFailure(401, 'b'), new ApiFailure(503, 'c'), 'ended', 'done'] as const;
    let attempts = 0;
    await persist(
      (works) => {
        const outcome = outcomes[attempts++] ?? 'done';
        if (typeof outcome !== 'string') return Promise.reject(outcome);
        works();
        return Promise.resolve(outcome);
      },
      { clock, sight, signal: new AbortController().signal, lost: (loss) => lost.push(loss?.words) },
    );
    expect(pauses).toEqual([200, 400, 800, 200]);
    expect(lost).toEqual(['a', 'b', 'c', undefined, undefined]);
  });

  test('tells since when it does not work, and when it is tried again', async () => {
    const clock = new StillClock();
    const told: (Loss | undefined)[] = [];
    const leaving = new AbortController();
    const fails = [true, true, false, true];
    const lasting = persist(
      (works) => {
        if (fails.shift() === true) return Promise.reject(new ApiFailure(503, 'away', fails.length === 2 ? 7000 : 0));
        works();
        return Promise.resolve('ended');
      },
      { clock, sight, signal: leaving.signal, lost: (loss) => told.push(loss) },
    );
    for (const ms of [1000, 0, 200, 7000, 200]) {
      clock.advance(ms);
      await settled();
    }
    leaving.abort();
    await lasting;
    const words = 'away';
    expect(told).toEqual([
      { words, since: 1000, nextAt: 1200 },
      // The server asks for a longer pause.
      { words, since: 1000, nextAt: 8200 },
      undefined,
      // Lost again.
      { words, since: 8400, nextAt: 8800 },
    ]);
    const texts = [1000, 1199, 1200, 5000].map((now) => nextText({ words, since: 1000, nextAt: 1200 }, now));
    expect(texts).toEqual([', tries again in 1 s', ', tries again in 1 s', ', tries again now', ', tries again now']);
    expect(nextText({ words, since: 1000, nextAt: 9000 }, 1200)).toBe(', tries again in 8 s');
    expect(nextText({ words, since: 1000, nextAt: undefined }, 1200)).toBe('');
  });

  test('is not tried again before the time that the server asks for', async () => {
    const { clock, pauses } = quickClock();
    const answers = [new Response('busy', { status: 429, headers: { 'retry-after': '7' } }), new Response('ok')];
    const asked: string[] = [];
    await persist(
      async () => {
        const fetcher: typeof fetch = (to) => {
          asked.push(String(to));
          return Promise.resolve(answers.shift() ?? Response.error());
        };
        await send(new URL('https://host/x'), { fetcher });
        return 'done';
      },
      { clock, sight, signal: new AbortController().signal, lost: () => undefined },
    );
    expect([asked.length, pauses]).toEqual([2, [7000]]);
  });

  test('is not tried again when the server has refused it, and when the view is left', async () => {
    const { clock, pauses } = quickClock();
    const leaving = new AbortController();
    const context = { clock, sight, signal: leaving.signal, lost: () => undefined };
    await expect(persist(() => Promise.reject(new ApiFailure(403, 'no')), context)).rejects.toThrow('no');
    expect(pauses).toEqual([]);
    let attempts = 0;
    await persist(() => {
      attempts += 1;
      leaving.abort();
      return Promise.reject(new Error('lost'));
    }, context);
    expect([attempts, pauses]).toEqual([1, []]);
  });
});

test('items that come one by one are drawn together, the newest of them', async () => {
  const { clock, pauses } = quickClock();
  const drawn: (readonly number[])[] = [];
  const batches = new Batches<number>(clock, 200, 3, (newest) => drawn.push(newest));
  for (let item = 0; item < 5; item += 1) batches.add([item]);
  await Promise.resolve();
  expect([drawn, pauses]).toEqual([[[2, 3, 4]], [200]]);
});

test('the latest writes are the newest first, each once', () => {
  const writeOf = (version: number, name: string): ShownWrite => ({
    ...{ version, name, time: 0, type: 'update', group: '', resource: 'pods', namespace: 'a', manager: '' },
  });
  const before = [writeOf(2, 'b'), writeOf(1, 'a')];
  const all = newestOf(before, [writeOf(2, 'b'), writeOf(3, 'a'), writeOf(3, 'c')], 3);
  expect(all.map(keyOf)).toEqual(['3//pods/a/a', '3//pods/a/c', '2//pods/a/b']);
});

describe('a tab that is hidden', () => {
  test.each([
    ['h2', 300_000],
    ['h3', 300_000],
    ['', 300_000],
    ['http/1.1', 3000],
    ['http/1.0', 3000],
  ])('keeps its streams over the protocol %j for %i ms', (protocol, ms) => {
    expect(keepsMs(protocol)).toBe(ms);
  });

  test('gives up what lasts after its time, and takes it up again once when it is shown', async () => {
    const clock = new StillClock();
    const tab = new TestTab(clock, { keepsMs: 1000 });
    const leaving = new AbortController();
    const lost: (string | undefined)[] = [];
    const signals: AbortSignal[] = [];
    const lasting = persist(
      (works, signal) => {
        signals.push(signal);
        works();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('ended')));
      },
      { clock, sight: tab.sight, signal: leaving.signal, lost: (loss) => lost.push(loss?.words) },
    );
    tab.hide();
    clock.advance(999);
    tab.show();
    clock.advance(5000);
    tab.hide();
    clock.advance(999);
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    clock.advance(1);
    await settled();
    clock.advance(3_600_000);
    await settled();
    expect([signals.map(({ aborted }) => aborted), lost]).toEqual([[true], [undefined, 'nobody saw this tab']]);
    tab.show();
    await settled();
    expect([signals.map(({ aborted }) => aborted), lost.at(-1)]).toEqual([[true, false], undefined]);
    // A view that is left while nobody sees it begins nothing any longer.
    tab.hide();
    clock.advance(1000);
    await settled();
    leaving.abort();
    await lasting;
    tab.show();
    await settled();
    expect(signals).toHaveLength(2);
  });

  test('asks for nothing again before it is shown', async () => {
    const clock = new StillClock();
    const tab = new TestTab(clock);
    const leaving = new AbortController();
    let times = 0;
    const repeated = repeatWhileSeen(100, () => (times += 1), { clock, sight: tab.sight, signal: leaving.signal });
    const pass = async (ms: number): Promise<number> => {
      clock.advance(ms);
      await settled();
      return times;
    };
    expect([await pass(0), await pass(100), await pass(100)]).toEqual([1, 2, 3]);
    tab.hide();
    expect([await pass(100), await pass(60_000)]).toEqual([3, 3]);
    tab.show();
    expect([await pass(0), await pass(99), await pass(1)]).toEqual([4, 4, 5]);
    tab.hide();
    await pass(100);
    leaving.abort();
    await repeated;
    expect(times).toBe(5);
  });

  test('works for a moment if it was opened behind others', () => {
    const clock = new StillClock();
    const { sight } = new TestTab(clock, { isHidden: true });
    clock.advance(2999);
    expect(sight.isSeen).toBe(true);
    clock.advance(1);
    expect(sight.isSeen).toBe(false);
    const seen = new TestTab(clock, { isHidden: true });
    seen.show();
    clock.advance(10_000);
    expect(seen.sight.isSeen).toBe(true);
  });
});
