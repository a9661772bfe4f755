import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import type { MemoryStorageOptions } from '../../../src/storage/memory/index.js';
import type {
  Revision,
  Storage,
  StorageEvent,
  StorageWatchEnd,
  StorageWatchSink,
} from '../../../src/entries/storage.js';
import { ManualClock } from '../manual-clock.js';

const text = (value: string) => (): string => value;

function setUp(options: Omit<MemoryStorageOptions, 'clock'> = {}): { clock: ManualClock; storage: Storage } {
  const clock = new ManualClock();
  return { clock, storage: createMemoryStorage({ clock, ...options }) };
}

function record(
  onEvents: (events: readonly StorageEvent[]) => void = () => undefined,
): StorageWatchSink & { log: string[]; ends: StorageWatchEnd[] } {
  const log: string[] = [];
  const ends: StorageWatchEnd[] = [];
  return {
    log,
    ends,
    events(events) {
      for (const event of events) log.push(`${event.type} ${event.key}@${event.revision}`);
      onEvents(events);
    },
    progress: (revision: Revision) => void log.push(`progress ${revision}`),
    end: (reason) => void ends.push(reason),
  };
}

async function update(storage: Storage, key: string, value: string): Promise<Revision> {
  const current = (await storage.get(key)).record;
  return (await storage.update(key, text(value), current?.modRevision ?? 0)).modRevision;
}

describe('memory storage: revisions', () => {
  it('starts at revision 1, so that the first write gets 2', async () => {
    const { storage } = setUp();
    expect(await storage.currentRevision()).toBe(1);
    expect((await storage.create('/a', (revision) => `text of ${revision}`)).text).toBe('text of 2');
  });

  it('commits and delivers before the call returns', async () => {
    const { storage } = setUp();
    const sink = record();
    storage.watch('/', 1, sink);
    const written = storage.create('/a', text('x'));
    expect(sink.log).toEqual(['create /a@2']);
    await written;
  });

  it('changes nothing when an encoder throws', async () => {
    const { storage } = setUp();
    const broken = (): string => {
      throw new Error('broken');
    };
    await expect(storage.create('/a', broken)).rejects.toThrow('broken');
    expect(await storage.get('/a')).toEqual({ record: undefined, revision: 1 });
    const created = await storage.create('/a', text('x'));
    await expect(storage.update('/a', broken, created.modRevision)).rejects.toThrow('broken');
    await expect(storage.delete('/a', broken, created.modRevision)).rejects.toThrow('broken');
    expect(await storage.get('/a')).toEqual({ record: created, revision: 2 });
  });

  it('leaves decoded undefined when it is not given', async () => {
    const { storage } = setUp();
    const created = await storage.create('/a', text('x'), { decoded: { x: 1 } });
    expect((await storage.update('/a', text('x'), created.modRevision)).decoded).toBeUndefined();
    expect((await storage.delete('/a', text('x'), created.modRevision + 1)).decoded).toBeUndefined();
  });
});

