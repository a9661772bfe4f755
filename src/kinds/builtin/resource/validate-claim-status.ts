import {
  FieldErrorList,
  forbidden,
  notSupported,
  required,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { resourceV1alpha3 } from '../../types/index.js';
import { validateNodeSelector } from '../shared/selectors/validate-node-selector.js';
import { immutableField } from '../shared/validate.js';
import { MAX_ITEMS } from './limits.js';
import { validateList, validateSet } from './lists.js';
import { validateDriver, validateLabel, validatePool } from './names.js';
import { validateConfiguration, validateRequestRef, validateRequestRefs } from './validate-claim.js';

type Status = resourceV1alpha3.ResourceClaimStatus;
type Consumer = resourceV1alpha3.ResourceClaimConsumerReference;

const SOURCES = ['FromClaim', 'FromClass'];

/** The state of a claim besides its status. */
export interface ClaimState {
  /** The names of its requests. */
  readonly names: ReadonlySet<string>;
  readonly isDeleted: boolean;
}

/** Returns the errors of a change of the status of a claim. */
export function* claimStatusErrors(
  status: Status,
  old: Status,
  { names, isDeleted }: ClaimState,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { allocation, reservedFor = [], deallocationRequested: released = false } = status;
  const wasReleased = old.deallocationRequested ?? false;
  if (allocation !== undefined) yield* validateAllocation(errors, 'status.allocation', allocation, names);
  yield* validateSet(errors, 'status.reservedFor', reservedFor, MAX_ITEMS, validateConsumer, ({ uid }) => uid, 'uid');
  validateReservations(errors, status, old, isDeleted || released);
  if (old.allocation !== undefined && allocation !== undefined)
    immutableField(errors, 'status.allocation', allocation, old.allocation);
  if (!wasReleased && released && reservedFor.length > 0)
    errors.push(
      forbidden('status.deallocationRequested', 'deallocation cannot be requested while `reservedFor` is set'),
    );
  if (allocation === undefined && released)
    errors.push(forbidden('status', '`allocation` must be set when `deallocationRequested` is set'));
  if (wasReleased && !released && allocation !== undefined)
    errors.push(forbidden('status.deallocationRequested', 'may not be cleared when `allocation` is set'));
  return errors;
}

/** A claim is reserved only while it is allocated, and for nobody else once it will be released. */
function validateReservations(
  errors: FieldError[],
  { allocation, reservedFor = [] }: Status,
  old: Status,
  isEnding: boolean,
): void {
  if (reservedFor.length === 0) return;
  if (allocation === undefined)
    return void errors.push(forbidden('status.reservedFor', 'may not be specified when `allocated` is not set'));
  const known = new Set(old.reservedFor?.map(identityOf));
  if (isEnding && reservedFor.some((consumer) => !known.has(identityOf(consumer))))
    errors.push(
      forbidden(
        'status.reservedFor',
        'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
      ),
    );
}

const identityOf = ({ apiGroup = '', resource, name, uid }: Consumer): string =>
  JSON.stringify([apiGroup, resource, name, uid]);

function validateConsumer(errors: FieldError[], path: string, { resource, name, uid }: Consumer): void {
  if (resource === '') errors.push(required(`${path}.resource`));
  if (name === '') errors.push(required(`${path}.name`));
  if (uid === '') errors.push(required(`${path}.uid`));
}

function* validateAllocation(
  errors: FieldErrorList,
  path: string,
  { devices = {}, nodeSelector, controller = '' }: resourceV1alpha3.AllocationResult,
  names: ReadonlySet<string>,
): Steps<void> {
  yield* validateList(errors, `${path}.devices.results`, devices.results ?? [], MAX_ITEMS, function* (_, at, result) {
    validateRequestRef(errors, `${at}.request`, result.request, names);
    validateDriver(errors, `${at}.driver`, result.driver);
    yield* validatePool(errors, `${at}.pool`, result.pool);
    validateLabel(errors, `${at}.device`, result.device);
  });
  // The configuration comes from the class and from the claim.
  yield* validateList(errors, `${path}.devices.config`, devices.config ?? [], 2 * MAX_ITEMS, function* (_, at, config) {
    if (config.source === '') errors.push(required(`${at}.source`));
    else if (!SOURCES.includes(config.source)) errors.push(notSupported(`${at}.source`, config.source, SOURCES));
    yield* validateRequestRefs(errors, `${at}.requests`, config.requests, names);
    validateConfiguration(errors, at, config);
  });
  if (nodeSelector !== undefined) yield* validateNodeSelector(errors, `${path}.nodeSelector`, nodeSelector);
  if (controller !== '') validateDriver(errors, `${path}.controller`, controller);
}
