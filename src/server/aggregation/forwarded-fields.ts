/**
 * The header fields of a request that is passed on to the server of its API group, and those of the response.
 *
 * @module
 */
import { encodeUtf8, latin1, type UserInfo } from '../../foundation/index.js';
import type { RequestHeaders } from '../requests/http.js';

/** Header fields by name in lower case. */
export type Fields = Record<string, string | readonly string[]>;

/** Fields that belong to one connection (RFC 9110, section 7.6.1). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The field with the subprotocols of a WebSocket, one of which may be a token of the client. */
const PROTOCOLS = 'sec-websocket-protocol';

/** Fields for this server, or set for each request. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'audit-id',
  'authorization',
  'content-length',
  'expect',
  'host',
  PROTOCOLS,
  'x-forwarded-for',
]);

/** Prefixes of the fields that tell who a user is: only the sender of the request may set them. */
const IDENTITY_PREFIXES = ['impersonate-', 'x-remote-'];

/** The source of the fields of a request. */
export interface ForwardedRequest {
  readonly headers: RequestHeaders;
  readonly user: UserInfo;
  readonly auditId: string;
  /** Address of the client; undefined when the transport does not know it. */
  readonly address: string | undefined;
  /** Beginning of the WebSocket subprotocols that carry a token. */
  readonly tokenProtocol: string;
  /** Further names and prefixes of fields, in lower case, from which a server may read the user. */
  readonly identityFields: readonly string[];
}

/**
 * Returns the fields of a request to the server of its API group: those of the client, without its credentials and
 * without what it says about a user, and the user as this server has authenticated it.
 */
export function requestFields(request: ForwardedRequest): Fields {
  const { headers, user, auditId, address, identityFields, tokenProtocol } = request;
  const fields: Fields = {};
  const listed = listedFields(headers.get('connection'));
  const isIdentity = (name: string): boolean =>
    IDENTITY_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    identityFields.some((prefix) => name.startsWith(prefix));
  for (const name of headers.names()) {
    if (CONNECTION_FIELDS.has(name) || OWN_FIELDS.has(name) || listed.has(name) || isIdentity(name)) continue;
    const values = headers.getAll(name);
    fields[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  const protocols = headers.getAll(PROTOCOLS).flatMap((value) => value.split(',').map((protocol) => protocol.trim()));
  const offered = protocols.filter((protocol) => !protocol.startsWith(tokenProtocol));
  if (offered.length > 0) fields[PROTOCOLS] = offered.join(', ');
  const hops = [...headers.getAll('x-forwarded-for'), ...(address === undefined ? [] : [address])];
  if (hops.length > 0) fields['x-forwarded-for'] = hops.join(', ');
  return { ...fields, 'audit-id': auditId, ...userFields(user) };
}

/** Returns the fields that name a user to a server that trusts the sender (`--requestheader-*` of the receiver). */
export function userFields({ username, groups, extra = {} }: UserInfo): Fields {
  const fields: Fields = { 'x-remote-user': byteText(username) };
  if (groups.length > 0) fields['x-remote-group'] = groups.map(byteText);
  for (const [key, values] of Object.entries(extra))
    if (values.length > 0) fields[`x-remote-extra-${fieldNameOf(key)}`] = values.map(byteText);
  return fields;
}

/** Names of the fields that this server sets in each of its responses. */
const OWN_RESPONSE_FIELDS: ReadonlySet<string> = new Set(['audit-id', 'content-length']);

/** Returns the fields of a response that the client gets. Which web pages may read it is for this server to say. */
export function responseFields(
  received: Iterable<readonly [name: string, value: string | readonly string[]]>,
  connection: string | undefined,
): Fields {
  const fields: Fields = {};
  const listed = listedFields(connection);
  for (const [name, value] of received) {
    if (CONNECTION_FIELDS.has(name) || OWN_RESPONSE_FIELDS.has(name) || listed.has(name)) continue;
    if (!name.startsWith('access-control-')) fields[name] = value;
  }
  return fields;
}

/** Returns the names that `Connection` lists: they belong to the connection, too. */
const listedFields = (connection = ''): ReadonlySet<string> =>
  new Set(connection.split(',').map((name) => name.trim().toLowerCase()));

/** Returns a text as a field value has it: each byte of its UTF-8 is a character. */
const byteText = (text: string): string => latin1(encodeUtf8(text));

const NAME_CHARACTER = /[!#$&'*+.^_`|~0-9a-z-]/;

/** Returns a key of `extra` as a part of a field name: other characters are percent-encoded, and case is lost. */
function fieldNameOf(key: string): string {
  let name = '';
  for (const byte of encodeUtf8(key.toLowerCase())) {
    const character = String.fromCharCode(byte);
    name += NAME_CHARACTER.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return name;
}
