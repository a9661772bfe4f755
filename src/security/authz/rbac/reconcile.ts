/**
 * Reconciles a role or binding with its default. Additions, also changed labels and annotations, are kept, and an
 * object whose annotation protects it is left alone.
 *
 * @module
 */
import { equalJson, type Dialect, type JsonValue } from '../../../foundation/index.js';
import type { LabelSelectorObject } from '../../../machinery/index.js';
import { coveringRules } from './covering.js';
import { autoupdateAnnotation } from './markers.js';
import type { BindingObject, ClusterRoleObject, PolicyRule, RbacMeta, Subject } from './types.js';

/** The operation that reconciles an object. `recreate`: delete it with its uid as precondition, and create it again. */
export type ReconcileOperation = 'none' | 'create' | 'update' | 'recreate';

/** The result of a comparison. */
export interface Reconciliation<Kind> {
  /** The required operation; `none` for a protected object. */
  readonly operation: ReconcileOperation;
  /** The object to write. It shares unchanged parts with the compared objects. */
  readonly object: Kind;
  /** True when a change was needed, but the object's annotation forbids it. */
  readonly protected: boolean;
}

/** The result of comparing roles. */
export interface RoleReconciliation<Kind extends ClusterRoleObject> extends Reconciliation<Kind> {
  /** Missing permissions, one per rule. */
  readonly missingRules: readonly PolicyRule[];
  /** Missing selectors. */
  readonly missingSelectors: readonly LabelSelectorObject[];
}

/** The result of comparing bindings. */
export interface BindingReconciliation<Kind extends BindingObject> extends Reconciliation<Kind> {
  /** Missing subjects. */
  readonly missingSubjects: readonly Subject[];
}

type Texts = Readonly<Record<string, string>>;

const sameTexts = (a: Texts = {}, b: Texts = {}): boolean => equalJson(a, b);
/** Merges maps; existing values win. */
const withExisting = (expected: Texts | undefined, existing: Texts | undefined): Texts => ({
  ...expected,
  ...existing,
});

function mergedMeta<Meta extends RbacMeta>(
  existing: Meta,
  expected: RbacMeta,
): { readonly metadata: Meta; readonly changed: boolean } {
  const labels = withExisting(expected.labels, existing.labels);
  const annotations = withExisting(expected.annotations, existing.annotations);
  const changed = !sameTexts(labels, existing.labels) || !sameTexts(annotations, existing.annotations);
  return { metadata: changed ? { ...existing, labels, annotations } : existing, changed };
}

const isProtected = ({ metadata }: { readonly metadata: RbacMeta }, dialect: Dialect): boolean =>
  metadata.annotations?.[autoupdateAnnotation(dialect)] === 'false';

const selectorsOf = (role: ClusterRoleObject): readonly LabelSelectorObject[] =>
  role.aggregationRule?.clusterRoleSelectors ?? [];

/**
 * Compares a role with its default.
 *
 * @param existing the stored role; undefined when it does not exist
 */
export function reconcileRole<Kind extends ClusterRoleObject>(
  existing: Kind | undefined,
  expected: Kind,
  dialect: Dialect,
): RoleReconciliation<Kind> {
  if (existing === undefined) {
    return {
      operation: 'create',
      object: expected,
      protected: false,
      missingRules: expected.rules ?? [],
      missingSelectors: selectorsOf(expected),
    };
  }
  const { metadata, changed } = mergedMeta(existing.metadata, expected.metadata);
  const missingRules = coveringRules(existing.rules ?? [], expected.rules ?? []).uncovered;
  const present = selectorsOf(existing);
  const missingSelectors = selectorsOf(expected).filter(
    (selector) => !present.some((other) => sameSelector(selector, other)),
  );
  const dropsAggregation = existing.aggregationRule !== undefined && expected.aggregationRule === undefined;
  const object: Kind = { ...existing, metadata };
  const written: Kind = {
    ...(dropsAggregation ? withoutAggregation(object) : object),
    ...(missingRules.length > 0 ? { rules: [...(existing.rules ?? []), ...missingRules] } : {}),
    ...(missingSelectors.length > 0
      ? { aggregationRule: { clusterRoleSelectors: [...present, ...missingSelectors] } }
      : {}),
  };
  const needed = changed || missingRules.length > 0 || missingSelectors.length > 0 || dropsAggregation;
  return { ...outcome(existing, written, needed ? 'update' : 'none', dialect), missingRules, missingSelectors };
}

/** A role that stops aggregating keeps its rules. */
function withoutAggregation<Kind extends ClusterRoleObject>(role: Kind): Kind {
  const { aggregationRule: _, ...rest } = role;
  return rest as Kind;
}

const sameSelector = (a: LabelSelectorObject, b: LabelSelectorObject): boolean =>
  equalJson(a as JsonValue, b as JsonValue);

/**
 * Compares a binding with its default. The role of a binding is immutable, so a binding to another role must be
 * recreated, and then has only the default subjects.
 *
 * @param existing the stored binding; undefined when it does not exist
 */
export function reconcileBinding<Kind extends BindingObject>(
  existing: Kind | undefined,
  expected: Kind,
  dialect: Dialect,
): BindingReconciliation<Kind> {
  const wanted = expected.subjects ?? [];
  if (existing === undefined)
    return { operation: 'create', object: expected, protected: false, missingSubjects: wanted };
  const { apiGroup, kind, name } = existing.roleRef;
  if (apiGroup !== expected.roleRef.apiGroup || kind !== expected.roleRef.kind || name !== expected.roleRef.name) {
    return { ...outcome(existing, expected, 'recreate', dialect), missingSubjects: [] };
  }
  const { metadata, changed } = mergedMeta(existing.metadata, expected.metadata);
  const present = new Set((existing.subjects ?? []).map(subjectKey));
  const missing = new Map(
    wanted.map((subject) => [subjectKey(subject), subject] as const).filter(([key]) => !present.has(key)),
  );
  const missingSubjects = [...missing.values()];
  const subjects = missingSubjects.length > 0 ? { subjects: [...(existing.subjects ?? []), ...missingSubjects] } : {};
  const needed = changed || missingSubjects.length > 0;
  return {
    ...outcome(existing, { ...existing, metadata, ...subjects }, needed ? 'update' : 'none', dialect),
    missingSubjects,
  };
}

const subjectKey = ({ kind, apiGroup = '', name, namespace = '' }: Subject): string =>
  JSON.stringify([kind, apiGroup, name, namespace]);

function outcome<Kind extends { readonly metadata: RbacMeta }>(
  existing: Kind,
  written: Kind,
  operation: ReconcileOperation,
  dialect: Dialect,
): Reconciliation<Kind> {
  const needed = operation !== 'none';
  if (needed && isProtected(existing, dialect)) return { operation: 'none', object: existing, protected: true };
  return { operation, object: needed ? written : existing, protected: false };
}
