/** The fast path of writes has the results of the rules, and changes nothing that it keeps. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createFieldManager,
  fieldSet,
  type FieldManager,
  type FieldManagerApplied,
} from '../../../src/machinery/index.js';
import { cloneJson, type JsonObject } from '../../../src/foundation/json/json.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../../../src/foundation/objects/object.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { name, port, specFields } from './arbitraries.js';
import { gadget } from './schemas.js';

const options = {
  schema: gadget,
  apiVersion: 'v1',
  kind: 'Gadget',
  resetFields: { '': { v1: fieldSet(['f:spec', 'f:sealed']) } },
  clientSideApply: { manager: 'tool', annotation: 'tool/last' },
};

/** An entry of a version that no longer exists: the rules drop it, and the fast path leaves such lists to them. */
const FOREIGN: ManagedFieldsEntry = {
  manager: 'foreign',
  operation: 'Update',
  apiVersion: 'v0',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': {} },
};

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const spec = fc.record(
  {
    ...specFields,
    mode: fc.oneof(name, fc.constant(1)),
    ports: fc.array(port, {
      maxLength: 3,
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;
const metadata = fc.record(
  {
    labels: fc.dictionary(name, name, { maxKeys: 2 }),
    annotations: fc.constantFrom({}, { 'tool/last': '{}' }, { other: 'x' }),
    resourceVersion: fc.constantFrom('1', '2'),
    generation: fc.constantFrom(1, 2),
    finalizers: fc.array(name, { maxLength: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;
const write = fc.record({
  verb: fc.constantFrom('update', 'update', 'apply', 'force'),
  manager: fc.constantFrom('m', 'n', 'tool', ''),
  subresource: fc.constantFrom('', '', '', 'status'),
  metadata,
  spec,
  seconds: fc.integer({ min: 0, max: 1 }),
  sends: fc.constantFrom('none', 'same', 'copy'),
  // Objects of one kind share sets.
  which: fc.constantFrom(0, 1, 2),
});
type Write = (typeof write extends fc.Arbitrary<infer Value> ? Omit<Value, 'sends'> : never) & {
  /** The entries that the client sends; of a version that no longer exists, which counts as none. */
  readonly sends: 'none' | 'same' | 'copy' | 'foreign';
};

/** The result of one write: an object with entries, or the error. */
type Outcome = Omit<FieldManagerApplied, 'changed'> | { readonly error: string };

function outcome(
  fields: Pick<FieldManager, 'update' | 'apply'>,
  live: StoredObject | undefined,
  made: Write,
  nowMs: number,
): Outcome {
  const { verb, manager, subresource } = made;
  const object = frozen({
    apiVersion: 'v1',
    kind: 'Gadget',
    metadata: { name: 'g', ...cloneJson(made.metadata) },
    spec: cloneJson(made.spec),
  }) as JsonObject;
  const common = { live, manager, subresource, now: nowMs };
  try {
    if (verb === 'update') {
      const withSent = { ...object, metadata: { ...(object['metadata'] as JsonObject), ...sent(live, made) } };
      return {
        object,
        managedFields: fields.update({ ...common, object: frozen(withSent) as JsonObject as ApiObject }),
      };
    }
    return fields.apply({ ...common, applied: object, force: verb === 'force' });
  } catch (error) {
    return { error: String(error) };
  }
}

function sent(live: StoredObject | undefined, { sends }: Write): { managedFields?: ManagedFieldsEntry[] } {
  const entries = live?.metadata.managedFields;
  if (sends === 'foreign') return { managedFields: [FOREIGN] };
  if (entries === undefined || sends === 'none') return {};
  if (sends === 'same') return { managedFields: entries };
  return { managedFields: cloneJson(entries) as ManagedFieldsEntry[] };
}

const stored = (object: JsonObject, managedFields: ManagedFieldsEntry[]): StoredObject =>
  ({
    ...object,
    metadata: { ...(object['metadata'] as JsonObject), uid: 'u', managedFields },
  }) as JsonObject as StoredObject;

/** Returns the object with entries in objects of their own, which only the rules can use. */
const forRules = (live: StoredObject | undefined): StoredObject | undefined => {
  const entries = live?.metadata.managedFields;
  if (live === undefined || entries === undefined || entries.length === 0) return live;
  return frozen(stored(live, cloneJson([...entries, FOREIGN]) as ManagedFieldsEntry[]));
};

/** Writes in steps that pause wherever they may, as those of large objects do. */
function inSteps(fields: FieldManager): Pick<FieldManager, 'update' | 'apply'> {
  const work = { ...UNBOUNDED_WORK, spend: () => true };
  return {
    update: (update) => atOnce(fields.updateSteps(work, update)),
    apply: (apply) => atOnce(fields.applySteps(work, apply)),
  };
}

describe('writes of large objects', () => {
  it('have the results of those of small ones, byte for byte', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 2, maxLength: 12 }), (writes) => {
        const fields = createFieldManager(options);
        const stores: (StoredObject | undefined)[] = [];
        let nowMs = Date.UTC(2024, 0, 1);
        for (const made of writes) {
          nowMs += made.seconds * 1000;
          const live = stores[made.which];
          const result = outcome(fields, live, made, nowMs);
          expect(JSON.stringify(outcome(inSteps(createFieldManager(options)), live, made, nowMs))).toBe(
            JSON.stringify(result),
          );
          if (!('object' in result)) continue;
          stores[made.which] = frozen(stored(result.object, result.managedFields));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('the fast path', () => {
  it('has the results of the rules, byte for byte', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 2, maxLength: 12 }), (writes) => {
        const fields = createFieldManager(options);
        const rules = createFieldManager(options);
        const stores: (StoredObject | undefined)[] = [];
        let nowMs = Date.UTC(2024, 0, 1);
        for (const made of writes) {
          nowMs += made.seconds * 1000;
          const live = stores[made.which];
          const result = outcome(fields, live, made, nowMs);
          // Entries that a client sends back count as none.
          const sends = live === undefined ? 'foreign' : 'none';
          const expected = outcome(rules, forRules(live), { ...made, sends }, nowMs);
          expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
          if (!('object' in result)) continue;
          const { object, managedFields } = result;
          stores[made.which] = frozen(stored(object, managedFields));
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('an entry', () => {
  const fields = createFieldManager(options);
  const object = (mode: string, more: JsonObject = {}): ApiObject =>
    frozen({ apiVersion: 'v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { mode, ...more } });
  const put = (live: StoredObject | undefined, after: ApiObject, manager: string, nowMs: number): StoredObject =>
    frozen(stored(after as JsonObject, fields.update({ live, object: after, manager, now: nowMs })));

  it('keeps its set while its manager changes the fields that it owns', () => {
    const first = put(undefined, object('a', { steps: ['x'] }), 'm', 0);
    const before = JSON.stringify(first);
    const second = put(first, object('b', { steps: ['x'] }), 'm', 5000);
    const [one, two] = [first.metadata.managedFields?.[0], second.metadata.managedFields?.[0]];
    expect(two?.fieldsV1).toBe(one?.fieldsV1);
    expect(JSON.stringify(two)).toBe(JSON.stringify({ ...one, time: '1970-01-01T00:00:05Z' }));
    expect(JSON.stringify(first)).toBe(before);
  });

  it('is kept itself while nothing changes for its manager, and in the second in which it was written', () => {
    const first = put(undefined, object('a'), 'm', 0);
    const second = put(first, object('a', { steps: ['x'] }), 'n', 1000);
    const third = put(second, object('a', { steps: ['y'] }), 'n', 1999);
    expect(second.metadata.managedFields?.[0]).toBe(first.metadata.managedFields?.[0]);
    expect(third.metadata.managedFields?.[0]).toBe(first.metadata.managedFields?.[0]);
    expect(third.metadata.managedFields?.[1]).toBe(second.metadata.managedFields?.[1]);
    expect(third.metadata.managedFields).not.toBe(second.metadata.managedFields);
  });

  it('is written in order and in its one form, whatever a client has sent', () => {
    const first = put(undefined, object('a'), 'm', 0);
    const odd = (fieldsV1: JsonObject): string => {
      const managedFields = [{ ...first.metadata.managedFields?.[0], fieldsV1 }];
      const live = frozen(stored(first, managedFields));
      return JSON.stringify(put(live, object('b'), 'm', 0).metadata.managedFields?.[0]?.fieldsV1);
    };
    expect(odd({ 'f:spec': { 'f:steps': {}, 'f:mode': {} } })).toBe('{"f:spec":{"f:mode":{},"f:steps":{}}}');
    expect(odd({ 'f:spec': { 'f:mode': { '.': {} }, 'f:steps': { '.': {} } } })).toBe(
      '{"f:spec":{"f:mode":{},"f:steps":{}}}',
    );
    expect(odd({ 'f:metadata': { 'f:uid': {}, 'f:labels': {} }, 'f:spec': { 'f:mode': {} } })).toBe(
      '{"f:metadata":{"f:labels":{}},"f:spec":{"f:mode":{}}}',
    );
    expect(odd({ 'f:spec': { 'f:sealed': { 'f:left': {} }, 'f:mode': {} } })).toBe(
      '{"f:spec":{"f:mode":{},"f:sealed":{}}}',
    );
  });
});
