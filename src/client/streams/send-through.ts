/**
 * Requests through the server to pods, services and nodes. Loaded with the first one.
 *
 * @module
 */
import {
  aSignal,
  aText,
  checkOptions,
  concatBytes,
  decodeUtf8Lossy,
  matching,
  oneOf,
  type OptionChecks,
} from '../../foundation/index.js';
import type { Call, CallVerb, ClientBackend } from '../backend.js';
import type { ProxiedResponse, ProxyMethod, ProxyParameters } from './proxy-parameters.js';

/** Maximum size of a body that is read as a text, in bytes. */
const MAX_TEXT = 64 * 1024 * 1024;

const aPort = matching(
  'the number or the name of a port',
  (value) => (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536) || isPortName(value),
);
const aPath = matching('an encoded path with a leading slash and without steps up, such as "/metrics?name=a"', isPath);

/** A segment that an URL resolves, so that the request would reach another path of the server. A backslash is a slash there. */
const DOT_SEGMENT = /[/\\](?:\.|%2e){1,2}(?=[/\\?]|$)/i;

function isPath(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\/[\x21\x22\x24-\x7e]*$/.test(value)) return false;
  const [pathname = ''] = value.split('?', 1);
  if (DOT_SEGMENT.test(pathname)) return false;
  try {
    return decodeURIComponent(value) !== '';
  } catch {
    return false;
  }
}

const isPortName = (value: unknown): boolean => typeof value === 'string' && /^[a-z0-9-]{1,15}$/.test(value);

/** Names of header fields in lower case (RFC 9110 section 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const fields = matching(
  'an object of header fields: strings by their names in lower case',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([name, text]) => FIELD_NAME.test(name) && typeof text === 'string'),
);

/** The verbs by which requests are authorized. */
const VERBS: Readonly<Record<ProxyMethod, CallVerb>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const checks: OptionChecks<ProxyParameters> = {
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: aPath,
  headers: fields,
  body: aText,
  port: aPort,
  scheme: oneOf('http', 'https'),
  signal: aSignal,
};

/** Makes the call of a request. @param name the name in the path, with scheme and port */
export type ProxyCalling = (verb: CallVerb, name: string) => { readonly backend: ClientBackend; readonly call: Call };

/** Sends a request through the server. @throws TypeError for invalid parameters; as calls do when there is no response */
export async function sendThrough(
  name: string,
  parameters: ProxyParameters,
  calling: ProxyCalling,
): Promise<ProxiedResponse> {
  checkOptions('proxy', parameters, checks);
  const { method = 'GET', headers = {} } = parameters;
  const isOwn = Object.keys(headers).find((field) => /^(authorization$|impersonate-)/.test(field));
  if (isOwn !== undefined) throw new TypeError(`proxy: the header field ${isOwn} is that of the server`);
  const { backend, call } = calling(VERBS[method], targetName(name, parameters));
  const { status, header, body } = await backend.proxy(call);
  return { status, header, body, text: () => textOf(body) };
}

/** Returns the name in the path: `web`, `web:80`, `https:web:443`. */
function targetName(name: string, { scheme, port = '' }: ProxyParameters): string {
  if (scheme !== undefined) return `${scheme}:${name}:${port}`;
  return port === '' ? name : `${name}:${port}`;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_TEXT) throw new Error(`the response is longer than ${MAX_TEXT} bytes`);
    chunks.push(chunk);
  }
  return decodeUtf8Lossy(concatBytes(chunks));
}
