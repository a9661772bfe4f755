import { errors } from '../meta/api-error.js';
import type { FieldError } from '../meta/field-error.js';
import type { JsonObject, MutableJsonObject } from '../meta/json.js';
import { dnsSubdomain } from '../meta/names.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import { dedupOwnerReferences } from '../meta/owner-references.js';
import { validateObjectMeta, validateObjectMetaUpdate, type ObjectMetaRules } from '../meta/validate-object-meta.js';
import { nullEmptyLists, runRefinements, validateObject } from '../schema/index.js';
import type { RequestContext } from './context.js';
import type { ResourceInfo } from './resource-info.js';
import type { SubresourceStrategy } from './strategy.js';

/** What the schema says; the rules that only zod can check are asked when the others hold. */
function schemaProblems(info: ResourceInfo, object: JsonObject): FieldError[] {
  const found = validateObject(object, info.schema, { origin: info.definition.origin ?? 'user' });
  return found.length === 0 && info.refined ? runRefinements(info.zodSchema, object) : found;
}

/** What is wrong with any object, before its kind's own rules. */
function problemsOf(info: ResourceInfo, object: ApiObject, context: RequestContext): FieldError[] {
  const { strategy } = info.definition;
  const nameRule = strategy?.nameRuleOf?.(object as StoredObject) ?? strategy?.nameRule ?? dnsSubdomain;
  return [...validateObjectMeta(object.metadata, { namespaced: info.namespaced, nameRule, ...metaRules(info, context) }), ...schemaProblems(info, object as JsonObject)];
}

/** Refuses an object of a virtual kind that its schema does not allow. Metadata have no rules there: nothing is stored under them. @throws ApiError 422 */
export function validatePerformed(info: ResourceInfo, object: ApiObject): void {
  refuse(info, object, schemaProblems(info, object as JsonObject));
}

const metaRules = (info: ResourceInfo, context: RequestContext): ObjectMetaRules => ({
  dialect: context.dialect,
  finalizerDomains: info.definition.origin === 'builtin' ? 'qualified' : 'any',
});

function refuse(info: ResourceInfo, object: ApiObject, problems: readonly FieldError[]): void {
  if (problems.length === 0) return;
  // A change is checked as a change and as a new state: what is wrong in both is said once.
  const distinct = new Map(problems.map((problem) => [String(problem), problem]));
  throw errors.invalid(info, object.metadata.name ?? '', [...distinct.values()]);
}

function warn(info: ResourceInfo, object: ApiObject, old: StoredObject | undefined, context: RequestContext): void {
  const { strategy } = info.definition;
  if (strategy?.warnings === undefined) return;
  for (const text of strategy.warnings(object as StoredObject, old, context)) context.warn(text);
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
  const judge = (own: readonly FieldError[]): void => {
    refuse(info, object, [...problemsOf(info, object, context), ...own]);
    warn(info, object, undefined, context);
  };
  if (strategy?.validateNew !== undefined) return strategy.validateNew(stored, context).then(judge);
  judge(strategy?.validate?.(stored, context) ?? []);
  return undefined;
}

/**
 * Checks a change of an object.
 *
 * @throws ApiError 422 with every broken rule
 */
export function validateChange(info: ResourceInfo, object: ApiObject, old: StoredObject, context: RequestContext, subresource?: SubresourceStrategy): void {
  const { strategy } = info.definition;
  const stored = object as StoredObject;
  refuse(info, object, [
    ...validateObjectMetaUpdate(object.metadata, old.metadata, metaRules(info, context)),
    ...problemsOf(info, object, context),
    ...(strategy?.validate?.(stored, context, old) ?? []),
    ...((subresource ?? strategy)?.validateUpdate?.(stored, old, context) ?? []),
  ]);
  warn(info, object, old, context);
}
