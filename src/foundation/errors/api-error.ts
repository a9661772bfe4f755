import { definedOnly } from '../collections/defined-only.js';
import { goQuote } from '../go/go-text.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import { fieldErrorTypes, reportOf, type FieldError } from './field-error.js';
import { quotedText, shownText } from './shown-text.js';

// Type aliases instead of interfaces: the compiler accepts only aliases as JSON objects.

/** One detail of a failure, for machines. */
export type StatusCause = {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
};

/** The object or request of a Status. */
export type StatusDetails = {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** The resource (plural) of a request, or the kind of an invalid object, as in Kubernetes. */
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
};

/** The body of a response that is not an object: a failure, or the success of an operation without a result. */
export type Status = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: {
    readonly resourceVersion?: string | undefined;
    readonly continue?: string | undefined;
    readonly remainingItemCount?: number | undefined;
  };
  readonly status: 'Success' | 'Failure';
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code?: number | undefined;
};

/** Every reason of a Status, with its HTTP status code. */
export const statusReasons: Readonly<Record<StatusReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  ServerTimeout: 500,
};

/** Name of a reason. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'ServerTimeout';

/** The reasons without those that share their code with a more usual one. */
const { AlreadyExists: _exists, Gone: _gone, ServerTimeout: _timeout, ...usualReasons } = statusReasons;

/** Returns the reason that Kubernetes gives with a code; undefined for a code without one. */
export function reasonOfCode(code: number): string | undefined {
  return Object.entries(usualReasons).find(([, known]) => known === code)?.[0];
}

/** A group and a plural name, for messages: `leases.coordination.example` or `configmaps`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** A group and a kind, for messages: `Lease.coordination.example` or `ConfigMap`. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A failure with a response. Every layer throws it directly; the server sends its {@link ApiError.status}. */
export class ApiError extends Error {
  /** The Status that is sent. */
  readonly status: Status;

  constructor(
    status: Omit<Status, 'kind' | 'apiVersion' | 'metadata' | 'status'> & {
      readonly metadata?: Status['metadata'] | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(status.message ?? status.reason ?? 'unknown failure', options);
    this.name = 'ApiError';
    const { metadata = {}, ...rest } = status;
    this.status = { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', ...rest };
  }

  /** HTTP status code. */
  get code(): number {
    return this.status.code ?? 500;
  }

  /** The reason; undefined when Kubernetes gives none. */
  get reason(): string | undefined {
    return this.status.reason;
  }

  /** Rebuilds the error that a Status body describes; for clients. */
  static fromStatus(body: JsonObject, httpStatus: number): ApiError {
    const text = (key: string): string | undefined => (typeof body[key] === 'string' ? body[key] : undefined);
    return new ApiError(
      definedOnly({
        code: typeof body['code'] === 'number' ? body['code'] : httpStatus,
        message: text('message'),
        reason: text('reason'),
        details: body['details'] as StatusDetails | undefined,
        metadata: metadataOf(body['metadata']),
      }),
    );
  }
}

/** Returns the metadata of a Status; undefined for none. */
function metadataOf(value: unknown): Status['metadata'] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { resourceVersion, continue: token, remainingItemCount } = value;
  return definedOnly({
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : undefined,
    continue: typeof token === 'string' ? token : undefined,
    remainingItemCount: typeof remainingItemCount === 'number' ? remainingItemCount : undefined,
  });
}

const groupDetail = (group: string): { group?: string | undefined } => (group === '' ? {} : { group });

/** Returns `name.group`, or only the name in the core group. */
export function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

const resourceText = (resource: GroupResource): string => qualified(resource.resource, resource.group);

const resourceDetails = (resource: GroupResource, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name: shownText(name) }),
  ...groupDetail(resource.group),
  kind: resource.resource,
});

