import {
  appendErrors,
  definedOnly,
  FieldErrorList,
  formatTime,
  inSlices,
  pathSegment,
  UNBOUNDED_WORK,
  type ApiObject,
  type Dialect,
  type FieldError,
  type Steps,
  type StoredObject,
  type UserInfo,
} from '../../../foundation/index.js';
import type { RequestContext, Strategy, SubresourceStrategy } from '../../../registry/index.js';
import { userInfoJson } from '../authentication/user-info.js';
import { conditionChangeErrors, conditionErrors, withOldApprovals, withTimes } from './conditions.js';
import { certificateChangeErrors, certificateErrors } from './issued-certificate.js';
import type { CertificateSigningRequestFields, RequestCondition } from './request-fields.js';
import { requestErrors, specErrors } from './validate-request.js';

type RequestObject = ApiObject & CertificateSigningRequestFields;
type StoredRequest = StoredObject & CertificateSigningRequestFields;

// A strategy receives only objects that its schema has decoded.
const fieldsOf = (object: ApiObject | StoredObject): RequestObject => object as RequestObject;
const storedOf = (object: StoredObject): StoredRequest => object as StoredRequest;

/** Returns the spec with the requester set to the authenticated user; the requester in the object is ignored. */
function specWithRequester(
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

/** Returns the status with the conditions; an empty list is omitted. */
function withConditions(
  { conditions: _before, ...status }: RequestObject['status'],
  conditions: readonly RequestCondition[],
): RequestObject['status'] {
  return conditions.length === 0 ? status : { conditions: [...conditions], ...status };
}

function* stateErrors(
  errors: FieldErrorList,
  { status }: StoredRequest,
  old: StoredRequest | undefined,
): Steps<FieldErrorList> {
  yield* conditionErrors(errors, status.conditions ?? []);
  certificateErrors(errors, status, old?.status);
  return errors;
}

function* newRequestErrors(errors: FieldErrorList, request: StoredRequest, dialect: Dialect): Steps<FieldErrorList> {
  yield* specErrors(errors, request.spec, dialect);
  return yield* stateErrors(errors, request, undefined);
}

/** The main resource: updates write metadata only; the spec is written on creation. */
export const mainStrategy: Strategy = {
  // Any name that is a valid path segment.
  nameRule: pathSegment,
  deleteCollectionReturnsStatus: true,
  resetFields: [['spec'], ['status']],
  prepareForCreate(object, { user }) {
    const request = fieldsOf(object);
    request.spec = specWithRequester(request.spec, user);
    request.status = {};
  },
  prepareForUpdate(object, old) {
    const request = fieldsOf(object);
    const { spec, status } = storedOf(old);
    request.spec = spec;
    request.status = status;
  },
  async validateNew(object, { dialect, work = UNBOUNDED_WORK }) {
    const request = storedOf(object);
    const errors = new FieldErrorList(work);
    appendErrors(errors, await requestErrors(request.spec.request));
    return inSlices(work, newRequestErrors(errors, request, dialect));
  },
  // The spec is immutable and was validated on creation.
  validate: (object, { work }, old) =>
    stateErrors(new FieldErrorList(work), storedOf(object), old === undefined ? undefined : storedOf(old)),
};

function changeErrors(object: StoredObject, old: StoredObject, approves: boolean): FieldError[] {
  const errors = new FieldErrorList();
  const { status } = storedOf(object);
  const { status: before } = storedOf(old);
  conditionChangeErrors(errors, status.conditions ?? [], before.conditions ?? [], approves);
  certificateChangeErrors(errors, status, before);
  return errors;
}

const withCurrentTimes = (
  conditions: readonly RequestCondition[],
  old: StoredRequest,
  { clock }: RequestContext,
): RequestCondition[] => withTimes(conditions, old.status.conditions ?? [], formatTime(clock.now()));

/** `/approval`: writes the conditions only. */
export const approvalStrategy: SubresourceStrategy = {
  resetFields: [['spec'], ['status', 'certificate']],
  prepareForUpdate(object, old, context) {
    const request = fieldsOf(object);
    const before = storedOf(old);
    request.spec = before.spec;
    request.status = withConditions(before.status, withCurrentTimes(request.status.conditions ?? [], before, context));
  },
  validateUpdate: (object, old) => changeErrors(object, old, true),
};

/** `/status`: writes the certificate and the conditions other than Approved and Denied. */
export const statusStrategy: SubresourceStrategy = {
  resetFields: [['spec'], ['status', 'conditions']],
  prepareForUpdate(object, old, context) {
    const request = fieldsOf(object);
    const before = storedOf(old);
    request.spec = before.spec;
    const conditions = withOldApprovals(request.status.conditions ?? [], before.status.conditions ?? []);
    request.status = withConditions(request.status, withCurrentTimes(conditions, before, context));
  },
  validateUpdate: (object, old) => changeErrors(object, old, false),
};
