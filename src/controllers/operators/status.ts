import { cloneJson, equalJson, type Clock, type JsonObject } from '../../foundation/index.js';
import { hasReason } from '../runtime/failures.js';
import type { AnyObject, AnyResource } from '../runtime/served-kinds.js';
import { withConditions, type Condition, type StoredCondition } from './conditions.js';

/** Number of attempts while others write the object. */
const ATTEMPTS = 3;

/** The statements of a controller about an object. */
export interface StatusChange {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly conditions: readonly Condition[];
  /** The generation that the run has read. */
  readonly generation: number | undefined;
}

type Status = Readonly<Record<string, unknown>>;

/** Returns the status of an object; empty without one. */
const statusOf = (object: object): Status =>
  'status' in object && typeof object.status === 'object' && object.status !== null ? { ...object.status } : {};

/**
 * Writes the fields of a status that differ from an object, on the condition that the object has not changed; otherwise
 * reads it again. Sends nothing when nothing differs.
 *
 * @returns the object with the status
 * @throws ApiError as the patch does; 409 when others change the object again and again
 */
export async function writeStatus(
  resource: AnyResource,
  read: AnyObject,
  change: StatusChange,
  clock: Clock,
): Promise<AnyObject> {
  const { name = '' } = read.metadata;
  let object = read;
  for (let attempt = 1; ; attempt += 1) {
    const status = differences(statusOf(object), change, clock.now());
    if (status === undefined) return object;
    const { uid, resourceVersion } = object.metadata;
    try {
      const patch = { metadata: { uid, resourceVersion }, status };
      return await resource.patch(name, patch, { subresource: 'status' });
    } catch (error) {
      if (!hasReason(error, 'Conflict') || attempt === ATTEMPTS) throw error;
      object = await resource.get(name);
      // Another object of the same name has a status of its own.
      if (object.metadata.uid !== read.metadata.uid) throw error;
    }
  }
}

/** Returns the fields of the status to write; undefined when there are none. */
function differences(current: Status, change: StatusChange, nowMs: number): JsonObject | undefined {
  const next = { ...change.fields };
  if (change.conditions.length > 0) {
    const stored = Array.isArray(current['conditions']) ? (current['conditions'] as StoredCondition[]) : [];
    next['conditions'] = withConditions(stored, change.conditions, { nowMs, generation: change.generation });
  }
  const changed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(next)) {
    const known = Object.hasOwn(current, field) ? current[field] : undefined;
    // A merge patch removes a field by null.
    if (!isSame(known, value)) changed[field] = value ?? null;
  }
  return Object.keys(changed).length === 0 ? undefined : cloneJson(changed as JsonObject);
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && equalJson(a as JsonObject, b as JsonObject));
