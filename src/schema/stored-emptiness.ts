import { isArray, isJsonObject, type JsonValue, type MutableJsonObject } from '../meta/json.js';
import type { StructuralSchema } from './structural.js';

/** The positions of lists and maps that are null when empty. */
interface EmptyPlan {
  readonly names: string[];
  readonly inner: [name: string, plan: EmptyPlan][];
  /** Plan of the items of a list, or of the values of a map. */
  each?: EmptyPlan;
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

/**
 * Replaces empty lists and maps of a built-in object with null, in place, in fields that are always written. Kubernetes
 * stores objects as protobuf, which does not distinguish an empty list from an absent one. Before storage they differ:
 * only sent fields have an owner. Built-in types are not recursive.
 */
export function nullEmptyLists(object: MutableJsonObject, schema: StructuralSchema): void {
  const plan = planOf(schema);
  if (!isIdle(plan)) apply(object, plan);
}

function apply(value: JsonValue | undefined, plan: EmptyPlan): void {
  if (isArray(value)) {
    if (plan.each !== undefined) for (const item of value) apply(item, plan.each);
    return;
  }
  if (!isJsonObject(value)) return;
  const object = value as MutableJsonObject;
  for (const name of plan.names) if (isEmpty(object[name])) object[name] = null;
  for (const [name, inner] of plan.inner) apply(object[name], inner);
  if (plan.each !== undefined) for (const member of Object.values(object)) apply(member, plan.each);
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