describe('memory storage: history', () => {
  it('keeps an event for its time and no longer', async () => {
    const { clock, storage } = setUp({ history: 1000 });
    await storage.create('/a', text('1'));
    clock.advance(600);
    await update(storage, '/a', '2');
    clock.advance(400);
    expect(await storage.compactedRevision()).toBe(0);
    expect((await storage.list('/', { revision: 1 })).records).toEqual([]);
    clock.advance(1);
    expect(await storage.compactedRevision()).toBe(2);
    await expect(storage.list('/', { revision: 1 })).rejects.toMatchObject({ code: 'Compacted', revision: 2 });
    expect((await storage.list('/', { revision: 2 })).records[0]?.text).toBe('1');
  });

  it('takes the time as a text', async () => {
    const { clock, storage } = setUp({ history: '1m30s' });
    await storage.create('/a', text('1'));
    clock.advance(90_000);
    expect(await storage.compactedRevision()).toBe(0);
    clock.advance(1);
    expect(await storage.compactedRevision()).toBe(2);
  });

  it.each([-1, Number.NaN, 'soon'])('refuses the time %o', (history) => {
    expect(() => setUp({ history })).toThrow(
      'createMemoryStorage: the option history must be milliseconds, or a string such as "5s"',
    );
  });

  it.each<[object, string]>([
    [{ historyMs: 5 }, 'the option historyMs is history now'],
    [{ maxHistoryEvent: 5 }, 'unknown option "maxHistoryEvent"; did you mean "maxHistoryEvents"?'],
    [{ clock: undefined }, 'the option clock is required'],
  ])('refuses %j', (options, message) => {
    expect(() => setUp(options)).toThrow(message);
  });

  it('keeps five minutes by default', async () => {
    const { clock, storage } = setUp();
    await storage.create('/a', text('1'));
    clock.advance(300_000);
    expect(await storage.compactedRevision()).toBe(0);
    clock.advance(1);
    expect(await storage.compactedRevision()).toBe(2);
  });

  it('lets a watch start from the current revision however old the last write is', async () => {
    const { clock, storage } = setUp({ history: 1000 });
    await storage.create('/a', text('1'));
    clock.advance(1_000_000);
    const [present, past] = [record(), record()];
    storage.watch('/', 2, present);
    storage.watch('/', 1, past);
    await storage.create('/b', text('1'));
    expect([present.log, present.ends]).toEqual([['create /b@3'], []]);
    expect([past.log, past.ends]).toEqual([[], [{ kind: 'compacted', compactRevision: 2 }]]);
  });

  it.each([
    ['number of events', { maxHistoryEvents: 10 }, 91],
    // Each event counts 256 bytes, and most also the 102 of the previous version.
    ['bytes of the events with the texts that only the history holds', { maxHistoryBytes: 10 * (256 + 102) }, 91],
    ['none at all', { maxHistoryEvents: 0 }, 101],
  ])('is bounded by the %s', async (_, options, compacted) => {
    const { storage } = setUp(options);
    await storage.create('/a', text('x'.repeat(100)));
    for (let step = 0; step < 99; step++) await update(storage, '/a', 'x'.repeat(100));
    expect([await storage.currentRevision(), await storage.compactedRevision()]).toEqual([101, compacted]);
  });

  it('counts the text of a deleted version', async () => {
    const { storage } = setUp({ maxHistoryBytes: 256 + 256 + 150 });
    const created = await storage.create('/a', text('x'.repeat(100)));
    await storage.delete('/a', text('y'.repeat(100)), created.modRevision);
    expect(await storage.compactedRevision()).toBe(2);
  });

  it('keeps the newest event, however large it is', async () => {
    const { storage } = setUp({ maxHistoryBytes: 1 });
    await storage.create('/a', text('x'.repeat(100)));
    await update(storage, '/a', 'y'.repeat(100));
    const sink = record();
    storage.watch('/', await storage.compactedRevision(), sink);
    expect([await storage.compactedRevision(), sink.log]).toEqual([2, ['update /a@3']]);
  });

  it('neither forgets early nor keeps longer when the wall clock steps back', async () => {
    const { clock, storage } = setUp({ history: 1000 });
    await storage.create('/a', text('1'));
    clock.jump(-5000);
    await update(storage, '/a', '2');
    expect(await storage.compactedRevision()).toBe(0);
    clock.jump(6001);
    expect(await storage.compactedRevision()).toBe(3);
  });

  it('survives growth and shrinking of the ring', async () => {
    const { clock, storage } = setUp({ history: 1000 });
    for (let round = 0; round < 4; round++) {
      const start = await storage.currentRevision();
      for (let step = 0; step < 700; step++) await storage.create(`/${round}/${step}`, text('x'));
      const sink = record();
      storage.watch('/', start + 1, sink);
      expect(sink.log).toHaveLength(699);
      clock.advance(round % 2 === 0 ? 1001 : 500);
    }
    expect(await storage.compactedRevision()).toBe(1 + 3 * 700);
  });
});

