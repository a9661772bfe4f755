import type { Dialect } from '../dialect/dialect.js';
import { FieldErrorList } from '../errors/field-error-list.js';
import { forbidden, invalid, type FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { goQuote, goStringSlice } from '../go/go-text.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { qualifiedName } from './names.js';

/** Finalizer of an object whose dependents are orphaned before the object is removed. */
export const ORPHAN_FINALIZER = 'orphan';
/** Finalizer of an object whose dependents are deleted before the object is removed. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** Units of work to check a name. */
const NAME_UNITS = 12;

/**
 * Returns the errors of a list of finalizers: each must be a qualified name, and the two of garbage collection exclude
 * each other.
 */
export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  return atOnce(checkFinalizers(finalizers ?? [], path, UNBOUNDED_WORK));
}

/** Does the same as {@link validateFinalizers}, in steps. */
export function* checkFinalizers(finalizers: readonly string[], path: FieldPath, work: Work): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  for (const finalizer of finalizers) {
    if (work.spend(NAME_UNITS)) yield;
    for (const text of qualifiedName(finalizer)) found.push(invalid(path, finalizer, text));
  }
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    found.push(
      invalid(path, finalizers, `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`),
    );
  }
  return found;
}

/**
 * Returns the errors of the additional rule for built-in kinds: a finalizer without a domain must be a standard one.
 */
export function validateFinalizerDomains(
  finalizers: readonly string[] | undefined,
  path: FieldPath,
  dialect: Dialect,
): FieldError[] {
  return atOnce(checkFinalizerDomains(finalizers ?? [], path, dialect, UNBOUNDED_WORK));
}

/** Does the same as {@link validateFinalizerDomains}, in steps. */
export function* checkFinalizerDomains(
  finalizers: readonly string[],
  path: FieldPath,
  dialect: Dialect,
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  for (const [index, finalizer] of finalizers.entries()) {
    if (work.spend(NAME_UNITS)) yield;
    if (finalizer.includes('/') || dialect.standardFinalizers.includes(finalizer)) continue;
    found.push(
      invalid(path.index(index), finalizer, 'name is neither a standard finalizer name nor is it fully qualified'),
    );
  }
  return found;
}

/** Returns the error of finalizers added to an object that is being deleted. The new finalizers are sorted by name. */
export function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: FieldPath,
): FieldError[] {
  const added = addedFinalizers(finalizers, old);
  if (added.length === 0) return [];
  return [
    forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers ${goStringSlice(added)}`,
    ),
  ];
}

/**
 * Returns the warnings for finalizers that a write adds to a custom resource, where a name without a domain is allowed
 * but not recommended. For the `Warning` header.
 */
export function finalizerWarnings(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
): string[] {
  const warnings: string[] = [];
  for (const finalizer of addedFinalizers(finalizers, old)) {
    const head = `metadata.finalizers: ${goQuote(finalizer)}: `;
    for (const text of qualifiedName(finalizer)) warnings.push(head + text);
    if (finalizer.includes('/') || finalizer === ORPHAN_FINALIZER || finalizer === FOREGROUND_FINALIZER) continue;
    warnings.push(
      `${head}prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
  }
  return warnings;
}

function addedFinalizers(finalizers: readonly string[] | undefined, old: readonly string[] | undefined): string[] {
  if (finalizers === undefined || finalizers.length === 0) return [];
  const before = new Set(old);
  return [...new Set(finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
}
