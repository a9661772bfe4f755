import { ApiError, errors } from '../meta/api-error.js';
import type { FieldError } from '../meta/field-error.js';
import type { JsonObject, MutableJsonObject } from '../meta/json.js';
import { dnsSubdomain } from '../meta/names.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import { dedupOwnerReferences } from '../meta/owner-references.js';
import { validateObjectMeta, validateObjectMetaUpdate, type ObjectMetaRules } from '../meta/validate-object-meta.js';
import { nullEmptyLists, runRefinements, validateObject } from '../schema/index.js';
import { StorageError } from '../storage/storage.js';
import type { RequestContext } from './context.js';
import type { ResourceInfo } from './resource-info.js';
import type { SubresourceStrategy } from './strategy.js';

/** What the schema says; the rules that only zod can check are asked when the others hold. */
function schemaProblems(info: ResourceInfo, object: JsonObject): FieldError[] {
  const found = validateObject(object, info.schema, { origin: info.definition.origin ?? 'user' });
  return found.length === 0 && info.refined ? runRefinements(info.zodSchema, object) : found;
}

/** What is wrong with the metadata of an object. */
function metadataProblems(info: ResourceInfo, object: ApiObject, context: RequestContext): FieldError[] {
  const { strategy } = info.definition;
  const nameRule = strategy?.nameRuleOf?.(object) ?? strategy?.nameRule ?? dnsSubdomain;
  return validateObjectMeta(object.metadata, { namespaced: info.namespaced, nameRule, ...metaRules(info, context) });
}

/**
 * Whether the rules of a kind's author are asked about an object. Those of a user get objects of the schema's type: what
 * breaks the schema is refused without them.
 */
const rulesApply = (info: ResourceInfo, schema: readonly FieldError[]): boolean =>
  schema.length === 0 || info.definition.origin === 'builtin';

/** Refuses an object of a virtual kind that its schema does not allow. Metadata have no rules there: nothing is stored under them. @throws ApiError 422 */
export function validatePerformed(info: ResourceInfo, object: ApiObject): void {
  refuse(info, object, schemaProblems(info, object as JsonObject));
}

/**
 * What becomes of an error that a hook has thrown which gets objects before they are validated: a value of a wrong type may
 * have led it astray, and is refused as it would have been afterwards.
 */
export function refusalOf(info: ResourceInfo, object: ApiObject | undefined, error: unknown): unknown {
  if (
    object === undefined ||
    error instanceof ApiError ||
    error instanceof StorageError ||
    info.definition.origin === 'builtin'
  )
    return error;
  const problems = schemaProblems(info, object as JsonObject);
  return problems.length === 0 ? error : errors.invalid(info, object.metadata.name ?? '', problems);
}

const metaRules = (info: ResourceInfo, context: RequestContext): ObjectMetaRules => ({
  dialect: context.dialect,
  finalizerDomains: info.definition.origin === 'builtin' ? 'qualified' : 'any',
});

function refuse(info: ResourceInfo, object: ApiObject, problems: readonly FieldError[]): void {
  if (problems.length === 0) return;
  // A change is checked as a change and as a new state: what is wrong in both is said once.
  // Each text is made once a value: many errors may show the same long one.
  const numbers = new Map<unknown, number>();
  const numberOf = (value: unknown): number =>
    numbers.get(value) ?? (numbers.set(value, numbers.size), numbers.size - 1);
  const distinct = new Map(
    problems.map((problem) => [
      JSON.stringify([problem.type, problem.field, problem.detail, numberOf(problem.value)]),
      problem,
    ]),
  );
  throw errors.invalid(info, object.metadata.name ?? '', [...distinct.values()]);
}

function warn(info: ResourceInfo, object: ApiObject, old: StoredObject | undefined, context: RequestContext): void {
  const { strategy } = info.definition;
  if (strategy?.warnings === undefined) return;
  for (const text of strategy.warnings(object, old, context)) context.warn(text);
}

/** Brings a valid object into its one form, as it is stored. */
export function canonicalize({ definition, schema }: ResourceInfo, object: ApiObject, context: RequestContext): void {
  definition.strategy?.canonicalize?.(object, context);
  if (definition.origin === 'builtin') nullEmptyLists(object as MutableJsonObject, schema);
}

/** Removes owner references that stand twice, with the warning that production gives. */
export function dedupOwners(object: ApiObject, context: RequestContext): void {
  if (object.metadata.ownerReferences === undefined) return;
  const warning = dedupOwnerReferences(object.metadata);
  if (warning !== undefined) context.warn(warning);
}

/**
 * Checks an object that is to be created.
 *
 * @returns undefined when nothing had to be waited for
 * @throws ApiError 422 with every broken rule
 */
export function validateNew(info: ResourceInfo, object: ApiObject, context: RequestContext): Promise<void> | undefined {
  const { strategy } = info.definition;
  const stored = object as StoredObject;
  const schema = schemaProblems(info, object as JsonObject);
  const judge = (own: readonly FieldError[]): void => {
    refuse(info, object, [...metadataProblems(info, object, context), ...schema, ...own]);
    warn(info, object, undefined, context);
  };
  if (!rulesApply(info, schema)) {
    judge([]);
    return undefined;
  }
  if (strategy?.validateNew !== undefined) return strategy.validateNew(stored, context).then(judge);
  judge(strategy?.validate?.(stored, context) ?? []);
  return undefined;
}

/**
 * Checks a change of an object.
 *
 * @throws ApiError 422 with every broken rule
 */
export function validateChange(
  info: ResourceInfo,
  object: ApiObject,
  old: StoredObject,
  context: RequestContext,
  subresource?: SubresourceStrategy,
): void {
  const { strategy } = info.definition;
  const stored = object as StoredObject;
  const schema = schemaProblems(info, object as JsonObject);
  refuse(info, object, [
    ...validateObjectMetaUpdate(object.metadata, old.metadata, metaRules(info, context)),
    ...metadataProblems(info, object, context),
    ...schema,
    ...(rulesApply(info, schema)
      ? [
          ...(strategy?.validate?.(stored, context, old) ?? []),
          ...((subresource ?? strategy)?.validateUpdate?.(stored, old, context) ?? []),
        ]
      : []),
  ]);
  warn(info, object, old, context);
}
