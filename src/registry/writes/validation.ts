import {
  allErrors,
  ApiError,
  appendErrors,
  atOnce,
  checkObjectMeta,
  checkObjectMetaUpdate,
  dedupOwnerReferences,
  dnsSubdomain,
  errors,
  FieldErrorList,
  inSlices,
  isLargeMeta,
  omittedErrors,
  UNBOUNDED_WORK,
  whenReady,
  workOf,
  type ApiObject,
  type FieldError,
  type JsonObject,
  type MutableJsonObject,
  type ObjectMetaRules,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import { hasConstraints, nullEmptyLists, runRefinements, validateObject, validating } from '../../machinery/index.js';
import { StorageError } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import { withRuleErrors } from '../definition/rules.js';
import type { SubresourceStrategy } from '../definition/strategy.js';
import type { RequestContext } from '../store/context.js';
import { hookResult } from './hook-steps.js';
import { refuseLongObject } from './object-length.js';
import { statusSubresource } from './status.js';

/**
 * Returns the schema errors of an object. Rules that only zod can check run when all others pass.
 *
 * @param old the stored object; undefined for a new one
 * @param part the only field that may have changed; undefined for any
 */
function* schemaProblems(
  info: ResourceInfo,
  object: JsonObject,
  context: RequestContext,
  old?: StoredObject,
  part?: 'status',
): Steps<readonly FieldError[]> {
  const { validator, origin = 'user' } = info.definition;
  if (validator !== undefined) return yield* validator().validate(object, old, context, part);
  const options = { origin, part: origin === 'user' ? part : undefined } as const;
  const values = yield* validating(object, info.schema, options, workOf(context));
  const found = yield* withRuleErrors(values, { rules: info.rules.checker, object, old }, context);
  return found.length === 0 && info.refined ? runRefinements(info.zodSchema, object) : found;
}

/** Returns whether the schema of a kind has nothing to check: its reader has checked types and formats. */
const isUnconstrained = ({ definition, schema, rules, refined }: ResourceInfo): boolean =>
  definition.origin === 'builtin' &&
  definition.validator === undefined &&
  rules.checker === undefined &&
  !refined &&
  !hasConstraints(schema);

const NO_PROBLEMS: readonly FieldError[] = Object.freeze([]);

/** Runs {@link schemaProblems} in slices. Returns a promise only when the first one does not suffice. */
const checkSchema = (
  info: ResourceInfo,
  object: ApiObject,
  context: RequestContext,
  old?: StoredObject,
  part?: 'status',
): readonly FieldError[] | Promise<readonly FieldError[]> =>
  isUnconstrained(info)
    ? NO_PROBLEMS
    : inSlices(workOf(context), schemaProblems(info, object as JsonObject, context, old, part), 'validation');

/** Checks metadata: what is large in the slices of the request. */
const checkMeta = (
  { metadata }: ApiObject,
  context: RequestContext,
  steps: (work: Work) => Steps<FieldErrorList>,
): FieldErrorList | Promise<FieldErrorList> =>
  workOf(context).isLarge === true || isLargeMeta(metadata)
    ? inSlices(workOf(context), steps(workOf(context)), 'validation')
    : atOnce(steps(UNBOUNDED_WORK));

/** Returns the metadata errors of an object. */
function metadataProblems(
  info: ResourceInfo,
  object: ApiObject,
  context: RequestContext,
): FieldErrorList | Promise<FieldErrorList> {
  const { strategy } = info;
  const nameRule = strategy?.nameRuleOf?.(object) ?? strategy?.nameRule ?? dnsSubdomain;
  const { dialect, finalizerDomains } = metaRules(info, context);
  const rules = { namespaced: info.namespaced, nameRule, dialect, finalizerDomains };
  return checkMeta(object, context, (work) => checkObjectMeta(object.metadata, rules, work));
}

/**
 * Returns whether the strategy's own rules run. Rules of user-defined kinds expect objects of the schema's type, so
 * they do not run when the schema check fails.
 */
const rulesApply = (info: ResourceInfo, schema: readonly FieldError[]): boolean =>
  schema.length === 0 || info.definition.origin === 'builtin';

/**
 * Refuses an object of a virtual kind that does not match its schema. Its metadata is not checked, since nothing is
 * stored.
 *
 * @returns undefined when the check is synchronous
 * @throws ApiError 422
 */
export function validateOperationObject(
  info: ResourceInfo,
  object: ApiObject,
  context: RequestContext,
): void | Promise<void> {
  return whenReady(checkSchema(info, object, context), (problems) => refuse(info, object, problems));
}

/**
 * Returns the error to throw for an error of a hook that runs before validation. A value of a wrong type may have
 * caused it; the schema errors then take its place.
 */
export function hookFailure(info: ResourceInfo, object: ApiObject | undefined, error: unknown): unknown {
  if (
    object === undefined ||
    error instanceof ApiError ||
    error instanceof StorageError ||
    info.definition.origin === 'builtin'
  )
    return error;
  const problems = validateObject(object as JsonObject, info.schema);
  return problems.length === 0 ? error : errors.invalid(info, object.metadata.name ?? '', problems);
}

const metaRules = (info: ResourceInfo, context: RequestContext): ObjectMetaRules => ({
  dialect: context.dialect,
  finalizerDomains: info.strategy?.finalizerDomains ?? (info.definition.origin === 'builtin' ? 'qualified' : 'any'),
});

function refuse(info: ResourceInfo, object: ApiObject, problems: readonly FieldError[]): void {
  if (problems.length === 0) return;
  throw errors.invalid(info, object.metadata.name ?? '', distinctErrors(problems));
}

/** Returns the errors without those that occur twice. */
function distinctErrors(problems: readonly FieldError[]): FieldErrorList {
  // A change is checked as a change and as a new state: an error found in both is reported once. The keys contain a
  // number for each value, since many errors may share the same long value.
  const numbers = new Map<unknown, number>();
  const numberOf = (value: unknown): number =>
    numbers.get(value) ?? (numbers.set(value, numbers.size), numbers.size - 1);
  const distinct = new Map(
    problems.map((problem) => [
      JSON.stringify([problem.type, problem.field, problem.detail, numberOf(problem.value)]),
      problem,
    ]),
  );
  const found = new FieldErrorList();
  appendErrors(found, distinct.values());
  found.omit(omittedErrors(problems));
  return found;
}

function warn(
  { strategy }: ResourceInfo,
  object: ApiObject,
  old: StoredObject | undefined,
  context: RequestContext,
): void | Promise<void> {
  if (strategy?.warnings === undefined) return undefined;
  return whenReady(hookResult(strategy.warnings(object, old, context), context), (texts): void => {
    for (const text of texts) context.warn(text);
  });
}

/**
 * Normalizes a valid object for storage.
 *
 * @returns undefined when nothing has to wait
 */
export function canonicalize(
  { definition, schema, strategy }: ResourceInfo,
  object: ApiObject,
  context: RequestContext,
): void | Promise<void> {
  return whenReady(hookResult(strategy?.canonicalize?.(object, context), context), () =>
    definition.origin === 'builtin'
      ? hookResult(nullEmptyLists(object as MutableJsonObject, schema, workOf(context)), context)
      : undefined,
  );
}

/** Removes duplicate owner references, with Kubernetes' warning. */
export function deduplicateOwners(object: ApiObject, context: RequestContext): void {
  if (object.metadata.ownerReferences === undefined) return;
  const warning = dedupOwnerReferences(object.metadata);
  if (warning !== undefined) context.warn(warning);
}

/**
 * Checks a new object.
 *
 * @returns undefined when the check is synchronous
 * @throws ApiError 422 with all errors
 */
export function validateNew(info: ResourceInfo, object: ApiObject, context: RequestContext): Promise<void> | undefined {
  const { strategy } = info;
  const stored = object as StoredObject;
  const checked = whenReady(checkSchema(info, object, context), (schema): void | Promise<void> => {
    const refuseAndWarn = (strategyProblems: readonly FieldError[]): void | Promise<void> =>
      whenReady(metadataProblems(info, object, context), (metadata) => {
        refuse(info, object, allErrors(metadata, schema, strategyProblems));
        return warn(info, object, undefined, context);
      });
    if (!rulesApply(info, schema)) return refuseAndWarn([]);
    const problems = strategy?.validateNew?.(stored, context) ?? strategy?.validate?.(stored, context) ?? [];
    return whenReady(hookResult(problems, context), refuseAndWarn);
  });
  return checked ?? undefined;
}

/**
 * Checks a change of an object.
 *
 * @returns undefined when the check is synchronous
 * @throws ApiError 422 with all errors; 413 for an object that has grown too long
 */
export function validateChange(
  info: ResourceInfo,
  object: ApiObject,
  old: StoredObject,
  context: RequestContext,
  subresource?: SubresourceStrategy,
): Promise<void> | undefined {
  const part = subresource === statusSubresource.strategy ? 'status' : undefined;
  const schema = checkSchema(info, object, context, old, part);
  const change = { info, object, old, context, subresource };
  return whenReady(schema, (problems) => refuseChange(change, problems)) ?? undefined;
}

/** A change that is checked. */
interface CheckedChange {
  readonly info: ResourceInfo;
  readonly object: ApiObject;
  readonly old: StoredObject;
  readonly context: RequestContext;
  readonly subresource: SubresourceStrategy | undefined;
}

/** Checks the rest of a change whose schema is checked. @throws ApiError 422 with all errors */
function refuseChange(change: CheckedChange, schema: readonly FieldError[]): void | Promise<void> {
  const { info, object, old, context } = change;
  return whenReady(metadataProblems(info, object, context), (metadata) => {
    const { dialect, finalizerDomains } = metaRules(info, context);
    const rules = { dialect, finalizerDomains, isValid: metadata.length === 0 };
    const changed = checkMeta(object, context, (work) =>
      checkObjectMetaUpdate(object.metadata, old.metadata, rules, work),
    );
    return whenReady(changed, (problems) => refuseRest(change, schema, allErrors(problems, metadata, schema)));
  });
}

/** Adds the errors of the strategy to those that were found. @throws ApiError 422 with all errors */
function refuseRest(change: CheckedChange, schema: readonly FieldError[], found: FieldErrorList): void | Promise<void> {
  const { info, object, old, context, subresource } = change;
  const { strategy } = info;
  const stored = object as StoredObject;
  if (!rulesApply(info, schema)) return refuseAndWarn(change, found);
  return whenReady(hookResult(strategy?.validate?.(stored, context, old) ?? [], context), (state) => {
    appendErrors(found, state);
    const changes =
      subresource === undefined && strategy?.validateChange !== undefined
        ? strategy.validateChange(stored, old, context)
        : ((subresource ?? strategy)?.validateUpdate?.(stored, old, context) ?? []);
    return whenReady(hookResult(changes, context), (problems) => {
      appendErrors(found, problems);
      return refuseAndWarn(change, found);
    });
  });
}

function refuseAndWarn(
  { info, object, old, context, subresource }: CheckedChange,
  problems: readonly FieldError[],
): void | Promise<void> {
  refuse(info, object, problems);
  // The writers of a subresource do not choose what the main resource warns about.
  const warned = subresource === undefined ? warn(info, object, old, context) : undefined;
  return whenReady(warned, () => refuseLongObject(object, old, workOf(context)));
}
