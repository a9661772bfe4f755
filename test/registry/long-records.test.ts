/** Long objects are parsed in slices for an index and for a selector, and are found as short ones are. */
import { expect, test } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { isSteps, LONG_TEXT, UNBOUNDED_WORK, type MaybeSteps, type Steps } from '../../src/foundation/index.js';
import { readAhead, type Selectors } from '../../src/registry/selection/record-filter.js';
import { termsOf } from '../../src/registry/selection/selector-terms.js';
import type { StorageRecord } from '../../src/storage/index.js';
import { takeSteps } from '../support/steps.js';
import { createRegistry, fields, labels, namesOf, Widget } from './registry.js';

const FILLER = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`key-${index}`, 'some text']));

function widget(name: string, color: string, annotations?: Readonly<Record<string, string>>) {
  const metadata = { name, labels: { app: color }, ...(annotations === undefined ? {} : { annotations }) };
  return { kind: 'Widget', apiVersion: 'shop.example/v1', metadata, spec: { color } };
}

async function filled() {
  const registry = createRegistry();
  const store = registry.store(Widget);
  await store.create(registry.context, 'east', widget('short', 'red'));
  for (const color of ['red', 'green'])
    await store.create(registry.context, 'east', widget(`long-${color}`, color, FILLER));
  const many = widget('many', 'blue');
  const more = Object.fromEntries(Object.keys(FILLER).map((key) => [key, 'some-longer-text']));
  await store.create(registry.context, 'east', {
    ...many,
    metadata: { ...many.metadata, labels: { ...many.metadata.labels, ...more } },
  });
  /** The record of an object, as it comes from the storage. */
  const recordOf = async (name: string): Promise<StorageRecord> => {
    const { record } = await registry.storage.get(store.info.key('east', name));
    if (record === undefined) throw new Error(name);
    return { ...record, decoded: undefined };
  };
  return { registry, store, recordOf };
}

function stepsOf<Result>(result: MaybeSteps<Result>): Steps<Result> {
  if (!isSteps(result)) throw new Error('no steps');
  return result;
}

test('the terms of a long object take steps, and are those of a short one', async () => {
  const { store, recordOf } = await filled();
  const [short, long] = [await recordOf('short'), await recordOf('long-red')];
  expect(long.text.length).toBeGreaterThan(LONG_TEXT);
  const terms = termsOf(store, short, ['spec.color'], UNBOUNDED_WORK);
  expect(isSteps(terms)).toBe(false);
  const { result, pauses } = takeSteps((work) => stepsOf(termsOf(store, long, ['spec.color'], work)));
  expect(result).toEqual(terms);
  expect(pauses).toBeGreaterThan(100);
});

test('an object with more labels than an index takes matches anything', async () => {
  const { store, recordOf } = await filled();
  const record = await recordOf('many');
  expect(takeSteps((work) => stepsOf(termsOf(store, record, [], work))).result).toBeUndefined();
});

test('lists and indexes find long objects by labels and fields', async () => {
  const { store } = await filled();
  for (let times = 0; times < 3; times += 1) {
    expect(namesOf(store, await store.list('', fields('spec.color=red')))).toEqual(['long-red', 'short']);
    expect(namesOf(store, await store.list('', labels('app=green')))).toEqual(['long-green']);
    expect(namesOf(store, await store.list('', fields('spec.color!=red')))).toEqual(['long-green', 'many']);
    await nextTurn();
  }
});

test.each<[string, Selectors, string, boolean]>([
  ['a field of a long object', fields('spec.color=red'), 'long-red', true],
  [
    'a field of a long object whose labels match',
    { ...fields('spec.color=red'), ...labels('app=red') },
    'long-red',
    true,
  ],
  [
    'a field of a long object whose labels do not match',
    { ...fields('spec.color=red'), ...labels('app=green') },
    'long-red',
    false,
  ],
  ['a field of a short object', fields('spec.color=red'), 'short', false],
  ['the name of a long object', fields('metadata.name=a'), 'long-red', false],
  ['the labels of a long object', labels('app=red'), 'long-red', false],
  ['many labels', labels('app=red'), 'many', true],
])('%s is read ahead of a filter where that parses it', async (_, selectors, name, isRead) => {
  const { store, recordOf } = await filled();
  const record = await recordOf(name);
  const work = { ...UNBOUNDED_WORK, spend: () => true };
  await readAhead(store, selectors, work)(record);
  expect(record.decoded !== undefined).toBe(isRead);
});

test('the search for labels in long texts pauses', async () => {
  const { store, recordOf } = await filled();
  let pauses = 0;
  const next = async (): Promise<void> => void (pauses += 1);
  const ahead = readAhead(store, labels('app=red'), { ...UNBOUNDED_WORK, spend: (units) => units > 512, next });
  for (const name of ['short', 'long-red', 'long-green']) await ahead(await recordOf(name));
  expect(pauses).toBe(2);
});
