import { describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { StoreMirror } from '../../src/registry/index.js';
import { decorateStorage, type Storage, type StorageRecord, type StorageWatchSink } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { configMap, createRegistry } from './registry.js';

/** A storage whose watches the test can end, whose lists it can make fail, and a key whose value it can make unreadable. */
function breakable(inner: Storage): {
  readonly storage: Storage;
  readonly sinks: StorageWatchSink[];
  failures: number;
  sealedKey: string | undefined;
} {
  const state = { sinks: [] as StorageWatchSink[], failures: 0, sealedKey: undefined as string | undefined };
  const sealed = (record: StorageRecord): StorageRecord => {
    const missing = (): Error | undefined => (record.key === state.sealedKey ? new Error('no key matches') : undefined);
    if (missing() === undefined) return record;
    return {
      key: record.key,
      modRevision: record.modRevision,
      createRevision: record.createRevision,
      get text() {
        const error = missing();
        if (error !== undefined) throw error;
        return record.text;
      },
      decoded: undefined,
      unreadable: missing,
    };
  };
  const storage = decorateStorage(inner, {
    watch: (prefix, revision, sink) => {
      state.sinks.push(sink);
      return inner.watch(prefix, revision, sink);
    },
    list: async (prefix, options) => {
      if (state.failures > 0) {
        state.failures -= 1;
        throw new Error('no storage');
      }
      const page = await inner.list(prefix, options);
      const records = page.records.map(sealed);
      const error = options?.acceptsUnreadable === true ? undefined : firstUnreadable(records);
      if (error !== undefined) throw error;
      return { ...page, records };
    },
  });
  return Object.assign(state, { storage });
}

const firstUnreadable = (records: readonly StorageRecord[]): Error | undefined =>
  records.map((record) => record.unreadable?.()).find((error) => error !== undefined);

describe('a mirror of a store', () => {
  const setUp = () => {
    const broken = breakable(createMemoryStorage({ clock: createManualClock() }));
    const { clock, context, store: storeOf } = createRegistry({ storage: broken.storage });
    const store = storeOf(ConfigMap);
    const put = async (name: string, v: string): Promise<void> => {
      const made = () => configMap(name, { data: { v } });
      await store.update(context, 'default', name, made).catch(() => store.create(context, 'default', made()));
    };
    const drop = (name: string) => store.delete(context, 'default', name);
    const seen = new Map<string, unknown>();
    const errors: unknown[] = [];
    const unreadable: string[] = [];
    const mirror = new StoreMirror(
      store,
      {
        present: (key, object) => void seen.set(key, (object['data'] as { v: string }).v),
        absent: (key) => void seen.delete(key),
      },
      { clock, onError: (error) => errors.push(error), onUnreadable: (key) => unreadable.push(key) },
    );
    return { clock, broken, put, drop, seen, errors, unreadable, mirror };
  };

  test('contains the existing objects, and each write before it is acknowledged', async () => {
    const { put, drop, seen, mirror } = setUp();
    await put('a', '1');
    await mirror.start();
    expect([...seen]).toEqual([['/registry/configmaps/default/a', '1']]);
    await put('b', '1');
    await put('a', '2');
    expect(Object.fromEntries(seen)).toEqual({
      '/registry/configmaps/default/a': '2',
      '/registry/configmaps/default/b': '1',
    });
    await drop('a');
    expect([...seen.keys()]).toEqual(['/registry/configmaps/default/b']);
  });

  test('lists again when its watch fails and drops objects deleted meanwhile; a failing storage is retried', async () => {
    const { clock, broken, put, drop, seen, errors, mirror } = setUp();
    await put('a', '1');
    await put('b', '1');
    await mirror.start();
    const before = clock.pending;
    broken.failures = 2;
    broken.sinks.at(-1)?.end({ kind: 'failed', error: new Error('cut') });
    expect(clock.pending).toBe(before + 1);
    await clock.advance(100);
    await clock.advance(200);
    expect(errors.map(String)).toEqual(['Error: cut', 'Error: no storage', 'Error: no storage']);
    expect([...seen.values()]).toEqual(['1', '1']);
    await clock.advance(400);
    await put('a', '3');
    expect(seen.get('/registry/configmaps/default/a')).toBe('3');
    await drop('b');
    expect(seen.size).toBe(1);
  });

  const STRANGE = '/registry/configmaps/default/strange';
  const encodings: readonly [what: string, encode: (revision: number) => string][] = [
    [
      'another kind',
      (revision) =>
        JSON.stringify({
          kind: 'Blueprint',
          apiVersion: 'v1',
          metadata: { name: 'strange', resourceVersion: String(revision) },
        }),
    ],
    ['no JSON', () => 'nonsense'],
    ['truncated JSON', () => '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"strange"'],
    [
      'an object without the fields that the sink reads',
      (revision) =>
        JSON.stringify({
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { name: 'strange', resourceVersion: String(revision) },
        }),
    ],
  ];

  test.each(encodings)('skips %s, and follows all others', async (_what, encode) => {
    const {
      broken: { storage },
      put,
      drop,
      seen,
      errors,
      unreadable,
      mirror,
    } = setUp();
    await put('a', '1');
    await storage.create(STRANGE, encode);
    await put('z', '1');
    await mirror.start();
    expect([...seen.values()]).toEqual(['1', '1']);
    expect(unreadable).toEqual([STRANGE]);
    await put('a', '2');
    await drop('z');
    expect([...seen.values()]).toEqual(['2']);
    expect(errors).toEqual([]);
  });

  test.each(encodings)(
    'treats an object replaced by %s as absent, until it can be read again',
    async (_what, encode) => {
      const {
        broken: { storage },
        put,
        drop,
        seen,
        errors,
        unreadable,
        mirror,
      } = setUp();
      await put('a', '1');
      await put('strange', '1');
      await mirror.start();
      const { record } = await storage.get(STRANGE);
      const { modRevision } = await storage.update(STRANGE, encode, record?.modRevision ?? 0);
      expect([...seen.keys()]).toEqual(['/registry/configmaps/default/a']);
      await drop('a');
      expect([[...seen], unreadable, errors]).toEqual([[], [STRANGE], []]);
      await storage.delete(STRANGE, encode, modRevision);
      await put('strange', '3');
      expect([...seen]).toEqual([[STRANGE, '3']]);
    },
  );

  test('follows the others beside a value that lacks its key, says so once, and reads it once the key is there', async () => {
    const { clock, broken, put, drop, seen, errors, unreadable, mirror } = setUp();
    await put('a', '1');
    await put('strange', '1');
    broken.sealedKey = STRANGE;
    await mirror.start();
    expect([[...seen.keys()], unreadable]).toEqual([['/registry/configmaps/default/a'], [STRANGE]]);
    await clock.advance(100);
    await clock.advance(200);
    await put('a', '2');
    expect([[...seen.values()], unreadable]).toEqual([['2'], [STRANGE]]);
    broken.sealedKey = undefined;
    await clock.advance(30_000);
    expect([[...seen.values()], unreadable, errors]).toEqual([['2', '1'], [STRANGE], []]);
    const lists = clock.pending;
    await drop('strange');
    await clock.advance(60_000);
    expect([[...seen.values()], clock.pending]).toEqual([['2'], lists]);
  });

  test('continues when the error callback throws', async () => {
    const broken = breakable(createMemoryStorage({ clock: createManualClock() }));
    const { clock, context, store: storeOf } = createRegistry({ storage: broken.storage });
    const store = storeOf(ConfigMap);
    const seen = new Set<string>();
    const fail = (): void => {
      throw new Error('the logger is broken');
    };
    const mirror = new StoreMirror(
      store,
      { present: (key) => void seen.add(key), absent: (key) => void seen.delete(key) },
      { clock, onError: fail, onUnreadable: fail },
    );
    await broken.storage.create(STRANGE, () => 'nonsense');
    await mirror.start();
    broken.failures = 1;
    broken.sinks.at(-1)?.end({ kind: 'failed', error: new Error('cut') });
    await clock.advance(100);
    await clock.advance(200);
    await store.create(context, 'default', configMap('a'));
    expect([...seen]).toEqual(['/registry/configmaps/default/a']);
  });

  test('is silent once it is stopped', async () => {
    const { clock, broken, put, seen, mirror } = setUp();
    await mirror.start();
    mirror.stop();
    broken.sinks.at(-1)?.end({ kind: 'failed', error: new Error('cut') });
    await clock.advance(100_000);
    await put('a', '1');
    expect(seen.size).toBe(0);
  });
});
