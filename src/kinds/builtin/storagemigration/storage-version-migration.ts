import {
  appendErrors,
  FieldErrorList,
  integerWithin,
  invalid,
  quotedText,
  required,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { statusSubresource } from '../../../registry/index.js';
import type { storagemigrationV1alpha1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { ownStatus } from '../shared/status-writes.js';
import { validateConditions } from '../shared/validate-conditions.js';
import { IMMUTABLE, NOT_NEGATIVE } from '../shared/validate.js';

type Spec = storagemigrationV1alpha1.StorageVersionMigrationSpec;
type Status = storagemigrationV1alpha1.StorageVersionMigrationStatus;

const MAX_INT64 = 2n ** 63n - 1n;

function specErrors({ resource: { resource = '', version = '' } }: Spec): FieldError[] {
  const errors = new FieldErrorList();
  if (resource === '') errors.push(required('spec.resource.resource', 'resource is required'));
  if (version === '') errors.push(required('spec.resource.version', 'version is required'));
  return errors;
}

function changeErrors({ resource }: Spec, { resource: old }: Spec): FieldError[] {
  // The paths are those of Kubernetes.
  return (['group', 'version', 'resource'] as const).flatMap((field) =>
    (resource[field] ?? '') === (old[field] ?? '') ? [] : [invalid(field, resource[field] ?? '', IMMUTABLE)],
  );
}

function resourceVersionErrors(text: string): FieldError[] {
  const path = 'status.resourceVersion';
  if (text === '') return [];
  const problem = (reason: string): FieldError[] => [
    invalid(
      path,
      text,
      `failed to parse resource version ${quotedText(text)}: strconv.ParseInt: parsing ${quotedText(text)}: ${reason}`,
    ),
  ];
  if (!/^[+-]?[0-9]+$/.test(text)) return problem('invalid syntax');
  const value = integerWithin(text, -MAX_INT64 - 1n, MAX_INT64);
  if (value === undefined) return problem('value out of range');
  return value < 0n ? [invalid(path, Number(value), NOT_NEGATIVE)] : [];
}

const isTrue = ({ conditions = [] }: Status, type: string): boolean =>
  conditions.find((condition) => condition.type === type)?.status === 'True';

function progressErrors(status: Status, old: Status): FieldError[] {
  const succeeded = isTrue(status, 'Succeeded');
  const failed = isTrue(status, 'Failed');
  const running = isTrue(status, 'Running');
  const broken: readonly (readonly [boolean, string])[] = [
    [succeeded && failed, 'Both success and failed conditions cannot be true at the same time'],
    [succeeded && running, 'Running condition cannot be true when success condition is true'],
    [failed && running, 'Running condition cannot be true when failed condition is true'],
    [isTrue(old, 'Succeeded') && !succeeded, 'Success condition cannot be set to false once it is true'],
    [isTrue(old, 'Failed') && !failed, 'Failed condition cannot be set to false once it is true'],
  ];
  return broken.flatMap(([isBroken, problem]) =>
    isBroken ? [invalid('status.conditions', status.conditions ?? [], problem)] : [],
  );
}

function* statusErrors(status: Status, old: Status, work: Work | undefined): Steps<FieldErrorList> {
  const { resourceVersion = '', conditions = [] } = status;
  const errors = new FieldErrorList(work);
  appendErrors(errors, resourceVersionErrors(resourceVersion));
  const checked = conditions.map((condition) => ({ ...condition, time: condition.lastUpdateTime }));
  yield* validateConditions(errors, 'status.conditions', checked);
  if (old.resourceVersion && old.resourceVersion !== resourceVersion)
    errors.push(invalid('status.resourceVersion', resourceVersion, 'cannot be updated'));
  appendErrors(errors, progressErrors(status, old));
  return errors;
}

/** Requests to store all objects of a resource in its current version. */
export const storageVersionMigration: Behaviour<storagemigrationV1alpha1.StorageVersionMigration> = {
  strategy: {
    allowUnconditionalUpdate: false,
    ...ownStatus(),
    validate: ({ spec }) => (spec === undefined ? [] : specErrors(spec)),
    validateUpdate: ({ spec }, old) =>
      spec === undefined || old.spec === undefined ? [] : changeErrors(spec, old.spec),
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status = {} }, { status: old = {} }, { work }) => statusErrors(status, old, work),
    },
  },
  cells: { Resource: ({ spec }) => spec?.resource.resource ?? '' },
};
