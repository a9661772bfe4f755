/** A small language for operations on one object, and invariants after every one of them. */
import { expect } from 'vitest';
import { ConflictError } from '../../../src/machinery/apply/merge/conflict.js';
import {
  createFieldManager,
  decodeManagedFields,
  type FieldManagerOptions,
  type FieldSet,
} from '../../../src/machinery/index.js';
import { compare } from '../../../src/machinery/apply/typed/compare.js';
import { isEmpty, union, EMPTY, isSubset } from '../../../src/machinery/apply/fieldpath/fieldset.js';
import { typeOf } from '../../../src/machinery/apply/typed/type.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { cloneJson, type JsonObject, type JsonValue } from '../../../src/foundation/json/json.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../../../src/foundation/objects/object.js';
import { gadget } from './schemas.js';

export type Operation =
  | { readonly op: 'apply'; readonly manager: string; readonly spec: JsonObject; readonly subresource?: string }
  | { readonly op: 'force'; readonly manager: string; readonly spec: JsonObject; readonly subresource?: string }
  | {
      readonly op: 'update';
      readonly manager: string;
      readonly spec: JsonObject;
      readonly managedFields?: ManagedFieldsEntry[];
      readonly subresource?: string;
    }
  | {
      readonly op: 'expectConflict';
      readonly manager: string;
      readonly spec: JsonObject;
      readonly fields: readonly string[];
    }
  | { readonly op: 'expectError'; readonly manager: string; readonly spec: JsonObject; readonly message: string };

export const apply = (manager: string, spec: JsonObject): Operation => ({ op: 'apply', manager, spec });
export const force = (manager: string, spec: JsonObject): Operation => ({ op: 'force', manager, spec });
export const update = (manager: string, spec: JsonObject, managedFields?: ManagedFieldsEntry[]): Operation => ({
  op: 'update',
  manager,
  spec,
  ...(managedFields ? { managedFields } : {}),
});
export const expectConflict = (manager: string, spec: JsonObject, ...fields: string[]): Operation => ({
  op: 'expectConflict',
  manager,
  spec,
  fields,
});
export const expectError = (manager: string, spec: JsonObject, message: string): Operation => ({
  op: 'expectError',
  manager,
  spec,
  message,
});

export interface State {
  readonly spec: JsonValue | undefined;
  /** `manager operation` to its fields below `f:spec`. */
  readonly managed: Record<string, FieldSet>;
  readonly stored: StoredObject | undefined;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** Runs operations on an empty state. Every input is frozen, so that a change to one fails the test. */
export function run(ops: readonly Operation[], options: Partial<FieldManagerOptions> = {}): State {
  const fields = createFieldManager({ schema: gadget, apiVersion: 'v1', kind: 'Gadget', ...options });
  let live: StoredObject | undefined;
  let nowMs = Date.UTC(2024, 0, 1);
  const object = (spec: JsonObject): JsonObject =>
    deepFreeze({ apiVersion: 'v1', kind: 'Gadget', metadata: { name: 'g' }, spec: cloneJson(spec) });
  for (const operation of ops) {
    nowMs += 1000;
    const { manager, spec } = operation;
    const write = { live, manager, now: nowMs };
    if (operation.op === 'update') {
      const after = object(spec) as ApiObject;
      const withFields = {
        ...after,
        metadata: { ...after.metadata, ...(operation.managedFields ? { managedFields: operation.managedFields } : {}) },
      };
      live = store(after, fields.update({ ...write, object: withFields }));
    } else if (operation.op === 'apply' || operation.op === 'force') {
      const result = fields.apply({ ...write, applied: object(spec), force: operation.op === 'force' });
      live = store(result.object as ApiObject, result.managedFields);
    } else {
      const error = thrownBy(() => fields.apply({ ...write, applied: object(spec), force: false }));
      if (operation.op === 'expectError') expect(error.message).toBe(operation.message);
      else {
        expect(error.cause).toBeInstanceOf(ConflictError);
        expect(error.status.details?.causes?.map((cause) => cause.field)).toEqual(operation.fields);
      }
    }
    checkInvariants(live);
  }
  return stateOf(live);
}

function thrownBy(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  }
  throw new Error('expected an ApiError, but nothing was thrown');
}

function store(object: ApiObject, managedFields: ManagedFieldsEntry[]): StoredObject {
  const { managedFields: _old, ...metadata } = object.metadata;
  const stored: ApiObject = { ...object, metadata: { ...metadata, uid: 'u', managedFields } };
  return deepFreeze(stored) as JsonObject as StoredObject;
}

/**
 * No empty set is kept; every entry can be parsed; fields owned by appliers exist in the object, possibly as
 * containers.
 */
function checkInvariants(live: StoredObject | undefined): void {
  if (live === undefined) return;
  const { managedFields = [] } = live.metadata;
  const records = [...decodeManagedFields(managedFields).values()];
  expect(records).toHaveLength(managedFields.length);
  for (const record of records) expect(isEmpty(record.set)).toBe(false);
  const { managedFields: _records, ...metadata } = live.metadata;
  const present = compare({}, { ...live, metadata: metadata as JsonObject }, typeOf(gadget)).added;
  const applied = records
    .filter((record) => record.operation === 'Apply')
    .reduce((set, record) => union(set, record.set), EMPTY);
  expect(isSubset(applied, present)).toBe(true);
}

export function stateOf(stored: StoredObject | undefined): State {
  const managed: Record<string, FieldSet> = {};
  for (const { manager, operation, fieldsV1 } of stored?.metadata.managedFields ?? [])
    managed[`${manager} ${operation}`] = (fieldsV1 as FieldSet)['f:spec'] as FieldSet;
  return { spec: stored?.['spec'] as JsonValue | undefined, managed, stored };
}
