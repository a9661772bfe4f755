import { unitsOf } from '../../support/units.js';
import { describe, expect, it } from 'vitest';
import { createFieldManager, type FieldManagerApplied } from '../../../src/machinery/index.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../../../src/foundation/objects/object.js';
import { atOnce, UNBOUNDED_WORK, type Steps } from '../../../src/foundation/work/work.js';
import { configMap, pod } from './schemas.js';

const KEYS = 3_000;
const MANAGERS = 4;
/** Units of a slice, and those of the longest piece: the keys of an object are listed in one. */
const SLICE = 20_000;
const PIECE = 8 * SLICE;

/** The pieces of a write, and what it reserves. */
interface Pieces<Result> {
  readonly result: Result | Error;
  readonly count: number;
  readonly longest: number;
  readonly reservedBytes: number;
}

async function piecesOf<Result>(steps: (work: typeof UNBOUNDED_WORK) => Steps<Result>): Promise<Pieces<Result>> {
  let [units, heldBytes, reservedBytes, longest, count] = [0, 0, 0, 0, 0];
  const running = steps({
    ...UNBOUNDED_WORK,
    spend: (spent) => (units += spent) > SLICE,
    reserve: (bytes) => (reservedBytes = Math.max(reservedBytes, (heldBytes += bytes))),
    release: (bytes) => (heldBytes -= bytes),
  });
  for (;;) {
    let step: IteratorResult<void, Result> | undefined;
    let failure: Error | undefined;
    units = 0;
    const piece = await unitsOf(() => {
      try {
        step = running.next();
      } catch (error) {
        failure = error as Error;
      }
    });
    longest = Math.max(longest, piece);
    count += 1;
    if (failure !== undefined) return { result: failure, count, longest, reservedBytes };
    if (step?.done === true) return { result: step.value, count, longest, reservedBytes };
  }
}

const fields = createFieldManager({ schema: configMap, apiVersion: 'v1', kind: 'ConfigMap' });
const entry = (index: number, fieldsV1: JsonObject): ManagedFieldsEntry => ({
  ...{ manager: `m${index}`, operation: 'Apply', apiVersion: 'v1', time: '2024-01-01T00:00:00Z' },
  ...{ fieldsType: 'FieldsV1', fieldsV1 },
});
/** Keys that are not in order. */
const names = Array.from({ length: KEYS }, (_, index) => `k${(index * 7919) % 10_007}`);
const data = (value: string, count = KEYS): JsonObject =>
  Object.fromEntries(names.slice(0, count).map((name) => [name, value]));
const object = (values: JsonObject): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' } },
  data: values,
});
const set = (): JsonObject => ({ 'f:data': Object.fromEntries([...names].sort().map((name) => [`f:${name}`, {}])) });
const live = (): StoredObject =>
  ({
    ...object(data('v')),
    metadata: { name: 'large', uid: 'u', managedFields: Array.from({ length: MANAGERS }, (_, i) => entry(i, set())) },
  }) as JsonObject as StoredObject;
const sent = (values: JsonObject, managedFields?: ManagedFieldsEntry[]): ApiObject =>
  ({ ...object(values), metadata: { name: 'large', uid: 'u', ...(managedFields && { managedFields }) } }) as ApiObject;

