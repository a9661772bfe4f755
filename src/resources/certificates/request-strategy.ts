import { definedOnly } from '../../meta/defined-only.js';
import type { FieldError } from '../../meta/field-error.js';
import { pathSegment } from '../../meta/names.js';
import type { ApiObject, StoredObject, UserInfo } from '../../meta/object.js';
import { formatTime } from '../../meta/time.js';
import type { RequestContext } from '../../registry/context.js';
import type { Strategy, SubresourceStrategy } from '../../registry/strategy.js';
import { userInfoJson } from '../authentication/user-info.js';
import { conditionChangeErrors, conditionErrors, withOldApprovals, withTimes } from './conditions.js';
import { certificateChangeErrors, certificateErrors } from './issued-certificate.js';
import type { CertificateSigningRequestFields, RequestCondition } from './request-schema.js';
import { requestErrors, specErrors } from './validate-request.js';

type RequestObject = ApiObject & CertificateSigningRequestFields;
type StoredRequest = StoredObject & CertificateSigningRequestFields;

// Objects that a strategy is handed were decoded by its schema.
const fieldsOf = (object: ApiObject | StoredObject): RequestObject => object as RequestObject;
const storedOf = (object: StoredObject): StoredRequest => object as StoredRequest;

/** What is asked, by the one who asks, whatever was said about that. */
function askedBy(
  { request, signerName, expirationSeconds, usages }: RequestObject['spec'],
  user: UserInfo,
): RequestObject['spec'] {
  return {
    request,
    signerName,
    ...definedOnly({ expirationSeconds, usages }),
    ...userInfoJson(user),
  };
}

/** Puts conditions into a status; none are left out. */
function withConditions(
  { conditions: _before, ...status }: RequestObject['status'],
  conditions: readonly RequestCondition[],
): RequestObject['status'] {
  return conditions.length === 0 ? status : { conditions: [...conditions], ...status };
}

function stateErrors(errors: FieldError[], { status }: StoredRequest, old: StoredRequest | undefined): FieldError[] {
  conditionErrors(errors, status.conditions ?? []);
  certificateErrors(errors, status, old?.status);
  return errors;
}

/** The main resource: whoever may write it writes its metadata, and once what is asked. */
export const mainStrategy: Strategy = {
  // Any name that a path can hold.
  nameRule: pathSegment,
  deleteCollectionReturnsStatus: true,
  resetFields: [['spec'], ['status']],
  prepareForCreate(object, { user }) {
    const request = fieldsOf(object);
    request.spec = askedBy(request.spec, user);
    request.status = {};
  },
  prepareForUpdate(object, old) {
    const request = fieldsOf(object);
    const { spec, status } = storedOf(old);
    request.spec = spec;
    request.status = status;
  },
  async validateNew(object, { dialect }) {
    const request = storedOf(object);
    const errors = await requestErrors(request.spec.request);
    specErrors(errors, request.spec, dialect);
    return stateErrors(errors, request, undefined);
  },
  // What is asked cannot change, and was valid when it was asked.
  validate: (object, _context, old) => stateErrors([], storedOf(object), old === undefined ? undefined : storedOf(old)),
};

function changeErrors(object: StoredObject, old: StoredObject, approves: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const { status } = storedOf(object);
  const { status: before } = storedOf(old);
  conditionChangeErrors(errors, status.conditions ?? [], before.conditions ?? [], approves);
  certificateChangeErrors(errors, status, before);
  return errors;
}

const timed = (
  conditions: readonly RequestCondition[],
  old: StoredRequest,
  { clock }: RequestContext,
): RequestCondition[] => withTimes(conditions, old.status.conditions ?? [], formatTime(clock.now()));

/** `/approval`: writes the conditions, and no certificate. */
export const approvalStrategy: SubresourceStrategy = {
  resetFields: [['spec'], ['status', 'certificate']],
  prepareForUpdate(object, old, context) {
    const request = fieldsOf(object);
    const before = storedOf(old);
    request.spec = before.spec;
    request.status = withConditions(before.status, timed(request.status.conditions ?? [], before, context));
  },
  validateUpdate: (object, old) => changeErrors(object, old, true),
};

/** `/status`: writes the certificate and conditions, but neither approves nor denies. */
export const statusStrategy: SubresourceStrategy = {
  resetFields: [['spec'], ['status', 'conditions']],
  prepareForUpdate(object, old, context) {
    const request = fieldsOf(object);
    const before = storedOf(old);
    request.spec = before.spec;
    const conditions = withOldApprovals(request.status.conditions ?? [], before.status.conditions ?? []);
    request.status = withConditions(request.status, timed(conditions, before, context));
  },
  validateUpdate: (object, old) => changeErrors(object, old, false),
};
