import type { StorageRecord } from '../../storage/index.js';
import { check, defined, equal, refused } from '../assert.js';
import { createAll, drop, put, readPages, sample, versions, type CaseDefinition, type CaseContext } from './fixture.js';

const PREFIX = '/registry/samples/';

function names(records: readonly StorageRecord[]): string[] {
  return records.map((record) => record.key.slice(PREFIX.length));
}

function keysOf(...list: readonly string[]): string[] {
  return list.map((name) => PREFIX + name);
}

/** Writes a history with every kind of change and records the state after each write. */
async function churn(storage: CaseContext['storage'], writes: number): Promise<Map<number, string[]>> {
  const states = new Map<number, string[]>();
  const live = new Map<string, number>();
  for (let step = 0; step < writes; step++) {
    // A stride coprime to the number of keys visits all keys in mixed order.
    const key = `${PREFIX}k${String((step * 17) % 29).padStart(2, '0')}`;
    const remove = step % 3 === 2 && live.has(key);
    const record = remove ? await drop(storage, key) : await put(storage, key, `v${step}`);
    if (remove) live.delete(key);
    else live.set(key, record.modRevision);
    states.set(
      record.modRevision,
      [...live].sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, revision]) => `${name}@${revision}`),
    );
  }
  return states;
}

/** Cases on reading ranges: prefixes, order, pages, past states, compaction. */
export const readCases: readonly CaseDefinition[] = [
  {
    name: 'list: a prefix selects exactly the keys that start with it',
    async body({ storage }) {
      await createAll(storage, [
        '/registry/a/1',
        '/registry/a-b/1',
        '/registry/ab/1',
        '/registry/a',
        '/registry/b/1',
        '/registry/a/2',
        '/other/a/1',
      ]);
      const table: [prefix: string, keys: string[]][] = [
        ['/registry/a/', ['/registry/a/1', '/registry/a/2']],
        ['/registry/ab/', ['/registry/ab/1']],
        ['/registry/a-b/', ['/registry/a-b/1']],
        ['/registry/a', ['/registry/a', '/registry/a-b/1', '/registry/a/1', '/registry/a/2', '/registry/ab/1']],
        ['/registry/a/1', ['/registry/a/1']],
        ['/registry/c/', []],
        ['/registry/a/1/', []],
        [
          '',
          [
            '/other/a/1',
            '/registry/a',
            '/registry/a-b/1',
            '/registry/a/1',
            '/registry/a/2',
            '/registry/ab/1',
            '/registry/b/1',
          ],
        ],
      ];
      for (const [prefix, keys] of table) {
        const page = await storage.list(prefix);
        equal(
          page.records.map((record) => record.key),
          keys,
          `keys of ${JSON.stringify(prefix)}`,
        );
        equal(page.remaining, 0, 'remaining');
      }
    },
  },
  {
    name: 'list: keys are in the order of their UTF-8 bytes',
    async body({ storage }) {
      const ordered = [
        '-',
        '.',
        '/',
        '0',
        'A',
        '_',
        'a',
        'a!',
        'a-',
        'a/',
        'aa',
        'z',
        'é',
        'я',
        '\u{d7ff}',
        '\u{e000}',
        '\u{fffd}',
        '\u{10000}',
        '😀',
        '😀a',
        '\u{10ffff}',
      ];
      await createAll(
        storage,
        keysOf(...ordered).sort((left, right) => left.length - right.length || (left < right ? 1 : -1)),
      );
      equal(names((await storage.list(PREFIX)).records), ordered, 'order');
      equal(names((await readPages(storage, PREFIX, 4)).records), ordered, 'order over pages');
      equal(names((await storage.list(`${PREFIX}😀`)).records), ['😀', '😀a'], 'prefix beyond the basic plane');
      equal(
        names((await storage.list(PREFIX, { after: `${PREFIX}\u{fffe}` })).records),
        ['\u{10000}', '😀', '😀a', '\u{10ffff}'],
        'after',
      );
    },
  },
  {
    name: 'list: limit bounds the page and remaining counts the rest',
    async body({ storage }) {
      await createAll(storage, [...keysOf('a', 'b', 'c', 'd', 'e'), '/registry/sample', '/registry/samplesz']);
      const table: [limit: number | undefined, keys: string, remaining: number][] = [
        [undefined, 'abcde', 0],
        [0, 'abcde', 0],
        [1, 'a', 4],
        [4, 'abcd', 1],
        [5, 'abcde', 0],
        [6, 'abcde', 0],
        [1000, 'abcde', 0],
      ];
      for (const [limit, keys, remaining] of table) {
        const page = await storage.list(PREFIX, limit === undefined ? {} : { limit });
        equal(names(page.records).join(''), keys, `keys for limit ${limit}`);
        equal(page.remaining, remaining, `remaining for limit ${limit}`);
      }
    },
  },
  {
    name: 'list: a page starts after a key, whether or not the key exists',
    async body({ storage }) {
      await createAll(storage, [...keysOf('b', 'd', 'f'), '/registry/samplez/x', '/registry/a/x']);
      const table: [after: string, keys: string][] = [
        [`${PREFIX}a`, 'bdf'],
        [`${PREFIX}b`, 'df'],
        [`${PREFIX}c`, 'df'],
        [`${PREFIX}f`, ''],
        [`${PREFIX}z`, ''],
        [PREFIX, 'bdf'],
        ['/registry/a/x', 'bdf'],
        ['/registry/samples', 'bdf'],
        ['/registry/samplez', ''],
        ['', 'bdf'],
      ];
      for (const [after, keys] of table) {
        const page = await storage.list(PREFIX, { after });
        equal(names(page.records).join(''), keys, `keys after ${after}`);
        equal(page.remaining, 0, `remaining after ${after}`);
        const limited = await storage.list(PREFIX, { after, limit: 1 });
        equal(names(limited.records).join(''), keys.slice(0, 1), `first key after ${after}`);
        equal(limited.remaining, Math.max(0, keys.length - 1), `remaining behind the first key after ${after}`);
      }
    },
  },
  {
    name: 'list: pages of ten thousand keys contain each key once',
    async body({ storage }) {
      const keys = keysOf(
        ...Array.from({ length: 10_000 }, (_, index) => `ns-${index % 7}/name-${(index * 7919) % 10_000}`),
      );
      for (let from = 0; from < keys.length; from += 500) {
        await Promise.all(keys.slice(from, from + 500).map((key) => storage.create(key, sample('x'))));
      }
      keys.sort();
      for (const limit of [500, 3333]) {
        equal(
          (await readPages(storage, PREFIX, limit)).records.map((record) => record.key),
          keys,
          `keys in pages of ${limit}`,
        );
      }
      const some = keys.filter((key) => key.startsWith(`${PREFIX}ns-3/`));
      equal(
        (await readPages(storage, `${PREFIX}ns-3/`, 100)).records.map((record) => record.key),
        some,
        'keys of a narrower prefix',
      );
    },
  },
  {
    name: 'list: a page has the revision of the store',
    async body({ storage }) {
      await createAll(storage, keysOf('a'));
      const other = await storage.create('/registry/other/x', sample('x'));
      equal((await storage.list(PREFIX)).revision, other.modRevision, 'revision');
      equal((await storage.list('/registry/none/')).revision, other.modRevision, 'revision of an empty page');
    },
  },
  {
    name: 'list: a state that is not older than a revision has its writes',
    async body({ storage }) {
      const [a, b] = await createAll(storage, keysOf('a', 'b'));
      for (const record of [defined(a, 'a'), defined(b, 'b')]) {
        const options = { notOlderThan: record.modRevision };
        equal((await storage.get(record.key, options)).record, record, 'get');
        const page = await storage.list(record.key, options);
        equal(page.records, [record], 'list');
        check(page.revision >= record.modRevision, 'revision of the page');
      }
      const known = storage.knownRevision?.() ?? 0;
      check(known <= (await storage.currentRevision()), 'the known revision has been reached');
      check((await storage.list(PREFIX, { notOlderThan: known })).revision >= known, 'revision of a known state');
      await storage.get(`${PREFIX}a`, { notOlderThan: 0 });
    },
  },
  {
    name: 'past: every kept revision shows exactly its state',
    async body({ storage }) {
      const states = await churn(storage, 120);
      for (const [revision, expected] of states) {
        const page = await storage.list(PREFIX, { revision });
        equal(versions(page.records), expected, `state of revision ${revision}`);
        equal([page.revision, page.remaining], [revision, 0], 'revision and remaining');
      }
    },
  },
  {
    name: 'past: remaining and pages are exact',
    async body({ storage }) {
      const states = await churn(storage, 60);
      for (const [revision, expected] of states) {
        equal(
          versions((await readPages(storage, PREFIX, 3, { revision })).records),
          expected,
          `pages of revision ${revision}`,
        );
      }
    },
  },
  {
    name: 'past: a past state does not change during later writes',
    async body({ storage }) {
      await createAll(storage, keysOf('a', 'b', 'c'));
      const { revision, records } = await storage.list(PREFIX);
      for (const change of [
        () => put(storage, `${PREFIX}b`, 'changed'),
        () => drop(storage, `${PREFIX}a`),
        () => storage.create(`${PREFIX}aa`, sample('new')),
        () => drop(storage, `${PREFIX}aa`),
        () => storage.create(`${PREFIX}a`, sample('again')),
        () => drop(storage, `${PREFIX}b`),
        () => drop(storage, `${PREFIX}c`),
        () => storage.create('/registry/other/x', sample('x')),
      ]) {
        await change();
        equal((await storage.list(PREFIX, { revision })).records, records, 'state');
        equal((await storage.list(PREFIX, { revision, limit: 1 })).remaining, 2, 'remaining');
      }
    },
  },
  {
    name: 'past: pages show one snapshot during other writes',
    async body({ storage }) {
      const keys = keysOf(...Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, '0')}`));
      const records = await createAll(storage, keys);
      let step = 0;
      const between = async (): Promise<void> => {
        for (let count = 0; count < 5; count++, step++) {
          const key = defined(keys[(step * 23) % keys.length], 'key');
          if (step % 2 === 0) await put(storage, key, `v${step}`);
          else if ((await storage.get(key)).record !== undefined) await drop(storage, key);
          await put(storage, `${PREFIX}new${step}`, 'new');
        }
      };
      equal(versions((await readPages(storage, PREFIX, 7, {}, between)).records), versions(records), 'snapshot');
      check(step > 20, 'writes happened between the pages');
    },
  },
  {
    name: 'past: the present revision can be read by number',
    async body({ storage }) {
      const records = await createAll(storage, keysOf('a', 'b'));
      const revision = await storage.currentRevision();
      equal(await storage.list(PREFIX, { revision }), { records, revision, remaining: 0 }, 'list');
    },
  },
  {
    name: 'past: a future revision is refused with FutureRevision',
    async body({ storage }) {
      await createAll(storage, keysOf('a'));
      const revision = await storage.currentRevision();
      const error = await refused(storage.list(PREFIX, { revision: revision + 1 }), 'FutureRevision', 'list');
      equal(error.revision, revision, 'revision of the error');
    },
  },
  {
    name: 'compact: older states are refused with Compacted, the compacted one and later ones are kept',
    async body({ storage }) {
      const states = await churn(storage, 40);
      const at = (await storage.currentRevision()) - 15;
      await storage.compact(at);
      equal(await storage.compactedRevision(), at, 'compactedRevision');
      for (const [revision, expected] of states) {
        if (revision >= at)
          equal(
            versions((await storage.list(PREFIX, { revision })).records),
            expected,
            `state of revision ${revision}`,
          );
        else
          equal(
            (await refused(storage.list(PREFIX, { revision }), 'Compacted', `list of ${revision}`)).revision,
            at,
            'revision of the error',
          );
      }
    },
  },
  {
    name: 'compact: a smaller revision than before has no effect, a future one is refused',
    async body({ storage }) {
      await churn(storage, 10);
      const current = await storage.currentRevision();
      await storage.compact(current - 2);
      await storage.compact(current - 5);
      await storage.compact(current - 2);
      equal(await storage.compactedRevision(), current - 2, 'compactedRevision');
      await refused(storage.compact(current + 1), 'FutureRevision', 'compact');
      equal(await storage.compactedRevision(), current - 2, 'compactedRevision after the refusal');
    },
  },
  {
    name: 'compact: the present state and later writes are unaffected',
    async body({ storage }) {
      const states = await churn(storage, 20);
      const current = await storage.currentRevision();
      await storage.compact(current);
      equal(await storage.currentRevision(), current, 'currentRevision');
      equal(versions((await storage.list(PREFIX)).records), states.get(current), 'present state');
      const record = defined((await storage.list(PREFIX)).records[0], 'record');
      equal(
        (await storage.update(record.key, sample('later'), record.modRevision)).modRevision,
        current + 1,
        'next revision',
      );
      equal(
        versions((await storage.list(PREFIX, { revision: current })).records),
        states.get(current),
        'compacted state, now past',
      );
    },
  },
  {
    name: 'compact: a snapshot that is being read is refused once it is compacted',
    async body({ storage }) {
      await createAll(storage, keysOf('a', 'b', 'c'));
      const first = await storage.list(PREFIX, { limit: 1 });
      await put(storage, `${PREFIX}c`, 'changed');
      const rest = { revision: first.revision, after: `${PREFIX}a` };
      equal(names((await storage.list(PREFIX, rest)).records), ['b', 'c'], 'second page');
      await storage.compact(await storage.currentRevision());
      await refused(storage.list(PREFIX, rest), 'Compacted', 'second page after the compaction');
    },
  },
];
