/**
 * The rules for `metadata` of new and changed objects, in the order in which Kubernetes reports them.
 *
 * @module
 */
import type { Dialect } from '../dialect/dialect.js';
import { appendErrors, FieldErrorList } from '../errors/field-error-list.js';
import { forbidden, invalid, required, VerbatimValue, type FieldError } from '../errors/field-error.js';
import { FieldPath } from '../errors/field-path.js';
import { parseTime } from '../time/time.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { checkFinalizerDomains, checkFinalizers, validateNoNewFinalizers } from './finalizers.js';
import { namespaceName, type NameRule } from './names.js';
import type { ObjectMeta } from './object.js';
import { checkOwnerReferences } from './owner-references.js';
import { checkAnnotations, checkLabels } from './validate-labels.js';
import { checkManagedFields } from './validate-managed-fields.js';

export { dedupOwnerReferences } from './owner-references.js';

/** Options of the rules for metadata. */
export interface ObjectMetaRules {
  /** The dialect with the standard finalizers; required for `qualified`. */
  readonly dialect?: Dialect | undefined;
  /**
   * `qualified`: a finalizer without a domain must be a standard one, as on built-in kinds (default). `any`: for custom
   * resources, which get a warning instead ({@link finalizerWarnings}).
   */
  readonly finalizerDomains?: 'qualified' | 'any' | undefined;
  /** Path of the metadata; default `metadata`. */
  readonly path?: FieldPath | undefined;
}

/** Options of the rules for a new object. */
export interface NewObjectMetaRules extends ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
}

/** Options of the rules for a change. */
export interface ObjectMetaUpdateRules extends ObjectMetaRules {
  /**
   * Requires the version that the change is based on. Default false: the registry fills it in for an unconditional
   * change.
   */
  readonly requireResourceVersion?: boolean | undefined;
  /** True when {@link validateObjectMeta} found no error with the same rules: only the change itself is checked. */
  readonly isValid?: boolean | undefined;
}

/** Paths that every check needs, created once because every write uses them. */
class MetaPaths {
  readonly self: FieldPath;
  readonly labels: FieldPath;
  readonly annotations: FieldPath;
  readonly ownerReferences: FieldPath;
  readonly finalizers: FieldPath;
  readonly managedFields: FieldPath;

  constructor(self: FieldPath) {
    this.self = self;
    this.labels = self.child('labels');
    this.annotations = self.child('annotations');
    this.ownerReferences = self.child('ownerReferences');
    this.finalizers = self.child('finalizers');
    this.managedFields = self.child('managedFields');
  }
}

const METADATA = new MetaPaths(FieldPath.of('metadata'));
const pathsOf = (rules: ObjectMetaRules): MetaPaths =>
  rules.path === undefined ? METADATA : new MetaPaths(rules.path);
const IMMUTABLE = 'field is immutable';
/** The text of Kubernetes for a time that was never set. */
const ZERO_TIME = '0001-01-01 00:00:00 +0000 UTC';

/** Number of entries of the metadata from which they are checked in slices. */
const MANY_ENTRIES = 250;

/** Returns whether metadata is so large that its check should pause. */
export function isLargeMeta(meta: Readonly<ObjectMeta>): boolean {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = meta;
  return (
    (ownerReferences?.length ?? 0) > MANY_ENTRIES ||
    (finalizers?.length ?? 0) > MANY_ENTRIES ||
    (managedFields?.length ?? 0) > MANY_ENTRIES ||
    managedFields?.some(({ manager = '' }) => manager.length > MANY_ENTRIES) === true ||
    hasManyMembers(labels) ||
    hasManyMembers(annotations)
  );
}

function hasManyMembers(record: object | undefined): boolean {
  let count = 0;
  for (const _key in record) {
    count += 1;
    if (count > MANY_ENTRIES) return true;
  }
  return false;
}

/** Returns the errors of the metadata of a new object, after its name was generated. */
export function validateObjectMeta(meta: Readonly<ObjectMeta>, rules: NewObjectMetaRules): FieldError[] {
  return atOnce(checkObjectMeta(meta, rules, UNBOUNDED_WORK));
}

/** Does the same as {@link validateObjectMeta}, in steps. */
export function* checkObjectMeta(
  meta: Readonly<ObjectMeta>,
  rules: NewObjectMetaRules,
  work: Work,
): Steps<FieldErrorList> {
  const paths = pathsOf(rules);
  const path = paths.self;
  const found = new FieldErrorList();
  validateNames(meta, rules.nameRule, path, found);
  validateNamespace(meta.namespace ?? '', rules.namespaced, path, found);
  const generation = meta.generation ?? 0;
  if (generation < 0) found.push(invalid(path.child('generation'), generation, 'must be greater than or equal to 0'));
  yield* checkCommon(meta, paths, found, work);
  if (meta.finalizers !== undefined)
    appendErrors(found, yield* checkFinalizers(meta.finalizers, paths.finalizers, work));
  yield* checkTail(meta, rules, paths, found, work);
  return found;
}

