import { atOnce, type MaybeSteps } from '../../../src/foundation/work/work.js';
import './loaded-kinds.js';
import type { FieldError } from '../../../src/foundation/errors/field-error.js';
import {
  cloneJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../../../src/foundation/json/json.js';
import type { ApiObject, StoredObject } from '../../../src/foundation/objects/object.js';
import { kubernetes, orch, type Dialect } from '../../../src/foundation/dialect/dialect.js';
import { groupName } from '../../../src/foundation/dialect/groups.js';
import type { RequestContext } from '../../../src/registry/store/context.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import type { SubresourceStrategy } from '../../../src/registry/definition/strategy.js';
import { FeatureGates } from '../../../src/server/settings/feature-gates.js';
import { compileSchema } from '../../../src/machinery/schema/define/compile.js';
import { objectSchema } from '../../../src/machinery/schema/define/object-meta.js';
import { readObject } from '../../../src/machinery/schema/read/read-object.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';

export { kubernetes, orch };

export const NOW = Date.parse('2024-05-01T12:00:00Z');

/** A context whose clock stands still, with the default features. */
export function contextOf(dialect: Dialect = orch, gates: Gates = {}): RequestContext {
  return {
    user: { username: 'tester', groups: [] },
    dialect,
    clock: { now: () => NOW, after: () => ({ cancel: () => undefined }) },
    entropy: { uuid: () => '00000000-0000-4000-8000-000000000000', bytes: (length) => new Uint8Array(length) },
    featureGates: FeatureGates.from({ ...gates }),
    userAgent: 'test',
    warn: () => undefined,
  };
}

export const context = contextOf();

/** Freezes a value deeply: any change throws. */
export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}

/** The schema of complete objects of a kind. */
export function schemaOf(definition: ResourceDefinition, dialect: Dialect = orch): StructuralSchema {
  const schema = definition.structural?.(dialect) ?? compileSchema(definition.schema());
  return objectSchema({ kind: definition.kind, schema });
}

/** An object as the server decodes it: parsed with the schema, then defaulted. */
export function decode(definition: ResourceDefinition, manifest: JsonObject, dialect: Dialect = orch): ApiObject {
  const group = groupName(definition.group, dialect);
  const { object, unknownFields } = readObject(
    freeze({
      apiVersion: group === '' ? definition.version : `${group}/${definition.version}`,
      kind: definition.kind,
      metadata: {},
      ...manifest,
    }),
    schemaOf(definition, dialect),
    { origin: 'builtin' },
  );
  if (unknownFields.length > 0) throw new Error(`unknown fields: ${unknownFields.join(', ')}`);
  const decoded = object as MutableJsonObject & ApiObject;
  atOnce(definition.strategy?.defaults?.(decoded, contextOf(dialect)));
  return decoded;
}

/** Feature gates that differ from their default. */
export type Gates = Readonly<Record<string, boolean>>;

/** An object as it is stored after a create, without the registry's own fields; frozen. */
export function create(
  definition: ResourceDefinition,
  manifest: JsonObject,
  dialect: Dialect = orch,
  gates: Gates = {},
): StoredObject {
  const object = decode(definition, manifest, dialect);
  atOnce(definition.strategy?.prepareForCreate?.(object, contextOf(dialect, gates)));
  atOnce(definition.strategy?.canonicalize?.(object, contextOf(dialect, gates)));
  return freeze(object as StoredObject);
}

/** Changes by path: `spec.containers.0.image`. Undefined removes the field. */
export type Changes = Readonly<Record<string, JsonValue | undefined>>;

/** A copy of a stored object with changes, for an update. */
export function changed(old: StoredObject, changes: Changes): ApiObject {
  const object = cloneJson(old as JsonObject);
  for (const [path, value] of Object.entries({ ...changes, 'metadata.resourceVersion': '7' })) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let parent = object;
    for (const name of names) parent = (parent[name] ??= {}) as MutableJsonObject;
    if (value === undefined) delete parent[last];
    else parent[last] = cloneJson(value);
  }
  return object as MutableJsonObject & ApiObject;
}

export const texts = (errors: MaybeSteps<readonly FieldError[]> = []): string[] => atOnce(errors).map(String);

/** The errors of a check that does not wait: without a limit of work, none that is made in slices does. */
export function unlessWaiting(
  errors: MaybeSteps<readonly FieldError[]> | Promise<readonly FieldError[]> | undefined,
): MaybeSteps<readonly FieldError[]> | undefined {
  if (errors instanceof Promise) throw new Error('the check waits');
  return errors;
}

/** The errors of a new object. */
export function problems(
  definition: ResourceDefinition,
  manifest: JsonObject,
  dialect: Dialect = orch,
  gates: Gates = {},
): string[] {
  const object = create(definition, manifest, dialect, gates);
  const { strategy } = definition;
  const given = contextOf(dialect, gates);
  return texts(unlessWaiting(strategy?.validateNew?.(object, given)) ?? strategy?.validate?.(object, given));
}

/** The errors of a change, beyond those of the new state. */
export function updateProblems(definition: ResourceDefinition, old: StoredObject, change: Changes): string[] {
  const object = changed(old, change);
  atOnce(definition.strategy?.prepareForUpdate?.(object, old, context));
  return texts(definition.strategy?.validateUpdate?.(freeze(object as StoredObject), old, context));
}

/** The warnings about a new object. */
export function warnings(definition: ResourceDefinition, object: StoredObject, dialect: Dialect = orch): string[] {
  return atOnce(definition.strategy?.warnings?.(object, undefined, contextOf(dialect))) ?? [];
}

/** The cells of an object by column. */
export function cells(definition: ResourceDefinition, object: StoredObject): Record<string, JsonValue> {
  return Object.fromEntries(
    (definition.columns ?? []).map((column) => {
      const cell = column.cell(object);
      return [column.name, typeof cell === 'function' ? cell(NOW) : cell];
    }),
  );
}

/** The strategy of a subresource. */
export function subresourceStrategy(definition: ResourceDefinition, name: string): SubresourceStrategy {
  const subresource = definition.subresources?.[name];
  if (subresource === undefined || !('strategy' in subresource))
    throw new Error(`${definition.kind} has no part ${name}`);
  return subresource.strategy;
}
