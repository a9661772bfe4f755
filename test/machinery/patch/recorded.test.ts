/** Replays patches recorded from a Kubernetes server, and their results. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { patchTypeOf, type PreparedPatch } from '../../../src/machinery/patch/index.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import { configMap, serviceAccount } from './schemas.js';
import { deepFreeze, failureOf } from './tools.js';

interface Step {
  readonly name?: string;
  readonly of: string;
  readonly type?: string;
  readonly patch?: JsonValue;
  /** The object afterwards; without a patch, the object as sent. */
  readonly object?: JsonObject;
  readonly refused?: JsonObject;
  readonly warning?: readonly string[];
}

const families = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8')) as Record<
  string,
  readonly Step[]
>;

/**
 * Fields that a server adds or omits, on both sides: system metadata, empty values, unknown fields, types of secrets.
 */
function comparable(object: JsonObject): JsonValue {
  const copy = cloneJson(object);
  const { metadata } = copy;
  if (isJsonObject(metadata))
    for (const key of ['creationTimestamp', 'managedFields', 'namespace', 'resourceVersion', 'uid'])
      delete metadata[key];
  delete copy['colour'];
  return withoutEmpty(copy);
}

function withoutEmpty(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutEmpty);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, member]) => key !== 'uid' && !(key === 'kind' && member === 'Secret'))
    .map(([key, member]) => [key, withoutEmpty(member ?? null)] as const)
    .filter(([, member]) => !(typeof member === 'object' && member !== null && Object.keys(member).length === 0));
  return Object.fromEntries(entries);
}

function check(step: Step, before: JsonObject, schema: StructuralSchema): JsonObject {
  const type = patchTypeOf(step.type ?? '');
  if (type?.prepare === undefined) throw new Error(`no patch type ${step.type}`);
  const { prepare: steps } = type;
  const prepare = (body: JsonValue): PreparedPatch => atOnce(steps(UNBOUNDED_WORK, body));
  if (step.refused !== undefined) {
    const { status } = failureOf(() => prepare(step.patch ?? null).apply(before, schema));
    const { message, ...facts } = status;
    expect({ ...facts, ...('message' in step.refused ? { message } : {}) }, step.name).toEqual(step.refused);
    return before;
  }
  const patch = prepare(deepFreeze(step.patch ?? null));
  const after = patch.apply(before, schema);
  if (!isJsonObject(after)) throw new Error('not an object');
  expect(comparable(after), step.name).toEqual(comparable(step.object ?? {}));
  const warnings = patch.unknownFields.map((path) => `299 - "json patch unknown field \\"${path}\\""`);
  if (!JSON.stringify(step.warning ?? '').includes('colour'))
    expect(step.name?.includes('Ignore') === true ? [] : warnings).toEqual(step.warning ?? []);
  return deepFreeze(after);
}

/** An object as it is stored. */
function stored(object: JsonObject): JsonObject {
  const { metadata } = object;
  return deepFreeze({ ...object, metadata: { ...(isJsonObject(metadata) ? metadata : {}), resourceVersion: '1' } });
}

test.each(Object.entries(families))('%s', (_family, steps) => {
  const objects = new Map<string, JsonObject>();
  let checked = 0;
  for (const step of steps) {
    const schema = step.of.includes('configmaps') ? configMap : serviceAccount;
    if (step.type === undefined) objects.set(step.of, stored(step.object ?? {}));
    else {
      const before = objects.get(step.of) ?? {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'doc' },
        data: {},
      };
      objects.set(step.of, check(step, before, schema));
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(1);
});
