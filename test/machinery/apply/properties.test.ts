import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, isSame } from '../../../src/machinery/apply/typed/compare.js';
import {
  createFieldManager,
  managerFromUserAgent,
  fieldSet,
  decodeManagedFields,
} from '../../../src/machinery/index.js';
import {
  difference,
  equalSets,
  isSubset,
  sorted,
  union,
  type FieldSet,
} from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { extractItems, removeItems } from '../../../src/machinery/apply/typed/remove.js';
import { merge } from '../../../src/machinery/apply/typed/merge.js';
import { createdOwnedFields, createsExactly, toFieldSet } from '../../../src/machinery/apply/typed/owned-fields.js';
import { typeOf, zeroObject } from '../../../src/machinery/apply/typed/type.js';
import { equalIgnoringTimes, encodeManagedFields } from '../../../src/machinery/apply/managers/entries.js';
import { reconcileWithType } from '../../../src/machinery/apply/typed/sets.js';
import { createdOwnedInSteps } from '../../../src/machinery/apply/typed/owned-fields-in-steps.js';
import { sortedKeysInSteps } from '../../../src/machinery/apply/fieldpath/sorted-keys.js';
import { Walk } from '../../../src/machinery/apply/fieldpath/walk.js';
import { sortedKeys } from '../../../src/foundation/go/go-json.js';
import { UNTRACKED } from '../../../src/machinery/apply/typed/untracked.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../../../src/foundation/objects/object.js';
import { name, port, specFields } from './arbitraries.js';
import { apply, force, run, update } from './fixture.js';
import { configMap, gadget, list, pod, str, struct, whole } from './schemas.js';

