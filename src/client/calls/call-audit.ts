/**
 * The audit events of calls in the process of the server.
 *
 * @module
 */
import { ApiError, apiVersionOf, errors, messageOf } from '../../foundation/index.js';
import type { RequestAudit } from '../../security/index.js';
import type { Interception } from '../../server/index.js';
import type { ClientBackend, ClientRequest } from './backend.js';

/** Status code of a request that creates an object. */
export const CREATED = 201;

/** One call, from its check to its result. */
export class Call {
  readonly parameters: object;
  /** Status code that the same request over HTTP gets when it succeeds. */
  code = 200;
  /** Its events; undefined before the server has started, and for a call that is not recorded. */
  audit: RequestAudit | undefined;
  /** The call under the server's interceptor; undefined without one. */
  interception: Interception | undefined;

  constructor(parameters: object = {}) {
    this.parameters = parameters;
  }
}

/**
 * Records that a call arrives.
 *
 * @throws ApiError 500 when an event that must be stored cannot be
 */
export async function beginAudit(
  call: Call,
  auditing: NonNullable<ClientBackend['auditing']>,
  request: ClientRequest,
  userAgent: string,
): Promise<void> {
  const audit = auditing.begin(request, { requestUri: uriOf(request, call.parameters), userAgent });
  if (audit === undefined) return;
  call.audit = audit;
  if (await audit.received()) return;
  call.audit = undefined;
  auditing.rejected();
  throw errors.internal('failed to store audit event');
}

/** Records the result of a call. @returns the result; throws what the call throws */
export async function audited<Answer>(call: Call, answer: Promise<Answer>): Promise<Answer> {
  try {
    const value = await answer;
    const { audit } = call;
    if (audit === undefined) return value;
    if (audit.recordsResponse && typeof value === 'object' && value !== null) audit.responded(textOf(value));
    await audit.completed(call.code);
    return value;
  } catch (error) {
    await recordFailure(call, error);
    throw error;
  }
}

/** Deleted collections are lists. */
const textOf = (value: object): string => JSON.stringify(Array.isArray(value) ? { items: value } : value);

/** Status code of a call that its caller has aborted. */
const ABORTED = 499;

/** Records the failure of a call. */
export async function recordFailure({ audit }: Call, error: unknown): Promise<void> {
  if (audit === undefined) return;
  if (!(error instanceof ApiError)) {
    audit.failed(messageOf(error));
    await audit.completed(ABORTED);
    return;
  }
  audit.outcome(error.status);
  audit.responded(JSON.stringify(error.status));
  await audit.completed(error.code);
}

/** Parameters of calls that are parameters of a query. */
const QUERY = [
  ...['allowWatchBookmarks', 'continue', 'dryRun', 'fieldManager', 'fieldSelector', 'fieldValidation', 'force'],
  ...['labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch', 'sendInitialEvents', 'timeoutSeconds'],
];

/** Returns path and query of the same request over HTTP. */
function uriOf({ operations, verb, namespace, name, subresource }: ClientRequest, parameters: object): string {
  const { group, version, resource, namespaced } = operations.store.info;
  const isCollection = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
  const segments = [
    ...(group === '' ? ['api', version] : ['apis', ...apiVersionOf(group, version).split('/')]),
    ...(namespaced && namespace !== '' ? ['namespaces', namespace] : []),
    resource,
    ...(name === '' || isCollection ? [] : [name]),
    ...(subresource === '' ? [] : [subresource]),
  ];
  const query = new URLSearchParams(verb === 'watch' ? { watch: 'true' } : {});
  for (const parameter of QUERY) {
    const value: unknown = Reflect.get(parameters, parameter);
    if (parameter === 'dryRun') {
      if (value === true) query.set(parameter, 'All');
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      query.set(parameter, String(value));
  }
  const text = query.toString();
  return `/${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}
