/** A watch from a version that has passed gets the events since then at its pace, as an initial state. */
import { expect, test } from 'vitest';
import { nextTurn } from '../../src/foundation/index.js';
import { LabelSelector } from '../../src/machinery/index.js';
import type { InitialPace } from '../../src/registry/index.js';
import { WatchStream, type WatchNotice } from '../../src/registry/watch/watch.js';
import { configMap, ConfigMaps } from './registry.js';

const EVENTS = 40;

/** A pace that counts, and asks for another turn after each ten units of work that it is told of. */
class CountingPace implements InitialPace {
  turns = 0;
  spent = 0;
  measured = 0;
  ends = 0;

  turn(): undefined {
    this.turns += 1;
  }

  spend(): boolean {
    this.spent += 1;
    return this.spent % 10 === 0;
  }

  measure<Result>(step: () => Result): Result {
    this.measured += 1;
    return step();
  }

  end(): void {
    this.ends += 1;
  }
}

async function filled(labels: (index: number) => Record<string, string> = () => ({})): Promise<ConfigMaps> {
  const maps = new ConfigMaps();
  for (let index = 0; index < EVENTS; index += 1) await maps.create(`map-${index}`, { labels: labels(index) });
  return maps;
}

async function opened(maps: ConfigMaps, options: Parameters<ConfigMaps['watch']>[0]): Promise<WatchStream> {
  const watch = await maps.watch(options);
  if (!(watch instanceof WatchStream)) throw new Error('not a stream');
  return watch;
}

const nameOf = (notice: WatchNotice | undefined): string =>
  notice !== undefined && 'record' in notice ? (notice.record.key.split('/').at(-1) ?? '') : '';

test('the events since then are counted, and may be taken several in a step', async () => {
  const maps = await filled();
  const pace = new CountingPace();
  const watch = await opened(maps, { resourceVersion: '1', initialPace: pace });
  expect(watch.isPaced).toBe(true);
  const names = [nameOf((await watch.next()).value)];
  for (let notice = watch.takeFormer(); notice !== undefined; notice = watch.takeFormer()) names.push(nameOf(notice));
  expect(names).toEqual(Array.from({ length: EVENTS }, (_, index) => `map-${index}`));
  expect(pace).toMatchObject({ spent: EVENTS, ends: 0 });
  // Later events have no pace.
  const later = watch.next();
  await maps.registry.clock.settle();
  expect([watch.isPaced, pace.ends]).toEqual([false, 1]);
  await maps.create('later');
  expect(nameOf((await later).value)).toBe('later');
  expect(pace.spent).toBe(EVENTS);
  await watch.return();
  expect(pace.ends).toBe(1);
});

test('a reader that takes events without a wait waits for their turns', async () => {
  const maps = await filled();
  const watch = await opened(maps, { resourceVersion: '1', initialPace: new CountingPace() });
  expect(watch.take(() => undefined)).toBe('next');
  for (let count = 0; count < EVENTS; count += 1) await watch.next();
  const next = watch.next();
  await maps.create('later');
  expect(nameOf((await next).value)).toBe('later');
  await maps.create('last');
  let taken = watch.take(() => undefined);
  // On a busy machine the turn may be used up.
  for (; taken === 'next'; taken = watch.take(() => undefined)) await nextTurn();
  expect(typeof taken === 'string' ? taken : nameOf(taken)).toBe('last');
  await watch.return();
});

test('a watch pauses among events that its selector does not match', async () => {
  const maps = await filled((index) => ({ app: index === EVENTS - 1 ? 'b' : 'a' }));
  const pace = new CountingPace();
  const watch = await opened(maps, {
    resourceVersion: '1',
    labelSelector: LabelSelector.parse('app=b'),
    initialPace: pace,
  });
  expect(nameOf((await watch.next()).value)).toBe(`map-${EVENTS - 1}`);
  expect(pace.spent).toBe(EVENTS);
  expect(pace.turns).toBe(EVENTS / 10);
  expect(pace.measured).toBe(EVENTS / 10);
  await watch.return();
});

test('a watch that ends before it has got them ends its pace', async () => {
  const maps = await filled();
  const pace = new CountingPace();
  const watch = await opened(maps, { resourceVersion: '1', initialPace: pace });
  await watch.next();
  await watch.return();
  expect(pace.ends).toBe(1);
});

test('a watch from the current version has no pace', async () => {
  const maps = await filled();
  const { metadata } = maps.store.read(await maps.store.create(maps.registry.context, 'default', configMap('a')));
  const pace = new CountingPace();
  const watch = await opened(maps, { resourceVersion: metadata.resourceVersion ?? '', initialPace: pace });
  expect([watch.isPaced, pace.ends]).toEqual([false, 1]);
  await watch.return();
});
