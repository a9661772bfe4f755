import {
  isArray,
  isJsonObject,
  type JsonValue,
  type MutableJsonObject,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';

/** The positions of lists and maps that are null when empty. */
interface EmptyPlan {
  readonly names: string[];
  readonly inner: [name: string, plan: EmptyPlan][];
  /** Plan of the items of a list, or of the values of a map. */
  each?: EmptyPlan | undefined;
}

const plans = new WeakMap<StructuralSchema, EmptyPlan>();

const isNullWhenEmpty = ({ type, presence, nullable, additionalProperties }: StructuralSchema): boolean =>
  presence === 'always' && nullable === true && (type === 'array' || additionalProperties !== undefined);

function planOf(schema: StructuralSchema): EmptyPlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan: EmptyPlan = { names: [], inner: [] };
  plans.set(schema, plan);
  for (const [name, field] of schema.properties ?? []) {
    if (isNullWhenEmpty(field)) plan.names.push(name);
    const inner = planOf(field);
    if (!isIdle(inner)) plan.inner.push([name, inner]);
  }
  const each = schema.items ?? schema.additionalProperties;
  if (each !== undefined && !isIdle(planOf(each))) plan.each = planOf(each);
  return plan;
}

const isIdle = ({ names, inner, each }: EmptyPlan): boolean =>
  names.length === 0 && inner.length === 0 && each === undefined;

/** Units of work to look at a value. */
const VALUE_UNITS = 1;

/**
 * Replaces empty lists and maps of a built-in object with null, in place, in fields that are always written. Kubernetes
 * stores objects as protobuf, which does not distinguish an empty list from an absent one. Before storage they differ:
 * only sent fields have an owner. Built-in types are not recursive.
 *
 * @returns the steps; undefined when the kind has no such field
 */
export function nullEmptyLists(
  object: MutableJsonObject,
  schema: StructuralSchema,
  work: Work,
): Steps<void> | undefined {
  const plan = planOf(schema);
  return isIdle(plan) ? undefined : apply(object, plan, work);
}

function* apply(value: JsonValue | undefined, plan: EmptyPlan, work: Work): Steps<void> {
  if (isArray(value)) {
    if (plan.each !== undefined) yield* applyToAll(value, plan.each, work);
    return;
  }
  if (!isJsonObject(value)) return;
  const object = value as MutableJsonObject;
  for (const name of plan.names) if (isEmpty(object[name])) object[name] = null;
  for (const [name, inner] of plan.inner) if (object[name] !== undefined) yield* apply(object[name], inner, work);
  if (plan.each !== undefined) yield* applyToAll(Object.values(object), plan.each, work);
}

function* applyToAll(values: readonly (JsonValue | undefined)[], plan: EmptyPlan, work: Work): Steps<void> {
  for (const value of values) {
    if (work.spend(VALUE_UNITS)) yield;
    yield* apply(value, plan, work);
  }
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length === 0;
  return isJsonObject(value) && !hasMember(value);
}

function hasMember(object: object): boolean {
  for (const _name in object) return true;
  return false;
}