const spec = fc.record(
  {
    ...specFields,
    mode: name,
    ports: fc.uniqueArray(port, {
      selector: (item) => item.port,
      maxLength: 2,
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;
const type = typeOf(gadget);
const object = (value: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Gadget',
  metadata: { name: 'g' },
  spec: value,
});

describe('merging', () => {
  it('returns an intent merged into an empty object, and changes nothing when merged again', () => {
    fc.assert(
      fc.property(spec, spec, (live, config) => {
        const merged = merge(object(live), object(config), type);
        expect(isSame(compare(merged, merge(merged, object(config), type), type))).toBe(true);
        const owned = toFieldSet(object(config), type);
        // Every field that the intent names exists, possibly as a container of more.
        expect(isSubset(owned, compare({}, merged, type).added)).toBe(true);
        expect(merge({}, object(config), type)).toEqual(object(config));
      }),
    );
  });

  it('removes extracted fields, and extracts only them', () => {
    fc.assert(
      fc.property(spec, (value) => {
        const set = toFieldSet(object(value), type);
        const { 'f:spec': inSpec, ...rest } = set;
        const only = inSpec === undefined ? {} : { 'f:spec': inSpec };
        expect(equalSets(toFieldSet(extractItems(object(value), only, type), type), only)).toBe(true);
        if (inSpec !== undefined)
          expect(equalSets(toFieldSet(removeItems(object(value), fieldSet(['f:spec']), type), type), rest)).toBe(true);
      }),
    );
  });
});

describe('ownership', () => {
  it('applies idempotently', () => {
    fc.assert(
      fc.property(spec, spec, (before, intent) => {
        const once = run([update('u', before), force('a', intent)]);
        const twice = run([update('u', before), force('a', intent), apply('a', intent)]);
        expect(twice.spec).toEqual(once.spec);
        expect(twice.managed).toEqual(once.managed);
      }),
      { numRuns: 60 },
    );
  });

  it('is independent of the order of appliers with different fields', () => {
    fc.assert(
      fc.property(spec, spec, (left, right) => {
        const { tags, settings, rooms: _r, ...own } = left;
        const other = Object.fromEntries(
          Object.entries(right).filter(([key]) => !(key in own) && key !== 'tags' && key !== 'settings'),
        );
        const shared = { ...(tags === undefined ? {} : { tags }), ...(settings === undefined ? {} : { settings }) };
        // A record from the start: an applier of empty lists only leaves none, and the next one would find the object
        // untracked.
        const start = update('u', { extra: { tracked: true } });
        const ab = run([start, apply('a', { ...own, ...shared }), apply('b', { ...other, ...shared })]);
        const ba = run([start, apply('b', { ...other, ...shared }), apply('a', { ...own, ...shared })]);
        expect(ab.spec).toEqual(ba.spec);
        expect(ab.managed).toEqual(ba.managed);
      }),
      { numRuns: 60 },
    );
  });

  it('removes a field that one applier forced and gave up, and keeps fields of others', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const { spec: left, managed } = run([apply('a', first), force('b', second), apply('b', {})]);
        expect(managed['b Apply']).toEqual({});
        const remaining = managed['a Apply'] ?? {};
        const present = compare(object({}), object((left ?? {}) as JsonObject), type).added['f:spec'] ?? {};
        expect(equalSets(union(present, remaining), present)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a create', () => {
  const container = fc.record(
    {
      name,
      image: name,
      args: fc.array(name, { maxLength: 2 }),
      env: fc.uniqueArray(fc.record({ name, value: name }), { selector: (e) => e.name }),
      resources: fc.record({ limits: fc.dictionary(name, name) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['name'] },
  );
  const pods = fc.record(
    {
      spec: fc.record(
        {
          containers: fc.option(fc.array(container, { maxLength: 3 })),
          nodeSelector: fc.dictionary(name, name),
          restartPolicy: name,
        },
        { requiredKeys: [] },
      ),
      status: fc.record({ phase: name }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const podType = typeOf(pod);
  const podOf = (fields: object): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: null, labels: { a: 'b' } },
    ...fields,
  });

  it('owns the difference to the zero object', () => {
    fc.assert(
      fc.property(pods, (value) => {
        const created = podOf(value);
        const { added, modified } = compare(zeroObject(podType), created, podType);
        const owned = createdOwnedFields(created, podType);
        expect(JSON.stringify(owned)).toBe(
          JSON.stringify(createdOwnedFields(JSON.parse(JSON.stringify(created)) as JsonObject, podType)),
        );
        expect(JSON.stringify(owned)).toBe(JSON.stringify(sorted(owned)));
        expect(equalSets(owned, difference(union(added, modified), UNTRACKED))).toBe(true);
      }),
    );
  });

  it('is found in steps', () => {
    fc.assert(
      fc.property(pods, (value) => {
        const { result } = paused((work) => createdOwnedInSteps(podOf(value), podType, work));
        expect(JSON.stringify(result)).toBe(JSON.stringify(createdOwnedFields(podOf(value), podType)));
      }),
    );
  });

  it('of many keys, which are sorted, is found with pauses', () => {
    const data = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`k${(index * 7919) % 10_007}é`, 'v']),
    );
    const { result, pauses } = paused((work) => sortedKeysInSteps(data, new Walk(work)));
    expect(result).toEqual(sortedKeys(data));
    expect(pauses).toBeGreaterThan(10_000);
    const [large, type] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }, typeOf(configMap)];
    const found = paused((work) => createdOwnedInSteps(large, type, work));
    expect(JSON.stringify(found.result)).toBe(JSON.stringify(createdOwnedFields(large, type)));
    expect(found.pauses).toBeGreaterThan(20_000);
  });

  it('shares the set of an object with the same fields, and no other', () => {
    const twice = { spec: { containers: [{ name: 'a' }, { name: 'a' }] } };
    const once = { spec: { containers: [{ name: 'a' }, { name: 'b' }] } };
    const empty = { spec: { containers: [], nodeSelector: {} }, status: {}, metadata: {} };
    const values = fc.oneof(
      pods,
      fc.constantFrom<object>(twice, once, empty, { metadata: null }, { spec: null }, { spec: { nodeSelector: [] } }),
    );
    /** The items of a list by which an object is not recognized: those that occur twice. */
    const repeats = ({ spec }: JsonObject): boolean => {
      const names = ((spec as JsonObject | null)?.['containers'] as readonly JsonObject[] | null | undefined) ?? [];
      return new Set(names.map((item) => item['name'])).size < names.length;
    };
    let shared = 0;
    fc.assert(
      fc.property(values, values, (one, other) => {
        const set = createdOwnedFields(podOf(one), podType);
        const isSame = JSON.stringify(set) === JSON.stringify(createdOwnedFields(podOf(other), podType));
        const isShared = createsExactly(set, podOf(other), podType);
        expect(isShared).toBe(isSame && !repeats(podOf(other)));
        if (isShared) shared += 1;
      }),
      { numRuns: 2000 },
    );
    expect(shared).toBeGreaterThan(20);
  });

  it('writes structs that always exist without an element of their own', () => {
    const fields = createFieldManager({ schema: pod, apiVersion: 'v1', kind: 'Pod' });
    const created = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', labels: { a: 'b' } },
      spec: {
        containers: [
          { name: 'z', image: 'i', resources: {} },
          { name: 'app', ports: [{ containerPort: 80 }] },
        ],
      },
    } as ApiObject;
    const entries = fields.update({ live: undefined, object: created, manager: '', now: 1_700_000_000_999 });
    expect(JSON.stringify(entries)).toBe(
      JSON.stringify([
        {
          manager: 'unknown',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2023-11-14T22:13:20Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"app"}': {
                  '.': {},
                  'f:name': {},
                  'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                },
                'k:{"name":"z"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} },
              },
            },
          },
        },
      ]),
    );
  });
});

