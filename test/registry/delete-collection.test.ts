import { describe, expect, test } from 'vitest';
import { errors } from '../../src/foundation/errors/api-error.js';
import type { StoredObject } from '../../src/foundation/objects/object.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { decorateStorage, StorageError, type StorageEvent } from '../../src/entries/storage.js';
import { createManualClock } from '../../src/entries/testing.js';
import { freezingStorage } from '../support/freezing-storage.js';
import { configMap, ConfigMaps, metadataOf, namesOf, refusal } from './registry.js';

const KEYS = '/registry/configmaps/default/';
const SEVERAL = 40;

/** ConfigMaps in an engine whose removals wait until the test lets them go on. */
function world(commitsInOrder: boolean | undefined) {
  const engine = freezingStorage(createMemoryStorage({ clock: createManualClock() }));
  const gate = {
    /** Removals that were called and have not been done. */
    waiting: [] as (() => void)[],
    isOpen: true,
    reads: 0,
    /** Called with the name before the removal of each object. */
    before: undefined as ((name: string) => Promise<unknown> | undefined) | undefined,
  };
  const storage = decorateStorage(engine, {
    commitsInOrder,
    get: (key, options) => {
      gate.reads += 1;
      return engine.get(key, options);
    },
    delete: async (key, ...given) => {
      if (!gate.isOpen) await new Promise<void>((resolve) => gate.waiting.push(resolve));
      await gate.before?.(key.slice(KEYS.length));
      return engine.delete(key, ...given);
    },
  });
  const maps = new ConfigMaps({ storage });
  const seen: StorageEvent[] = [];
  const follow = async (): Promise<void> => {
    engine.watch(KEYS, await engine.currentRevision(), {
      events: (events) => void seen.push(...events),
      progress: () => undefined,
      end: () => undefined,
    });
  };
  return {
    maps,
    gate,
    async fill(count: number): Promise<readonly string[]> {
      const names = Array.from({ length: count }, (_, index) => `m${String(index).padStart(2, '0')}`);
      for (const name of names) await maps.create(name);
      await follow();
      gate.reads = 0;
      return names;
    },
    /** Runs something once, just before an object is removed. */
    beforeRemoval(of: string, run: () => Promise<unknown>): void {
      gate.before = (name) => {
        if (name !== of) return undefined;
        gate.before = undefined;
        return run();
      };
    },
    deleteAll: (admit?: (old: StoredObject) => void | Promise<void>, more: object = {}) =>
      maps.store.deleteCollection(maps.registry.context, 'default', {}, { admit, ...more }),
    /** The writes since {@link fill}: `delete m00`. */
    writes: () => seen.map(({ type, key }) => `${type} ${key.slice(KEYS.length)}`),
    left: async () => namesOf(maps.store, await maps.store.list('default', {})),
  };
}

/** Lets everything run that waits for nothing but settled promises. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits until so many removals wait at a gate, and for any further one. */
async function waitingAt(gate: { readonly waiting: readonly unknown[] }, count: number): Promise<void> {
  while (gate.waiting.length < count) await settled();
  await settled();
}

const deletions = (names: readonly string[]): string[] => names.map((name) => `delete ${name}`);
const nameIn = (old: StoredObject): string => old.metadata.name ?? '';

