/** The converted forms of long records are made in steps. */
import { describe, expect, test } from 'vitest';
import { asciiJson } from '../../src/foundation/json/ascii-json.js';
import type { StoredObject } from '../../src/foundation/index.js';
import { UNBOUNDED_WORK, type Steps } from '../../src/foundation/work/work.js';
import { customKinds } from '../../src/kinds/custom/kinds.js';
import { noConversion } from '../../src/kinds/custom/versions.js';
import { kubernetes } from '../../src/foundation/index.js';
import { CompiledArtefacts } from '../../src/foundation/work/compiled-artefacts.js';
import { pruneIntentSteps } from '../../src/machinery/schema/read/prune.js';
import { ConvertedRecords } from '../../src/registry/records/converted-records.js';
import type { ConvertedForm, DecodedForms } from '../../src/registry/records/decoded-forms.js';
import { StoredForm, typePrefix } from '../../src/registry/records/stored-form.js';
import type { StorageRecord } from '../../src/storage/index.js';
import { createRegistry } from './registry.js';

const version = (name: string, storage: boolean) => ({
  ...{ name, served: true, storage },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } } },
    } as const,
  },
});

/** A kind of two versions, of which the second is converted, and the number of records that were parsed. */
function world() {
  const kinds = customKinds(
    {
      ...{ group: 'example.com', names: { plural: 'things', kind: 'Thing' }, scope: 'Namespaced' },
      versions: [version('v1', true), version('v2', false)],
    },
    kubernetes,
    noConversion,
    { compiled: new CompiledArtefacts(Infinity, () => ({ hold: () => undefined })) },
  );
  const registry = createRegistry();
  const [v1, v2] = kinds.map((kind) => registry.store(kind).info);
  if (v1 === undefined || v2 === undefined) throw new Error('no kinds');
  const cached: ConvertedForm[] = [];
  let parsed = 0;
  const forms: Pick<DecodedForms, 'read' | 'cacheConverted'> = {
    read: ({ text }) => {
      parsed += 1;
      return JSON.parse(text) as StoredObject;
    },
    cacheConverted: (known, record, form) => {
      cached.push(form);
      known.set(record, form);
    },
  };
  const decodedForms = forms as DecodedForms;
  const form = new StoredForm(v2.hub, decodedForms, v2);
  const converted = new ConvertedRecords(v2, form, typePrefix(v2), decodedForms);
  return { form, converted, cached, schema: v1.definition.structural?.(kubernetes), parsed: () => parsed };
}

const objectOf = (version: string, members: number): StoredObject =>
  ({
    ...{ kind: 'Thing', apiVersion: `example.com/${version}`, metadata: { name: 'a', uid: 'u' } },
    spec: Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}é`, [index]])),
  }) as unknown as StoredObject;

const recordOf = (text: string): StorageRecord => ({ key: '/a', text, modRevision: 1, createRevision: 1 }) as never;

/** Takes all steps, with work that pauses whenever it may. */
function taken<Result>(stepsOf: (work: typeof UNBOUNDED_WORK) => Steps<Result>) {
  let heldBytes = 0;
  let mostBytes = 0;
  const steps = stepsOf({
    ...UNBOUNDED_WORK,
    spend: () => true,
    reserve: (bytes) => void (mostBytes = Math.max(mostBytes, (heldBytes += bytes))),
    release: (bytes) => void (heldBytes -= bytes),
  });
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  return { value: step.value, pauses, heldBytes, mostBytes };
}

describe('the converted form of a record', () => {
  test('is encoded with pauses when it is long, and its memory is reserved meanwhile', () => {
    const { converted, cached } = world();
    const record = recordOf(asciiJson(objectOf('v1', 20_000)));
    const object = objectOf('v2', 20_000);
    const { value, pauses, heldBytes, mostBytes } = taken((work) => converted.keepSteps(record, object, work));
    expect(value).toEqual({ object, text: asciiJson(object) });
    expect(pauses).toBeGreaterThan(20_000);
    expect(mostBytes).toBe(value.text.length);
    expect(heldBytes).toBe(0);
    expect(cached).toEqual([value]);
    expect(converted.of(record)).toBe(value);
  });

  test('is encoded at once when it is short', () => {
    const { converted } = world();
    const record = recordOf(asciiJson(objectOf('v1', 3)));
    const { value, pauses } = taken((work) => converted.keepSteps(record, objectOf('v2', 3), work));
    expect(value).toEqual(converted.keep(record, objectOf('v2', 3)));
    expect(pauses).toBe(0);
  });
});

test('what is converted is pruned with a pause at each member and item', () => {
  const { schema } = world();
  if (schema === undefined) throw new Error('no schema');
  const { spec } = objectOf('v1', 5_000) as StoredObject & { readonly spec: object };
  const { value, pauses } = taken((work) => pruneIntentSteps(work, { spec, other: 1 } as never, schema));
  expect(value).toEqual({ spec });
  expect(pauses).toBeGreaterThan(10_000);
});

test('the version of a record is told by the start of its text', () => {
  const { form, parsed } = world();
  expect(form.problemOf(recordOf(asciiJson(objectOf('v1', 3))))).toBeUndefined();
  expect(form.problemOf(recordOf(asciiJson(objectOf('v2', 3))))).toBeUndefined();
  expect(parsed()).toBe(0);
  expect(form.problemOf(recordOf(asciiJson(objectOf('v3', 3))))?.message).toBe(
    'request to convert CR from an invalid group/version: example.com/v3',
  );
  // Another program has written it.
  const { kind, apiVersion, ...rest } = objectOf('v1', 3);
  expect(form.problemOf(recordOf(JSON.stringify({ apiVersion, kind, ...rest })))).toBeUndefined();
  expect(parsed()).toBe(2);
});