/** Returns the errors of a change of metadata, in addition to {@link validateObjectMeta} at creation. */
export function validateObjectMetaUpdate(
  meta: Readonly<ObjectMeta>,
  old: Readonly<ObjectMeta>,
  rules: ObjectMetaUpdateRules,
): FieldError[] {
  return atOnce(checkObjectMetaUpdate(meta, old, rules, UNBOUNDED_WORK));
}

/** Does the same as {@link validateObjectMetaUpdate}, in steps. */
export function* checkObjectMetaUpdate(
  meta: Readonly<ObjectMeta>,
  old: Readonly<ObjectMeta>,
  rules: ObjectMetaUpdateRules,
  work: Work,
): Steps<FieldErrorList> {
  const paths = pathsOf(rules);
  const path = paths.self;
  const found = new FieldErrorList();
  if (old.deletionTimestamp !== undefined)
    appendErrors(found, validateNoNewFinalizers(meta.finalizers, old.finalizers, paths.finalizers));
  if (rules.requireResourceVersion === true && !meta.resourceVersion) {
    found.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = meta.generation ?? 0;
  if (generation < (old.generation ?? 0))
    found.push(invalid(path.child('generation'), generation, 'must not be decremented'));
  validateUnchanged(meta, old, path, found);
  if (rules.isValid === true) return found;
  yield* checkCommon(meta, paths, found, work);
  yield* checkTail(meta, rules, paths, found, work);
  return found;
}

function validateNames(meta: Readonly<ObjectMeta>, nameRule: NameRule, path: FieldPath, found: FieldError[]): void {
  const { name = '', generateName = '' } = meta;
  if (generateName !== '')
    for (const text of nameRule(generateName, true))
      found.push(invalid(path.child('generateName'), generateName, text));
  if (name === '') found.push(required(path.child('name'), 'name or generateName is required'));
  else for (const text of nameRule(name, false)) found.push(invalid(path.child('name'), name, text));
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath, found: FieldError[]): void {
  if (!namespaced) {
    if (namespace !== '') found.push(forbidden(path.child('namespace'), 'not allowed on this type'));
    return;
  }
  if (namespace === '') found.push(required(path.child('namespace')));
  else
    for (const text of namespaceName(namespace, false)) found.push(invalid(path.child('namespace'), namespace, text));
}

/** Checks labels, annotations and owners, the same way for new objects and changes. Absent fields cost nothing. */
function* checkCommon(
  { labels, annotations, ownerReferences }: Readonly<ObjectMeta>,
  paths: MetaPaths,
  found: FieldError[],
  work: Work,
): Steps<void> {
  if (labels !== undefined) appendErrors(found, yield* checkLabels(labels, paths.labels, work));
  if (annotations !== undefined) appendErrors(found, yield* checkAnnotations(annotations, paths.annotations, work));
  if (ownerReferences !== undefined)
    appendErrors(found, yield* checkOwnerReferences(ownerReferences, paths.ownerReferences, work));
}

/** Checks managedFields, then the additional rule for finalizers, in the order of Kubernetes. */
function* checkTail(
  meta: Readonly<ObjectMeta>,
  rules: ObjectMetaRules,
  paths: MetaPaths,
  found: FieldError[],
  work: Work,
): Steps<void> {
  if (meta.managedFields !== undefined)
    appendErrors(found, yield* checkManagedFields(meta.managedFields, paths.managedFields, work));
  const { dialect, finalizerDomains } = rules;
  if (meta.finalizers === undefined || finalizerDomains === 'any') return;
  if (dialect === undefined) throw new TypeError('the rules for standard finalizers require the dialect');
  appendErrors(found, yield* checkFinalizerDomains(meta.finalizers, paths.finalizers, dialect, work));
}

function validateUnchanged(
  meta: Readonly<ObjectMeta>,
  old: Readonly<ObjectMeta>,
  path: FieldPath,
  found: FieldError[],
): void {
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const value = meta[field] ?? '';
    if (value !== (old[field] ?? '')) found.push(invalid(path.child(field), value, IMMUTABLE));
  }
  if (!sameInstant(meta.creationTimestamp, old.creationTimestamp)) {
    found.push(
      invalid(
        path.child('creationTimestamp'),
        shownTime(meta.creationTimestamp) ?? new VerbatimValue(ZERO_TIME),
        IMMUTABLE,
      ),
    );
  }
  if (!sameInstant(meta.deletionTimestamp, old.deletionTimestamp)) {
    found.push(invalid(path.child('deletionTimestamp'), shownTime(meta.deletionTimestamp), IMMUTABLE));
  }
  if (meta.deletionGracePeriodSeconds !== old.deletionGracePeriodSeconds) {
    found.push(invalid(path.child('deletionGracePeriodSeconds'), meta.deletionGracePeriodSeconds, IMMUTABLE));
  }
}

function sameInstant(a: string | null | undefined, b: string | null | undefined): boolean {
  if ((a ?? undefined) === (b ?? undefined)) return true;
  if (!a || !b) return false;
  const instant = parseTime(a);
  return instant !== undefined && instant === parseTime(b);
}

/** Formats a time for errors: `2001-01-01 00:00:00 +0000 UTC`. */
function shownTime(text: string | null | undefined): VerbatimValue | undefined {
  if (!text) return undefined;
  const ms = parseTime(text);
  return new VerbatimValue(
    ms === undefined ? text : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`,
  );
}