describe.each([
  ['an engine that commits in order', true],
  ['any other engine', undefined],
])('deletecollection on %s', (_, commitsInOrder) => {
  test('removes the listed versions in the order of the list, without reading them again', async () => {
    const { fill, deleteAll, maps, gate, writes } = world(commitsInOrder);
    const names = await fill(SEVERAL);
    const admitted: string[] = [];
    const page = await deleteAll((old) => void admitted.push(nameIn(old)));
    expect(namesOf(maps.store, page)).toEqual(names);
    expect(admitted).toEqual(names);
    expect(writes()).toEqual(deletions(names));
    expect(gate.reads).toBe(0);
  });

  test('ends at the first object that is refused: what comes before it is gone, what comes after it stays', async () => {
    const { fill, deleteAll, writes, left } = world(commitsInOrder);
    const names = await fill(SEVERAL);
    const admitted: string[] = [];
    const admit = (old: StoredObject): void => {
      admitted.push(nameIn(old));
      if (nameIn(old) === 'm05') throw errors.badRequest('not this one');
    };
    expect(await refusal(deleteAll(admit))).toMatchObject({ code: 400, message: 'not this one' });
    expect(admitted).toEqual(names.slice(0, 6));
    expect(writes()).toEqual(deletions(names.slice(0, 5)));
    expect(await left()).toEqual(names.slice(5));
  });

  test('is refused by a precondition that the first object does not meet', async () => {
    const { fill, deleteAll, writes } = world(commitsInOrder);
    await fill(3);
    expect(await refusal(deleteAll(undefined, { preconditions: { uid: 'other' } }))).toMatchObject({ code: 409 });
    expect(writes()).toEqual([]);
  });

  test('deletes an object that was changed since the list in its new version', async () => {
    const { fill, deleteAll, maps, beforeRemoval, writes } = world(commitsInOrder);
    await fill(3);
    const admitted: unknown[] = [];
    beforeRemoval('m01', () => maps.replace('m01', { data: { k: 'new' } }));
    await deleteAll((old) => {
      if (nameIn(old) === 'm01') admitted.push((old as { data?: unknown }).data);
    });
    expect(admitted).toEqual([undefined, { k: 'new' }]);
    expect(writes().filter((write) => write.endsWith('m01'))).toEqual(['update m01', 'delete m01']);
    expect(writes().filter((write) => write.startsWith('delete'))).toHaveLength(3);
  });

  test('only marks an object that got a finalizer since the list', async () => {
    const { fill, deleteAll, maps, beforeRemoval, left } = world(commitsInOrder);
    await fill(3);
    beforeRemoval('m01', () => maps.replace('m01', { finalizers: ['example.com/f'] }));
    await deleteAll();
    expect(await left()).toEqual(['m01']);
    const record = await maps.store.get('default', 'm01');
    expect(metadataOf(maps.store, record).deletionTimestamp).toBeDefined();
  });

  test('ignores an object that is gone already', async () => {
    const { fill, deleteAll, maps, beforeRemoval, left } = world(commitsInOrder);
    await fill(3);
    beforeRemoval('m01', () => maps.delete('m01'));
    await deleteAll();
    expect(await left()).toEqual([]);
  });

  test('judges the present version of an object when the listed one is refused', async () => {
    const { fill, deleteAll, maps, left } = world(commitsInOrder);
    await fill(3);
    await deleteAll(async (old) => {
      const { data } = old as { data?: unknown };
      if (nameIn(old) !== 'm01' || data !== undefined) return;
      await maps.replace('m01', { data: { k: 'now allowed' } });
      throw errors.badRequest('not without data');
    });
    expect(await left()).toEqual([]);
  });

  test('reads the objects of an earlier state: one that is gone is not judged', async () => {
    const { fill, maps, left } = world(commitsInOrder);
    await fill(3);
    const then = String(await maps.registry.storage.currentRevision());
    await maps.delete('m01');
    const admitted: string[] = [];
    const list = { resourceVersion: then, resourceVersionMatch: 'Exact' };
    await maps.store.deleteCollection(maps.registry.context, 'default', list, {
      admit: (old) => void admitted.push(nameIn(old)),
    });
    expect(admitted).toEqual(['m00', 'm02']);
    expect(await left()).toEqual([]);
  });

  test('keeps the order around an object that is only marked', async () => {
    const { fill, deleteAll, maps, writes } = world(commitsInOrder);
    await maps.store.create(maps.registry.context, 'default', configMap('m01x', { finalizers: ['example.com/f'] }));
    await fill(4);
    await deleteAll();
    expect(writes()).toEqual(['delete m00', 'delete m01', 'update m01x', 'delete m02', 'delete m03']);
  });

  test('reports the first error of the storage, after all that was begun has ended', async () => {
    const { fill, deleteAll, gate, left } = world(commitsInOrder);
    const names = await fill(SEVERAL);
    const tried: string[] = [];
    gate.before = async (name) => {
      tried.push(name);
      if (Number(name.slice(1)) >= 3) throw new StorageError('Unavailable', { message: `no disk at ${name}` });
    };
    const error = await refusal(deleteAll());
    expect(error).toMatchObject({ code: 500, reason: 'ServerTimeout' });
    expect(error.cause).toMatchObject({ message: 'no disk at m03' });
    const begun = tried.length;
    await settled();
    expect(tried).toHaveLength(begun);
    expect(await left()).toEqual(names.slice(3));
  });
});

test('an engine that commits in order has up to 32 removals at a time', async () => {
  const { fill, deleteAll, gate, left } = world(true);
  await fill(SEVERAL);
  gate.isOpen = false;
  const deleting = deleteAll();
  await waitingAt(gate, 32);
  expect(gate.waiting).toHaveLength(32);
  gate.isOpen = true;
  for (const go of gate.waiting.splice(0)) go();
  await deleting;
  expect(await left()).toEqual([]);
});

test('any other engine has one removal at a time, and judges an object after the removal of the one before it', async () => {
  const { fill, deleteAll, gate } = world(undefined);
  await fill(3);
  gate.isOpen = false;
  const admitted: string[] = [];
  const deleting = deleteAll((old) => void admitted.push(nameIn(old)));
  for (const names of [['m00'], ['m00', 'm01'], ['m00', 'm01', 'm02']]) {
    await waitingAt(gate, 1);
    expect(admitted).toEqual(names);
    expect(gate.waiting).toHaveLength(1);
    gate.waiting.pop()?.();
  }
  await deleting;
});
