/**
 * The form in which requests are recorded and compared.
 *
 * @module
 */
import { decodeUtf8, definedOnly, encodeUtf8, jsonValue, type JsonValue } from '../../foundation/index.js';
import { parseYaml, type ApiRequest } from '../../server/index.js';
import type { RecordedRequest } from './conversation.js';
import { isSecretPath, isTokenPath, REDACTED, redacted } from './redact.js';

/** Maximum size of a request body, in bytes. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** A request that was read. */
export interface ReadRequest {
  readonly recorded: RecordedRequest;
  /** The body as sent. */
  readonly body: Uint8Array;
}

/** Reads a request. @throws BodyTooLargeError when the body is longer than 32 MiB */
export async function readRequest(request: ApiRequest): Promise<ReadRequest> {
  const body = await request.body(MAX_BODY_BYTES);
  const contentType = request.headers.get('content-type');
  const as = /\bas=([A-Za-z]+)/.exec(request.headers.get('accept') ?? '')?.[1];
  const user = request.headers.get('impersonate-user');
  const { method, path } = request;
  return {
    body,
    recorded: {
      ...{ method, path, query: normalQuery(request.query) },
      ...definedOnly({ as, user }),
      ...(body.length === 0 ? {} : { contentType, body: await bodyOf(body, contentType ?? '', path) }),
    },
  };
}

/** Parameters that clients draw at random, and that change no answer. */
const IGNORED_PARAMETERS: ReadonlySet<string> = new Set(['timeoutSeconds', 'timeout', 'pretty']);

/** Returns a query with its parameters in the order of their names. */
function normalQuery(query: string): string {
  const parameters = new URLSearchParams(query);
  for (const name of IGNORED_PARAMETERS) parameters.delete(name);
  parameters.sort();
  return parameters.toString();
}

async function bodyOf(bytes: Uint8Array, contentType: string, path: string): Promise<JsonValue> {
  const text = decodeUtf8(bytes);
  const value = await parsed(text, contentType);
  if (value !== undefined) return redacted(value, path);
  // A body that cannot be read may contain anything.
  return isSecretPath(path) || isTokenPath(path) ? REDACTED : text;
}

async function parsed(text: string, contentType: string): Promise<JsonValue | undefined> {
  try {
    if (!/yaml/.test(contentType)) return jsonValue(text);
    return (await parseYaml(encodeUtf8(text))).value;
  } catch {
    return undefined;
  }
}

/** Returns the name of a request for messages: `POST /api/v1/namespaces?dryRun=All`. */
export const titleOf = ({ method, path, query, as, user }: RecordedRequest): string =>
  `${method} ${path}${query === '' ? '' : `?${query}`}${as === undefined ? '' : ` as ${as}`}${user === undefined ? '' : ` by ${user}`}`;

/** Returns whether a response is streamed: a watch, or a log that is followed. */
export function isStreamed({ path, query }: RecordedRequest): boolean {
  const parameters = new URLSearchParams(query);
  const isOn = (name: string): boolean => ['1', 'true', ''].includes(parameters.get(name) ?? 'false');
  return isOn('watch') || isOn('follow') || /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/watch\//.test(path);
}

/** Operations of connections, which are not requests with a response. */
const CONNECTIONS = /\/(exec|attach|portforward|proxy)(\/|$)/;

/** Returns why a request cannot be recorded; undefined for other requests. */
export function obstacleOf(request: ApiRequest): string | undefined {
  const { headers, path } = request;
  if (headers.get('upgrade') !== undefined || CONNECTIONS.test(path))
    return 'connections (exec, attach, portforward, proxy, WebSockets) cannot be recorded';
  if (isProtobuf(headers.get('content-type'))) return 'a body in protobuf cannot be recorded: let the client send JSON';
  const accepted = headers.get('accept');
  if (isProtobuf(accepted) && readableAccept(accepted) === undefined)
    return 'a client that accepts only protobuf cannot be recorded: let it accept JSON';
  return undefined;
}

const isProtobuf = (mediaTypes: string | undefined): boolean => /protobuf/.test(mediaTypes ?? '');

/** Returns the clauses of an Accept header without protobuf; undefined when none is left. */
export function readableAccept(accept: string | undefined): string | undefined {
  const clauses = (accept ?? '').split(',').filter((clause) => clause.trim() !== '' && !isProtobuf(clause));
  return clauses.length === 0 ? undefined : clauses.join(',');
}
