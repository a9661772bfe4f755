import type {
  Storage,
  StorageIndex,
  StorageQuery,
  StorageRecord,
  StorageTerms,
  TermRequirement,
} from '../../storage/index.js';
import { defined, equal } from '../assert.js';
import { createAll, drop, put, sample, valueOf, versions, type CaseContext, type CaseDefinition } from './fixture.js';

const PREFIX = '/registry/samples/';

/** Returns the terms that a sample's value spells, such as `color=red size=1`; unknown for the value `?`. */
function termsOf(record: StorageRecord): StorageTerms | undefined {
  const value = String(valueOf(record));
  if (value === '?') return undefined;
  return Object.fromEntries(
    value.split(' ').flatMap((term) => (term.includes('=') ? [[term.split('=')[0], term.split('=')[1]]] : [])),
  ) as Record<string, string>;
}

/** Runs a case on an index. An engine without indexes passes. */
function indexed(body: (storage: Storage, index: StorageIndex) => Promise<void>): CaseDefinition['body'] {
  return async ({ storage }: CaseContext) => {
    const index = storage.index?.(PREFIX, termsOf);
    if (index !== undefined) await body(storage, index);
  };
}

async function found(index: StorageIndex, requirements: readonly TermRequirement[], query?: Partial<StorageQuery>) {
  return defined(await index.find({ prefix: PREFIX, requirements, ...query }), 'answer of the index');
}

async function names(
  index: StorageIndex,
  requirements: readonly TermRequirement[],
  query?: Partial<StorageQuery>,
): Promise<string> {
  const { records } = await found(index, requirements, query);
  return records.map(({ key }) => key.slice(PREFIX.length)).join(' ');
}

const RED: TermRequirement = { attribute: 'color', values: ['red'] };
const NOT_RED: TermRequirement = { ...RED, negated: true };
const COLORED: TermRequirement = { attribute: 'color' };
const BLANK: TermRequirement = { attribute: 'color', negated: true };

async function fill(storage: Storage): Promise<void> {
  for (const [name, value] of [
    ['a/1', 'color=red size=1'],
    ['b/1', 'color=blue size=1'],
    ['a/3', 'color=red'],
    ['a/2', 'size=2'],
    ['b/2', 'color=green size=2'],
  ])
    await storage.create(`${PREFIX}${name}`, sample(value ?? ''));
  await createAll(storage, ['/registry/other/a', '/registry/samplest/a']);
}

