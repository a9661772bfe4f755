/**
 * The HTTP requests that calls become.
 *
 * @module
 */
import {
  apiVersionOf,
  definedOnly,
  groupName,
  isJsonObject,
  jsonText,
  type DialectGroups,
  type OutboundRequest,
  type UserInfo,
} from '../../foundation/index.js';
import { metaApiVersion } from '../../server/index.js';
import { APPLY_MEDIA_TYPE, type Call, type CallVerb } from '../backend.js';
import type { DeleteParameters, WatchParameters } from '../client.js';
import { encodedSegment, pathOf, queryOf } from '../request-path.js';
import { fieldText, impersonationHeaders } from './impersonation.js';
import type { ProxyParameters } from '../streams/proxy-parameters.js';
import type { StreamParameters } from '../streams/stream-parameters.js';
import type { LocatedKind } from './located-kind.js';
import type { Repeats, WireRequest } from './sender.js';

const METHODS: Readonly<Record<CallVerb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** The facts that the requests of a client have in common. */
export interface RequestNames {
  readonly dialect: DialectGroups;
  /** Value of `User-Agent`; undefined where the platform sets it. */
  readonly userAgent: string | undefined;
}

/** Returns the request of a call. @param subresource the subresource of the call, or the one that takes its operation */
export function requestOf(call: Call, kind: LocatedKind, subresource: string, names: RequestNames): WireRequest {
  const { verb, namespace, name, parameters } = call;
  const body = bodyOf(call, kind, subresource, names.dialect);
  const query = queryOfCall(call, subresource);
  const path = pathOf(kind, { namespace, name, subresource }, segmentOf);
  const { keepAlive }: WatchParameters = parameters;
  return {
    method: METHODS[verb],
    path: query === '' ? path : `${path}?${query}`,
    headers: headersOf(call, body !== undefined, names),
    body,
    signal: parameters.signal,
    lasting: verb === 'watch' || subresource === 'log',
    background: keepAlive === false,
    repeats: repeatsOf(call, subresource),
  };
}

/** Returns the request of a call through the server. It is never sent again: the target may not expect that. */
export function proxyRequestOf(call: Call, kind: LocatedKind, names: RequestNames): WireRequest {
  const { namespace, name, subresource, parameters, client } = call;
  const { method, path = '/', headers = {}, body, signal }: ProxyParameters = parameters;
  return {
    ...{ method, body, signal, lasting: true, repeats: 'unsent' },
    path: `${pathOf(kind, { namespace, name, subresource }, segmentOf)}${path}`,
    headers: { ...clientFields(client, names), ...headers },
  };
}

/**
 * Returns a segment of the path of a URL. The names `.` and `..` would be resolved, even encoded: the request would be one
 * for another object.
 *
 * @throws TypeError for these names
 */
function segmentOf(name: string): string {
  if (name === '.' || name === '..') throw new TypeError(`invalid resource name "${name}": may not be '${name}'`);
  return encodedSegment(name);
}

/** Options of a log, which are parameters of the query under the same name. */
const LOG_OPTIONS = [
  ...['container', 'follow', 'previous', 'timestamps', 'sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes'],
];

/** Subresources that are streams. */
const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);

function queryOfCall({ verb, parameters, client }: Call, subresource: string): string {
  if (verb === 'delete') return '';
  if (STREAMS.has(subresource)) return String((parameters as StreamParameters).query);
  if (subresource === 'log') return queryOf(verb, parameters, LOG_OPTIONS);
  const isWrite = verb === 'create' || verb === 'update' || verb === 'patch';
  // The options of a deletion are in its body.
  if (verb === 'deletecollection') return queryOf(verb, { ...parameters, dryRun: undefined });
  return queryOf(
    verb,
    isWrite && client.fieldManager !== undefined
      ? { fieldManager: client.fieldManager, ...definedOnly({ ...parameters }) }
      : parameters,
  );
}

function headersOf(
  { form, verb, patchType, client }: Call,
  hasBody: boolean,
  { dialect, userAgent }: RequestNames,
): NonNullable<OutboundRequest['headers']> {
  const headers: Record<string, string | readonly string[]> = { accept: acceptOf(form, verb, dialect) };
  if (hasBody) headers['content-type'] = patchType === '' ? 'application/json' : patchType;
  return { ...headers, ...clientFields(client, { userAgent }) };
}

/** Returns the header fields that say who sends a request. */
function clientFields(
  { user }: Call['client'],
  { userAgent }: Pick<RequestNames, 'userAgent'>,
): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  if (userAgent !== undefined) headers['user-agent'] = fieldText(userAgent);
  if (user !== undefined) for (const [name, values] of impersonationOf(user)) headers[name] = values.map(fieldText);
  return headers;
}

function acceptOf(form: Call['form'], verb: CallVerb, dialect: DialectGroups): string {
  if (form === 'whole') return 'application/json';
  const [group = '', version = ''] = metaApiVersion(dialect, 'v1').split('/');
  const as = verb === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `application/json;as=${as};g=${group};v=${version}`;
}

/** Returns the headers that name another user. The server adds the groups that a name implies, if none are given. */
const impersonationOf = ({ username, uid, groups, extra = {} }: UserInfo): ReadonlyMap<string, readonly string[]> =>
  impersonationHeaders({ username, uid, groups, extra: Object.entries(extra) });

function bodyOf(
  { verb, body, operation, patchType, parameters }: Call,
  kind: LocatedKind,
  subresource: string,
  dialect: DialectGroups,
): string | undefined {
  if (verb === 'delete' || verb === 'deletecollection') return deleteOptions(parameters);
  if (body === undefined) return undefined;
  if (patchType !== '' && patchType !== APPLY_MEDIA_TYPE) return jsonText(body);
  const named = isJsonObject(body) ? body : {};
  if (operation !== undefined)
    return jsonText({ ...typeOf(groupName(operation.group, dialect), operation), ...definedOnly(named) });
  // The objects of other subresources are of other kinds.
  return jsonText(
    subresource === '' || subresource === 'status' ? { ...typeOf(kind.group, kind), ...definedOnly(named) } : body,
  );
}

const typeOf = (
  group: string,
  { version, kind }: { readonly version: string; readonly kind: string },
): { readonly apiVersion: string; readonly kind: string } => ({ apiVersion: apiVersionOf(group, version), kind });

/** Returns the body of a deletion; undefined when it has no options. */
function deleteOptions(parameters: DeleteParameters): string | undefined {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = parameters;
  const options = definedOnly({ gracePeriodSeconds, propagationPolicy, preconditions });
  const dry = dryRun === true ? { dryRun: ['All'] } : {};
  if (Object.keys(options).length + Object.keys(dry).length === 0) return undefined;
  return jsonText({ kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...dry });
}

/**
 * Returns when a request may be sent again. A write that names the version of its object has no second effect, nor has an
 * apply: it says the whole intent of its manager.
 */
function repeatsOf({ verb, body, patchType, parameters }: Call, subresource: string): Repeats {
  if (verb === 'get' || verb === 'list' || verb === 'watch' || patchType === APPLY_MEDIA_TYPE) return 'always';
  // An operation may be refused because of its time, such as an eviction, which is an answer.
  if (verb === 'create' && subresource !== '') return 'unsent';
  if (verb === 'update' && versionOf(body) !== undefined) return 'always';
  const { preconditions }: DeleteParameters = parameters;
  if (verb === 'delete' && preconditions !== undefined) return 'always';
  return 'refused';
}

function versionOf(body: unknown): unknown {
  const metadata: unknown = isJsonObject(body) ? body['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
}