const updates: Readonly<Record<string, () => readonly [live: StoredObject | undefined, object: ApiObject]>> = {
  'adds all keys': () => [
    { ...object({}), metadata: { name: 'large', managedFields: [entry(0, { 'f:metadata': {} })] } } as StoredObject,
    sent(data('v')),
  ],
  'changes all keys that some managers own': () => [live(), sent(data('w'))],
  'removes all keys that some managers own': () => [live(), sent({})],
  'removes a manager': () => [live(), sent(data('v'), live().metadata.managedFields?.slice(1))],
  'sends sets in another order': () => [
    live(),
    sent(data('v'), [entry(0, { 'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) })]),
  ],
  'creates an object': () => [undefined, sent(data('v'))],
};

describe('an update of a large object', () => {
  it.each(Object.keys(updates))('that %s pauses', async (name) => {
    const [before, after] = updates[name]?.() ?? [undefined, sent({})];
    const write = { live: before, object: after, manager: 'u', now: 0 };
    const { result, count, longest, reservedBytes } = await piecesOf((work) => fields.updateSteps(work, write));
    expect(result).toEqual(fields.update(write));
    expect(longest).toBeLessThan(PIECE);
    expect(count).toBeGreaterThan(3);
    expect(reservedBytes).toBeGreaterThan(name === 'removes a manager' ? -1 : KEYS * 16);
  });
});

const applies: Readonly<
  Record<string, { readonly intent: JsonObject; readonly manager: string; readonly force: boolean }>
> = {
  'shares all keys': { intent: object(data('v')), manager: 'a', force: false },
  'takes all keys': { intent: object(data('w')), manager: 'a', force: true },
  'is in conflict': { intent: object(data('w')), manager: 'a', force: false },
  'gives up all keys': { intent: object({}), manager: 'm3', force: true },
  'gives up half of the keys': { intent: object(data('v', KEYS / 2)), manager: 'm3', force: true },
  'does not match the schema': { intent: object(data(1 as unknown as string)), manager: 'a', force: true },
};

describe('an apply to a large object', () => {
  it.each(Object.keys(applies))('that %s pauses', async (name) => {
    const { intent, manager, force } = applies[name] ?? { intent: {}, manager: '', force: false };
    const write = { live: live(), applied: intent, manager, force, now: 0 };
    const { result, count, longest } = await piecesOf((work) => fields.applySteps(work, write));
    let expected: FieldManagerApplied | Error;
    try {
      expected = fields.apply({ ...write, live: live() });
    } catch (error) {
      expected = error as Error;
    }
    expect(result).toEqual(expected);
    expect(longest).toBeLessThan(PIECE);
    expect(count).toBeGreaterThan(3);
  });

  it('of many containers pauses', async () => {
    const pods = createFieldManager({ schema: pod, apiVersion: 'v1', kind: 'Pod' });
    const containers = (image: string, count: number): JsonObject => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'large' } },
      spec: { containers: Array.from({ length: count }, (_, i) => ({ name: `c${count - i}`, image })) },
    });
    const first = pods.apply({ live: undefined, applied: containers('i', 500), manager: 'a', force: false, now: 0 });
    const stored = {
      ...first.object,
      metadata: { name: 'large', uid: 'u', managedFields: first.managedFields },
    } as JsonObject as StoredObject;
    const write = { live: stored, applied: containers('j', 400), manager: 'a', force: false, now: 0 };
    const { result, count, longest } = await piecesOf((work) => pods.applySteps(work, write));
    expect(result).toEqual(pods.apply(write));
    expect(longest).toBeLessThan(PIECE);
    expect(count).toBeGreaterThan(3);
  });
});

describe('a record of another version of a large object', () => {
  const others = fields.withConvert((value, apiVersion) => ({ object: { ...value, apiVersion }, schema: configMap }));
  const before = live();
  const [first, ...rest] = before.metadata.managedFields ?? [];
  const stored = {
    ...before,
    metadata: { ...before.metadata, managedFields: [{ ...first, apiVersion: 'v1beta1' }, ...rest] },
  } as JsonObject as StoredObject;

  it('is compared with pauses by an update', async () => {
    const write = { live: stored, object: sent(data('w')), manager: 'u', now: 0 };
    const { result, count, longest } = await piecesOf((work) => others.updateSteps(work, write));
    expect(result).toEqual(others.update(write));
    expect(longest).toBeLessThan(PIECE);
    expect(count).toBeGreaterThan(3);
  });

  it('is compared with pauses by an apply that gives up fields', async () => {
    const write = { live: stored, applied: object(data('v', KEYS / 2)), manager: 'm0', force: true, now: 0 };
    const { result, count, longest } = await piecesOf((work) => others.applySteps(work, write));
    expect(result).toEqual(others.apply(write));
    expect(longest).toBeLessThan(PIECE);
    expect(count).toBeGreaterThan(3);
  });

  it('is converted once for all records of its version', () => {
    let conversions = 0;
    const counting = fields.withConvert((value, apiVersion) => {
      conversions += 1;
      return { object: { ...value, apiVersion }, schema: configMap };
    });
    const conversionsOf = (managers: number): number => {
      conversions = 0;
      const entries = Array.from({ length: managers }, (_, i) => ({ ...entry(i, set()), apiVersion: 'v1beta1' }));
      const metadata = { ...before.metadata, managedFields: entries };
      counting.update({
        live: { ...before, metadata } as StoredObject,
        object: sent(data('w')),
        manager: 'u',
        now: 0,
      });
      return conversions;
    };
    expect(conversionsOf(40)).toBe(conversionsOf(2));
  });
});

it('a write whose sets do not fit into the memory is refused, and does not clear the records', () => {
  const work = {
    ...UNBOUNDED_WORK,
    reserve: () => {
      throw new ApiError({ message: 'full', code: 429 });
    },
  };
  // Removing a manager makes no set.
  const making = Object.entries(updates).flatMap(([name, make]) => (name === 'removes a manager' ? [] : [make]));
  for (const [before, after] of making.map((make) => make()))
    expect(() =>
      atOnce(fields.updateSteps({ ...work }, { live: before, object: after, manager: 'u', now: 0 })),
    ).toThrow('full');
  for (const { intent, manager, force } of Object.values(applies))
    expect(() =>
      atOnce(fields.applySteps({ ...work }, { live: live(), applied: intent, manager, force, now: 0 })),
    ).toThrow('full');
});
