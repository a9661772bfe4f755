import { FieldErrorList } from '../errors/field-error-list.js';
import { invalid, type FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { parseApiVersion, type ObjectMeta, type OwnerReference } from './object.js';

/** Units of work to check a reference. */
const REFERENCE_UNITS = 24;

/**
 * Returns the errors of a list of owner references. Errors of one reference have the list's path without an index, as
 * in Kubernetes.
 */
export function validateOwnerReferences(
  references: readonly OwnerReference[] | undefined,
  path: FieldPath,
): FieldError[] {
  return atOnce(checkOwnerReferences(references ?? [], path, UNBOUNDED_WORK));
}

/** Does the same as {@link validateOwnerReferences}, in steps. */
export function* checkOwnerReferences(
  references: readonly OwnerReference[],
  path: FieldPath,
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  let firstController: string | undefined;
  for (const reference of references) {
    if (work.spend(REFERENCE_UNITS)) yield;
    validateOwnerReference(reference, path, found);
    if (reference.controller !== true) continue;
    const controller = `${reference.kind}/${reference.name}`;
    if (firstController === undefined) firstController = controller;
    else
      found.push(
        invalid(
          path,
          references,
          `Only one reference can have Controller set to true. Found "true" in references for ${firstController} and ${controller}`,
        ),
      );
  }
  return found;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath, found: FieldError[]): void {
  const { group, version } = parseApiVersion(reference.apiVersion ?? '') ?? { group: '', version: '' };
  if (version === '')
    found.push(invalid(path.child('apiVersion'), reference.apiVersion ?? '', 'version must not be empty'));
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (!reference[name]) found.push(invalid(path.child(name), '', `${name} must not be empty`));
  }
  if (group === '' && version === 'v1' && reference.kind === 'Event') {
    found.push(invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
}

/** The stage at which owner references are checked: as sent, or after mutating admission. */
export type OwnerReferenceStage = 'request' | 'admission';

const STAGES: Readonly<Record<OwnerReferenceStage, string>> = {
  request: '',
  admission: ' after mutating admission happens',
};

/**
 * Removes exact duplicates of owner references, in place.
 *
 * @returns the text for the `Warning` header when some were removed
 */
export function dedupOwnerReferences(meta: ObjectMeta, stage: OwnerReferenceStage = 'request'): string | undefined {
  const references = meta.ownerReferences;
  if (references === undefined || references.length < 2) return undefined;
  const distinct = new Map<string, OwnerReference>();
  const duplicates: string[] = [];
  for (const reference of references) {
    const identity = identityOf(reference);
    if (distinct.has(identity)) duplicates.push(reference.uid);
    else distinct.set(identity, reference);
  }
  if (duplicates.length === 0) return undefined;
  meta.ownerReferences = [...distinct.values()];
  return (
    `.metadata.ownerReferences contains duplicate entries${STAGES[stage]}; API server dedups owner references in 1.20+, and may reject such ` +
    `requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`
  );
}

function identityOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
}
