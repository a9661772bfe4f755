import type { StorageTerms, TermRequirement } from '../../storage-index.js';

/** Returns whether two versions of a record have the same terms. */
export function sameTerms(left: StorageTerms | undefined, right: StorageTerms | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && left[name] === right[name])
  );
}

/** Returns whether terms meet a requirement. */
export function meetsTerms(terms: StorageTerms, { attribute, values, negated = false }: TermRequirement): boolean {
  const value = Object.hasOwn(terms, attribute) ? terms[attribute] : undefined;
  return (value !== undefined && (values === undefined || values.includes(value))) !== negated;
}