describe('managedFields', () => {
  const entry = (facts: Partial<ManagedFieldsEntry>): ManagedFieldsEntry => ({
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': {} },
    ...facts,
  });

  it('sorts appliers first, then by time, name and version', () => {
    const entries = [
      entry({ manager: 'b', time: '2024-01-02T00:00:00Z' }),
      entry({ manager: 'z', time: '2024-01-01T00:00:00Z' }),
      entry({ manager: 'a', time: '2024-01-02T00:00:00Z' }),
      entry({ manager: 'y', operation: 'Apply', time: '2025-01-01T00:00:00Z' }),
      entry({ manager: 'x', operation: 'Apply' }),
    ];
    expect(encodeManagedFields(decodeManagedFields(entries)).map(({ manager }) => manager)).toEqual([
      'x',
      'y',
      'z',
      'a',
      'b',
    ]);
  });

  it.each([
    [{ operation: 'Bogus' }, 'operation must be `Apply` or `Update`'],
    [{ apiVersion: '' }, 'apiVersion must not be empty'],
    [{ fieldsType: '' }, 'missing fieldsType in managed fields entry 0'],
    [{ fieldsType: 'V2' }, 'invalid fieldsType "V2" in managed fields entry 0'],
    [{ fieldsV1: { x: {} } }, 'error decoding set: key must be 2 characters long:'],
  ])('rejects %j', (facts, message) => {
    expect(() => decodeManagedFields([entry(facts)])).toThrow(message);
  });

  it('drops records of removed versions, and converts to existing ones', () => {
    const live = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'c',
        uid: 'u',
        managedFields: [
          entry({ apiVersion: 'v0' }),
          entry({ apiVersion: 'v1beta1', fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } } }),
        ],
      },
      data: { a: '1', b: '2' },
    } as ApiObject;
    const after: ApiObject = { ...live, metadata: { name: 'c', uid: 'u' }, data: { a: '9', b: '2' } };
    const convert = (value: JsonObject, apiVersion: string) =>
      apiVersion === 'v1beta1' || apiVersion === 'v1'
        ? { object: { ...value, apiVersion }, schema: configMap }
        : undefined;
    const fields = createFieldManager({ schema: configMap, apiVersion: 'v1', kind: 'ConfigMap', convert });
    expect(
      fields
        .update({ live: live as JsonObject as StoredObject, object: after, manager: 'u', now: 0 })
        .map(({ apiVersion, fieldsV1 }) => [apiVersion, fieldsV1]),
    ).toEqual([
      ['v1beta1', { 'f:data': { 'f:b': {} } }],
      ['v1', { 'f:data': { 'f:a': {} } }],
    ]);
  });

  it('of several versions with the same fields is that of one version', () => {
    const versions = ['v1', 'v2', 'v3'];
    // Not of items with fields: as in Kubernetes, an item is restored for the owners of each version one after another.
    const fields = spec.map(({ rooms: _rooms, ports: _ports, ...others }) => others);
    const write = fc.record({ version: fc.nat(2), manager: name, applies: fc.boolean(), fields });
    /** Runs writes, each in a version. Returns the object, and what each manager owns in all versions together. */
    const runIn = (writes: readonly { version: number; manager: string; applies: boolean; fields: JsonObject }[]) => {
      const managers = versions.map((apiVersion) =>
        createFieldManager({
          ...{ schema: gadget, apiVersion, kind: 'Gadget' },
          convert: (value, to) =>
            versions.includes(to) ? { object: { ...value, apiVersion: to }, schema: gadget } : undefined,
        }),
      );
      let live: StoredObject | undefined;
      for (const { version, manager, applies, fields: given } of writes) {
        const apiVersion = versions[version] ?? '';
        const inVersion = live && { ...live, apiVersion };
        const sent = { ...object(given), apiVersion };
        const facts = { live: inVersion, manager, now: 0 };
        const fieldManager = managers[version];
        const made = applies
          ? fieldManager?.apply({ ...facts, applied: sent, force: true })
          : {
              object: sent,
              managedFields: fieldManager?.update({ ...facts, object: sent as JsonObject as ApiObject }),
            };
        live = {
          ...made?.object,
          metadata: { name: 'g', uid: 'u', managedFields: made?.managedFields },
        } as JsonObject as StoredObject;
      }
      const owned: Record<string, FieldSet> = {};
      for (const { manager, operation, fieldsV1 } of live?.metadata.managedFields ?? [])
        owned[`${manager} ${operation}`] = union(owned[`${manager} ${operation}`] ?? {}, fieldsV1 as FieldSet);
      return { spec: live?.['spec'], owned };
    };
    fc.assert(
      fc.property(fc.array(write, { minLength: 2, maxLength: 6 }), (writes) => {
        const one = runIn(writes.map((each) => ({ ...each, version: 0 })));
        const several = runIn(writes);
        expect(several.spec).toEqual(one.spec);
        expect(Object.keys(several.owned).sort()).toEqual(Object.keys(one.owned).sort());
        for (const [owner, set] of Object.entries(one.owned))
          expect(equalSets(set, several.owned[owner] ?? {})).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('migrates sets to a schema whose list became atomic', () => {
    const now = typeOf(whole({ spec: struct({ tags: list(str()) }) }));
    expect(
      reconcileWithType({ 'f:spec': { 'f:tags': { '.': {}, 'v:"a"': {} }, 'f:other': { 'f:x': {} } } }, now),
    ).toEqual({ 'f:spec': { 'f:tags': {}, 'f:other': { 'f:x': {} } } });
    const same = { 'f:spec': { 'f:tags': {} } };
    expect(reconcileWithType(same, now)).toBe(same);
  });

  it('distinguishes a change of times from a change of ownership', () => {
    expect(equalIgnoringTimes([entry({ time: '2024-01-01T00:00:00Z' })], [entry({})])).toBe(true);
    expect(equalIgnoringTimes([entry({})], [entry({ manager: 'n' })])).toBe(false);
  });
});

describe('the manager of a User-Agent', () => {
  it.each([
    ['tool/1.2 (linux)', 'tool'],
    ['plain agent', 'plain agent'],
    ['', 'unknown'],
    ['/x', 'unknown'],
    ['a\u0007b\u00a0c/1', 'abc'],
    ['é'.repeat(80), 'é'.repeat(64)],
  ])('of %j is %j', (userAgent, manager) => {
    expect(managerFromUserAgent(userAgent)).toBe(manager);
  });
});

/** Runs steps that pause at every look. */
function paused<Result>(steps: (work: Work) => Steps<Result>): { readonly result: Result; readonly pauses: number } {
  const running = steps({ ...UNBOUNDED_WORK, spend: () => true });
  let pauses = 0;
  let step = running.next();
  for (; step.done !== true; step = running.next()) pauses += 1;
  return { result: step.value, pauses };
}