describe('memory storage: watches', () => {
  it('isolates the sinks: one that throws fails alone', async () => {
    const { storage } = setUp();
    const error = new Error('sink');
    const broken = record(() => {
      throw error;
    });
    const worse = {
      ...record(),
      events: (): void => {
        throw error;
      },
      end: (): void => {
        throw error;
      },
    };
    const sound = [record(), record()];
    storage.watch('/a/', 1, sound[0] ?? broken);
    storage.watch('/a/', 1, broken);
    storage.watch('', 1, worse);
    storage.watch('/a/', 1, sound[1] ?? broken);
    await storage.create('/a/1', text('x'));
    await storage.create('/a/2', text('x'));
    expect(broken.ends).toEqual([{ kind: 'failed', error }]);
    expect(broken.log).toEqual(['create /a/1@2']);
    for (const sink of sound) expect(sink.log).toEqual(['create /a/1@2', 'create /a/2@3']);
  });

  it('ends a watch whose sink throws during the replay', async () => {
    const { storage } = setUp();
    await storage.create('/a/1', text('x'));
    const broken = record(() => {
      throw new Error('sink');
    });
    storage.watch('/a/', 1, broken);
    await storage.create('/a/2', text('x'));
    expect([broken.log, broken.ends.map((end) => end.kind)]).toEqual([['create /a/1@2'], ['failed']]);
  });

  it('keeps one order for all sinks, even if one of them writes against the rules', async () => {
    const { storage } = setUp();
    const writing: Promise<unknown>[] = [];
    const first = record((events) => {
      if (events[0]?.key === '/a/1') writing.push(storage.create('/a/2', text('x')));
    });
    const second = record();
    storage.watch('/a/', 1, first);
    storage.watch('/a/', 1, second);
    await storage.create('/a/1', text('x'));
    await Promise.all(writing);
    for (const sink of [first, second]) expect(sink.log).toEqual(['create /a/1@2', 'create /a/2@3']);
  });

  it('lets a sink stop itself, stop another and start a third', async () => {
    const { storage } = setUp();
    const third = record();
    const second = record();
    const first = record(() => {
      handles.forEach((handle) => handle.stop());
      storage.watch('/a/', 1, third);
    });
    const handles = [first, second].map((sink) => storage.watch('/a/', 1, sink));
    await storage.create('/a/1', text('x'));
    await storage.create('/a/2', text('x'));
    expect([first.log, second.log]).toEqual([['create /a/1@2'], []]);
    expect(third.log).toEqual(['create /a/1@2', 'create /a/2@3']);
  });

  it('reports progress at once, at the end of a delivery, and when the missed events end before the current revision', async () => {
    const { storage } = setUp();
    await storage.create('/b/1', text('x'));
    const sink = record(() => handle.requestProgress());
    const handle = storage.watch('/a/', 1, sink);
    handle.requestProgress();
    await storage.create('/a/1', text('x'));
    handle.stop();
    handle.requestProgress();
    expect(sink.log).toEqual(['progress 2', 'progress 2', 'create /a/1@3', 'progress 3']);
  });

  it('delivers to the prefixes on the path of the key and to no others', async () => {
    const { storage } = setUp();
    const unrelated = Array.from({ length: 2000 }, () => record());
    unrelated.forEach((sink, index) => storage.watch(`/registry/pods/ns-${index}/`, 1, sink));
    const related = ['/', '/registry/', '/registry/pods/', '/registry/pods/ns/', '/registry/pods/ns/p', ''].map(
      (prefix) => {
        const sink = record();
        storage.watch(prefix, 1, sink);
        return sink;
      },
    );
    for (let step = 0; step < 2000; step++) await storage.create(`/registry/pods/ns/p${step}`, text('x'));
    for (const sink of related) expect(sink.log).toHaveLength(2000);
    for (const sink of unrelated) expect(sink.log).toHaveLength(0);
  });
});

describe('memory storage: expiry', () => {
  it('runs one timer for the earliest expiry, and none without expiries', async () => {
    const { clock, storage } = setUp();
    for (let step = 0; step < 100; step++)
      await storage.create(`/${step}`, text('x'), { ttl: 1000 + ((step * 37) % 100) });
    expect(clock.pending).toBe(1);
    clock.advance(1049);
    expect((await storage.list('/')).records).toHaveLength(50);
    expect(clock.pending).toBe(1);
    clock.advance(50);
    expect((await storage.list('/')).records).toHaveLength(0);
    expect(clock.pending).toBe(0);
  });

  it('stamps the last version with the new revision and reports the time', async () => {
    const { clock, storage } = setUp();
    await storage.create('/a', text('x'), {
      ttl: 1000,
      decoded: { x: 1 },
      encodeExpired: (revision) => `expired at ${revision}`,
    });
    await storage.create('/b', text('x'));
    const events: StorageEvent[] = [];
    storage.watch(
      '/',
      3,
      record((delivered) => void events.push(...delivered)),
    );
    clock.advance(1000);
    expect(events).toMatchObject([
      {
        type: 'delete',
        key: '/a',
        revision: 4,
        record: { text: 'expired at 4', createRevision: 2 },
        previous: { text: 'x' },
      },
    ]);
    expect(events[0]?.record.decoded).toBeUndefined();
  });

  it("checks again when a timer fires early, as one beyond the host's range does", async () => {
    const clock = new ManualClock();
    const reach = 100;
    const storage = createMemoryStorage({
      clock: { now: () => clock.now(), after: (ms, callback) => clock.after(Math.min(ms, reach), callback) },
    });
    await storage.create('/a', text('x'), { ttl: 350 });
    clock.advance(349);
    expect((await storage.get('/a')).record).toBeDefined();
    clock.advance(1);
    expect((await storage.get('/a')).record).toBeUndefined();
  });

  it('cancels its timer on close', async () => {
    const { clock, storage } = setUp();
    await storage.create('/a', text('x'), { ttl: 1000 });
    await storage.close();
    expect(clock.pending).toBe(0);
  });
});

describe('memory storage: old states', () => {
  it('reads more snapshots at once than it caches', async () => {
    const { storage } = setUp();
    for (let step = 0; step < 60; step++) await storage.create(`/a/${String(step).padStart(2, '0')}`, text('x'));
    for (let round = 0; round < 2; round++) {
      for (let revision = 1; revision <= 61; revision++) {
        const page = await storage.list('/a/', { revision, limit: 5 });
        expect(page.records.length + page.remaining).toBe(revision - 1);
      }
      await update(storage, '/a/00', `round ${round}`);
    }
  });
});