/** The failures of Kubernetes, each with its code, reason and message. */
export const errors = {
  badRequest: (message: string, options?: ErrorOptions): ApiError =>
    new ApiError({ message, reason: 'BadRequest', code: 400 }, options),

  unauthorized: (message = 'Unauthorized'): ApiError => new ApiError({ message, reason: 'Unauthorized', code: 401 }),

  /** A refusal by admission or by a rule of the resource. */
  forbidden: (resource: GroupResource, name: string, why: string, causes?: readonly StatusCause[]): ApiError =>
    new ApiError({
      message: `${resourceText(resource)}${name === '' ? '' : ` ${quotedText(name)}`} is forbidden: ${why}`,
      reason: 'Forbidden',
      details: { ...resourceDetails(resource, name), ...definedOnly({ causes }) },
      code: 403,
    }),

  /** A refusal of a request that names no resource. */
  forbiddenPath: (message: string): ApiError => new ApiError({ message, reason: 'Forbidden', details: {}, code: 403 }),

  notFound: (resource: GroupResource, name: string): ApiError =>
    new ApiError({
      message: `${resourceText(resource)} ${quotedText(name)} not found`,
      reason: 'NotFound',
      details: resourceDetails(resource, name),
      code: 404,
    }),

  /** An API path that names no resource. */
  resourceNotFound: (): ApiError =>
    new ApiError({
      message: 'the server could not find the requested resource',
      reason: 'NotFound',
      details: {},
      code: 404,
    }),

  methodNotAllowed: (): ApiError =>
    new ApiError({
      message: 'the server does not allow this method on the requested resource',
      reason: 'MethodNotAllowed',
      details: {},
      code: 405,
    }),

  /** A verb that a custom kind does not have. */
  methodNotSupported: (
    resource: GroupResource,
    verb: string,
    message = `${verb} is not supported on resources of kind ${goQuote(resourceText(resource))}`,
  ): ApiError =>
    new ApiError({ message, reason: 'MethodNotAllowed', details: resourceDetails(resource, ''), code: 405 }),

  alreadyExists: (resource: GroupResource, name: string, beingDeleted = false): ApiError =>
    new ApiError({
      message: `${beingDeleted ? 'object is being deleted: ' : ''}${resourceText(resource)} ${quotedText(name)} already exists`,
      reason: 'AlreadyExists',
      details: resourceDetails(resource, name),
      code: 409,
    }),

  /** A generated name that already exists: the client retries. */
  generateNameConflict: (resource: GroupResource, name: string, beingDeleted = false): ApiError =>
    new ApiError({
      message: `${beingDeleted ? 'object is being deleted: ' : ''}${resourceText(resource)} ${quotedText(name)} already exists, the server was not able to generate a unique name for the object`,
      reason: 'AlreadyExists',
      details: { ...resourceDetails(resource, name), retryAfterSeconds: 1 },
      code: 409,
    }),

  conflict: (resource: GroupResource, name: string, why: string): ApiError =>
    new ApiError({
      message: `Operation cannot be fulfilled on ${resourceText(resource)} ${quotedText(name)}: ${why}`,
      reason: 'Conflict',
      details: resourceDetails(resource, name),
      code: 409,
    }),

  /** A write whose uid or version precondition fails. */
  preconditionFailed: (
    resource: GroupResource,
    name: string,
    what: 'UID' | 'ResourceVersion',
    wanted: string,
    found: string,
  ): ApiError =>
    errors.conflict(
      resource,
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    ),

  /** A write that lost a race or is based on an older version. */
  modified: (resource: GroupResource, name: string): ApiError =>
    errors.conflict(
      resource,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    ),

  gone: (message: string): ApiError => new ApiError({ message, reason: 'Gone', code: 410 }),

  expired: (message: string, metadata: Status['metadata'] = {}): ApiError =>
    new ApiError({ metadata, message, reason: 'Expired', code: 410 }),

  requestEntityTooLarge: (message: string): ApiError =>
    new ApiError({ message: `Request entity too large: ${message}`, reason: 'RequestEntityTooLarge', code: 413 }),

  /** An invalid object; every violated rule is a cause. */
  invalid: (kind: GroupKind, name: string, fieldErrors: readonly FieldError[]): ApiError => {
    const { errors: reported, more, text } = reportOf(fieldErrors);
    return new ApiError({
      message: `${qualified(shownText(kind.kind), kind.group)} ${quotedText(name)} is invalid: ${text}`,
      reason: 'Invalid',
      details: {
        ...(name === '' ? {} : { name: shownText(name) }),
        ...groupDetail(kind.group),
        ...(kind.kind === '' ? {} : { kind: shownText(kind.kind) }),
        causes: [
          ...reported.map(({ type, body, field }) => ({ reason: fieldErrorTypes[type].reason, message: body, field })),
          ...(more === undefined ? [] : [{ message: more }]),
        ],
      },
      code: 422,
    });
  },

  tooManyRequests: (message: string, retryAfterSeconds: number): ApiError =>
    new ApiError({ message, reason: 'TooManyRequests', details: { retryAfterSeconds }, code: 429 }),

  /**
   * An eviction that a disruption budget forbids.
   *
   * @param retryAfterSeconds 0 when nothing is known about when it will be allowed
   */
  disruptionRefused: (why: string, retryAfterSeconds: number): ApiError =>
    new ApiError({
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      reason: 'TooManyRequests',
      details: {
        causes: [{ reason: 'DisruptionBudget', message: why }],
        ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
      },
      code: 429,
    }),

  /** A failure of the server itself. The client sees the message: it must not contain secrets. */
  internal: (message: string, options?: ErrorOptions): ApiError =>
    new ApiError(
      {
        message: `Internal error occurred: ${message}`,
        reason: 'InternalError',
        details: { causes: [{ message }] },
        code: 500,
      },
      options,
    ),

  /** An unexpected failure, such as one of a hook, a plugin or an authorizer. The client does not see the cause. */
  unexpected: (cause: unknown): ApiError => errors.internal('the server could not complete the request', { cause }),

  /** A temporary failure: the storage is unavailable or full, and the client may retry. */
  serverTimeout: (
    resource: GroupResource,
    operation: string,
    retryAfterSeconds: number,
    options?: ErrorOptions,
  ): ApiError =>
    new ApiError(
      {
        message: `The ${operation} operation against ${resourceText(resource)} could not be completed at this time, please try again.`,
        reason: 'ServerTimeout',
        details: { ...resourceDetails(resource, operation), retryAfterSeconds },
        code: 500,
      },
      options,
    ),

  serviceUnavailable: (message: string, retryAfterSeconds?: number): ApiError =>
    new ApiError({
      message,
      reason: 'ServiceUnavailable',
      ...definedOnly({ details: retryAfterSeconds === undefined ? undefined : { retryAfterSeconds } }),
      code: 503,
    }),

  /** A version that this server has not reached; the client retries. */
  tooLargeResourceVersion: (wanted: bigint | number, current: bigint | number, retryAfterSeconds: number): ApiError =>
    new ApiError({
      message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds,
      },
      code: 504,
    }),

  /** A request that timed out. */
  timeout: (message: string): ApiError =>
    new ApiError({ message: `Timeout: ${message}`, reason: 'Timeout', details: {}, code: 504 }),

  /** A known feature that this server does not support. */
  notImplemented: (what: string): ApiError =>
    new ApiError({ message: `${what} is not supported by this server`, reason: 'NotImplemented', code: 501 }),
} as const;
