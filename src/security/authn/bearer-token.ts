/**
 * Bearer tokens (RFC 6750) in the `Authorization` header, or as a WebSocket subprotocol, because browsers cannot set
 * headers on WebSockets.
 *
 * @module
 */
import { decodeBase64Url, decodeValidUtf8, whenReady, type Dialect } from '../../foundation/index.js';
import type { Authenticator, AuthRequest, AuthResult, TokenAuthenticator } from './authenticator.js';

const INVALID_TOKEN = 'invalid bearer token';
const EXTRA_SPACE_WARNING =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/**
 * Parses an `Authorization` header. The scheme is case-insensitive; text after the token and a space is ignored. A
 * malformed header has no token and is not an error.
 */
export function parseBearerToken(header: string | undefined): {
  readonly token: string | undefined;
  readonly extraSpace: boolean;
} {
  const plain = plainToken(header);
  if (plain !== undefined) return { token: plain, extraSpace: false };
  const text = header?.trim() ?? '';
  const space = text.indexOf(' ');
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return { token: undefined, extraSpace: false };
  const end = text.indexOf(' ', space + 1);
  const token = end < 0 ? text.slice(space + 1) : text.slice(space + 1, end);
  return token === '' ? { token: undefined, extraSpace: end >= 0 } : { token, extraSpace: false };
}

const PLAIN_SCHEME = 'Bearer ';
/** The first and the last printable character of ASCII besides the space. */
const EXCLAMATION_MARK = 0x21;
const TILDE = 0x7e;

/** Returns the token of a header that is written as almost all are, which takes less time; undefined for others. */
function plainToken(header: string | undefined): string | undefined {
  if (header === undefined || !header.startsWith(PLAIN_SCHEME) || header.length === PLAIN_SCHEME.length)
    return undefined;
  const last = header.charCodeAt(header.length - 1);
  if (last < EXCLAMATION_MARK || last > TILDE || header.includes(' ', PLAIN_SCHEME.length)) return undefined;
  return header.slice(PLAIN_SCHEME.length);
}

/** Authenticates the token of the `Authorization` header. An unknown token is an error. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return (request) => {
    const { token, extraSpace } = parseBearerToken(request.headers.getAll('authorization')[0]);
    if (extraSpace) request.warn?.(EXTRA_SPACE_WARNING);
    return token === undefined ? undefined : askToken(tokens, token, request);
  };
}

/**
 * Authenticates the token of a WebSocket subprotocol `base64url.bearer.authorization.<group suffix>.<token in
 * base64url>`. The client must offer at least one other subprotocol for the response: the token must not be sent back.
 */
export function webSocketBearerAuthenticator(tokens: TokenAuthenticator, dialect: Dialect): Authenticator {
  const prefix = dialect.webSocketBearerPrefix;
  return (request) => {
    if (!isWebSocketRequest(request)) return undefined;
    const token = tokenOfProtocols(request.headers.getAll('sec-websocket-protocol'), prefix);
    if (token instanceof Error) return { error: token };
    return token === '' ? undefined : askToken(tokens, token, request);
  };
}

function askToken(tokens: TokenAuthenticator, token: string, request: AuthRequest): AuthResult | Promise<AuthResult> {
  return whenReady(tokens(token, request), orInvalid);
}

const orInvalid = (result: AuthResult): AuthResult => result ?? { error: new Error(INVALID_TOKEN) };

function isWebSocketRequest({ headers }: AuthRequest): boolean {
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') return false;
  return (
    headers
      .get('connection')
      ?.toLowerCase()
      .split(',')
      .some((word) => word.trim() === 'upgrade') ?? false
  );
}

function tokenOfProtocols(headers: readonly string[], prefix: string): string | Error {
  let encoded: string | undefined;
  let others = 0;
  for (const item of headers.flatMap((header) => header.split(','))) {
    const protocol = item.trim();
    if (!protocol.startsWith(prefix)) others += 1;
    else if (encoded !== undefined) return new Error('multiple base64.bearer.authorization tokens specified');
    else encoded = protocol.slice(prefix.length);
  }
  if (encoded === undefined) return '';
  const bytes = decodeBase64Url(encoded);
  if (bytes === undefined) return new Error('invalid base64.bearer.authorization token encoding');
  if (others === 0) return new Error('missing additional subprotocol');
  return decodeValidUtf8(bytes) ?? new Error('invalid base64.bearer.authorization token');
}