/** Cases of the optional index. */
export const indexCases: readonly CaseDefinition[] = [
  {
    name: 'index: finds records by their terms, in key order',
    body: indexed(async (storage, index) => {
      await fill(storage);
      equal(await names(index, [RED]), 'a/1 a/3', 'a value');
      equal(await names(index, [NOT_RED]), 'a/2 b/1 b/2', 'another value, or none');
      equal(await names(index, [COLORED]), 'a/1 a/3 b/1 b/2', 'any value');
      equal(await names(index, [BLANK]), 'a/2', 'no value');
      equal(await names(index, [{ attribute: 'color', values: ['green', 'blue'] }]), 'b/1 b/2', 'several values');
      equal(await names(index, [{ attribute: 'size', values: ['1'] }, NOT_RED]), 'b/1', 'two requirements');
      equal(await names(index, [{ attribute: 'shape' }]), '', 'an unknown attribute');
      equal(await names(index, [{ attribute: 'color', values: ['grey'] }]), '', 'an unknown value');
      equal(await names(index, [COLORED], { prefix: `${PREFIX}b/` }), 'b/1 b/2', 'a part of the range');
    }),
  },
  {
    name: 'index: returns the records of a list and its revision',
    body: indexed(async (storage, index) => {
      await fill(storage);
      const page = await storage.list(PREFIX);
      const answer = await found(index, [{ attribute: 'none', negated: true }]);
      equal(versions(answer.records), versions(page.records), 'records');
      equal(answer.records[0] === page.records[0], true, 'the same instance');
      equal(answer.revision, page.revision, 'revision');
      equal(answer.exact, true, 'exact');
      equal(answer.remaining, 0, 'remaining');
    }),
  },
  {
    name: 'index: answers in pages',
    body: indexed(async (storage, index) => {
      await fill(storage);
      const first = await found(index, [COLORED], { limit: 2 });
      equal(versions(first.records).length, 2, 'records of a page');
      equal(first.remaining, 2, 'records of the range after the page');
      const after = defined(first.records.at(-1), 'last record').key;
      equal(await names(index, [COLORED], { after, limit: 9 }), 'b/1 b/2', 'the next page');
      equal(await names(index, [RED], { after: `${PREFIX}a/2` }), 'a/3', 'after a record that does not match');
      equal(await names(index, [RED], { after: '/registry/z' }), '', 'after the range');
      equal(await names(index, [RED], { after: '/a' }), 'a/1 a/3', 'after a key before the range');
    }),
  },
  {
    name: 'index: follows every write',
    body: indexed(async (storage, index) => {
      await fill(storage);
      equal(await names(index, [RED]), 'a/1 a/3', 'before');
      await put(storage, `${PREFIX}a/1`, 'color=blue');
      await put(storage, `${PREFIX}c`, 'color=red');
      await drop(storage, `${PREFIX}a/3`);
      equal(await names(index, [RED]), 'c', 'after an update, a create and a delete');
      equal(await names(index, [{ attribute: 'size', values: ['1'] }]), 'b/1', 'a term that was removed');
      await storage.create(`${PREFIX}a/3`, sample('color=red'));
      equal(await names(index, [RED]), 'a/3 c', 'after a key was created again');
    }),
  },
  {
    name: 'index: includes records of unknown terms, and says so',
    body: indexed(async (storage, index) => {
      await fill(storage);
      await put(storage, `${PREFIX}b/1`, '?');
      const answer = await found(index, [RED]);
      equal(answer.exact, false, 'exact');
      equal(await names(index, [RED]), 'a/1 a/3 b/1', 'records');
      await put(storage, `${PREFIX}b/1`, 'color=blue');
      equal((await found(index, [RED])).exact, true, 'exact, once all terms are known');
    }),
  },
  {
    name: 'index: answers with the state of the revision in question, or not at all',
    body: indexed(async (storage, index) => {
      await fill(storage);
      const { revision } = await found(index, [RED]);
      equal((await found(index, [RED], { revision })).revision, revision, 'the present revision');
      await put(storage, `${PREFIX}a/1`, 'color=blue');
      await put(storage, `${PREFIX}c`, 'color=red');
      await drop(storage, `${PREFIX}a/3`);
      const earlier = await index.find({ prefix: PREFIX, requirements: [RED], revision });
      const page = await storage.list(PREFIX, { revision });
      const isRed = (record: StorageRecord): boolean => termsOf(record)?.['color'] === 'red';
      if (earlier !== undefined) {
        equal(versions(earlier.records), versions(page.records.filter(isRed)), 'records of an earlier revision');
        equal(earlier.revision, revision, 'the earlier revision');
      }
      const compacted = await storage.currentRevision();
      await storage.compact(compacted);
      equal(await index.find({ prefix: PREFIX, requirements: [RED], revision }), undefined, 'a compacted revision');
    }),
  },
  {
    name: 'index: one that was dropped, or whose engine is closed, does not answer',
    body: indexed(async (storage, index) => {
      await fill(storage);
      index.drop();
      equal(await index.find({ prefix: PREFIX, requirements: [RED] }), undefined, 'dropped');
      const other = defined(storage.index?.(PREFIX, termsOf), 'another index');
      equal(await names(other, [RED]), 'a/1 a/3', 'another index');
      await storage.close();
      equal(await other.find({ prefix: PREFIX, requirements: [RED] }), undefined, 'closed');
    }),
  },
];
