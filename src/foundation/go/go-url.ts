/**
 * Parses URLs like Kubernetes (`net/url` of Go 1.22), with its errors. The host's `URL` accepts and repairs invalid
 * URLs.
 *
 * @module
 */
import { hexOfByte } from '../encoding/hex.js';
import { decodeUtf8Lossy, encodeUtf8 } from '../encoding/utf8.js';
import { goQuote } from './go-text.js';

/** A parsed URL. Missing parts are empty. */
export interface GoUrl {
  /** Lowercase. */
  readonly scheme: string;
  /** The part after the scheme of a URL such as `mailto:jane`, which has no host and no path. */
  readonly opaque: string;
  /** The user and the password, decoded; undefined without user information. */
  readonly user: readonly string[] | undefined;
  /** The host with its port, decoded; an IPv6 address is in brackets. */
  readonly host: string;
  /** True for `scheme:/path`, without `//`. */
  readonly omitsHost: boolean;
  /** The path with its escapes. */
  readonly path: string;
  /** The text after the question mark; undefined without a question mark. */
  readonly query: string | undefined;
  /** The fragment with its escapes. */
  readonly fragment: string;
}

/** An error in a URL. */
class UrlProblem extends Error {}

/** Parses an absolute or relative URL. A string result is the error. */
export function parseGoUrl(text: string): GoUrl | string {
  const [address, fragment = ''] = cut(text, '#');
  const url = explained(address, () => parse(address, false));
  if (typeof url === 'string') return url;
  return explained(text, () => (checkEscapes(fragment), { ...url, fragment }));
}

/** Parses an absolute URL or an absolute path as in an HTTP request, without a fragment. A string result is the error. */
export function parseRequestUri(text: string): GoUrl | string {
  return explained(text, () => {
    if (text === '') throw new UrlProblem('empty url');
    return parse(text, true);
  });
}

function explained<Result>(text: string, run: () => Result): Result | string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    return `parse ${goQuote(text)}: ${error.message}`;
  }
}

/** Splits a text at the first occurrence of a mark. */
function cut(text: string, mark: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

const EMPTY: GoUrl = {
  scheme: '',
  opaque: '',
  user: undefined,
  host: '',
  omitsHost: false,
  path: '',
  query: undefined,
  fragment: '',
};

function parse(text: string, isRequest: boolean): GoUrl {
  if (hasControl(text)) throw new UrlProblem('net/url: invalid control character in URL');
  if (text === '*') return { ...EMPTY, path: '*' };
  const { scheme, rest } = splitScheme(text);
  const [location, query] = cut(rest, '?');
  const url = { ...EMPTY, scheme, query };
  if (!location.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: location };
    if (isRequest) throw new UrlProblem('invalid URI for request');
    if (cut(location, '/')[0].includes(':')) throw new UrlProblem('first path segment in URL cannot contain colon');
  }
  const mayHaveHost = scheme !== '' || (!isRequest && !location.startsWith('///'));
  if (!mayHaveHost || !location.startsWith('//')) {
    checkEscapes(location);
    return { ...url, omitsHost: scheme !== '', path: location };
  }
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(location) ?? [];
  const at = authority.lastIndexOf('@');
  const host = parseHost(authority.slice(at + 1));
  const user = at < 0 ? undefined : parseUser(authority.slice(0, at));
  checkEscapes(path);
  return { ...url, user, host, path };
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function splitScheme(address: string): { readonly scheme: string; readonly rest: string } {
  if (address.startsWith(':')) throw new UrlProblem('missing protocol scheme');
  const scheme = /^[a-zA-Z][-+.a-zA-Z0-9]*(?=:)/.exec(address)?.[0];
  return scheme === undefined
    ? { scheme: '', rest: address }
    : { scheme: scheme.toLowerCase(), rest: address.slice(scheme.length + 1) };
}

function parseUser(text: string): readonly string[] {
  if (!/^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/.test(text)) throw new UrlProblem('net/url: invalid userinfo');
  const [name, password] = cut(text, ':');
  return (password === undefined ? [name] : [name, password]).map((part) => (checkEscapes(part), decodeEscapes(part)));
}

const PORT = /^(:[0-9]*)?$/;

function parseHost(host: string): string {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) throw new UrlProblem("missing ']' in host");
  const colon = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!PORT.test(port)) throw new UrlProblem(`invalid port ${goQuote(port)} after host`);
  const zone = host.startsWith('[') ? host.slice(0, bracket).indexOf('%25') : -1;
  if (zone < 0) return decodeHost(host);
  return decodeHost(host.slice(0, zone)) + decodeZone(host.slice(zone, bracket)) + decodeHost(host.slice(bracket));
}

/**
 * A character or escape that a host must not contain. Characters beyond ASCII are allowed; they are resolved elsewhere.
 * An escape is allowed for bytes beyond ASCII, and for `%` itself.
 */
const BAD_IN_HOST = /%(?![89a-fA-F][0-9a-fA-F]|25).{0,2}|[^-A-Za-z0-9._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/s;

function decodeHost(text: string): string {
  checkHostCharacters(BAD_IN_HOST.exec(text)?.[0]);
  return decodeEscapes(text);
}

/** In a zone (`%25eth0`), an escape is allowed for every character that a host may contain, and for a space. */
function decodeZone(text: string): string {
  for (const [escape] of text.matchAll(/%.{0,2}/gs)) {
    const isEscape = /^%[0-9a-fA-F]{2}$/.test(escape);
    const code = Number.parseInt(escape.slice(1), 16);
    const isAllowed = code === 0x20 || code === 0x25 || (code < 0x80 && !BAD_IN_HOST.test(String.fromCharCode(code)));
    if (!isEscape || !isAllowed) checkHostCharacters(escape);
  }
  checkHostCharacters(BAD_IN_HOST.exec(text.replace(/%.{2}/gs, ''))?.[0]);
  return decodeEscapes(text);
}

function checkHostCharacters(bad: string | undefined): void {
  if (bad === undefined) return;
  throw new UrlProblem(
    bad.startsWith('%') ? `invalid URL escape ${goQuote(bad)}` : `invalid character ${goQuote(bad)} in host name`,
  );
}

function checkEscapes(text: string): void {
  const [bad] = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text) ?? [];
  if (bad !== undefined) throw new UrlProblem(`invalid URL escape ${goQuote(bad)}`);
}

/** Replaces valid escapes by the bytes that they stand for. */
function decodeEscapes(text: string): string {
  return text.includes('%') ? decodeUtf8Lossy(bytesOf(text)) : text;
}

function bytesOf(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const [part] of text.matchAll(/%[0-9a-fA-F]{2}|[^%]+|%/g)) {
    if (part.startsWith('%') && part.length === 3) bytes.push(Number.parseInt(part.slice(1), 16));
    else for (const byte of encodeUtf8(part)) bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Returns the path of a URL with the escapes that it needs: `/with space` becomes `/with%20space`. */
export function escapedPath({ path }: GoUrl): string {
  if (path === '*' || /^[-A-Za-z0-9._~!$&'()*+,;=:@[\]/%]*$/.test(path)) return path;
  return Array.from(bytesOf(path), (byte) => {
    const character = String.fromCharCode(byte);
    return /[-A-Za-z0-9._~$&+,/:;=@]/.test(character) ? character : `%${hexOfByte(byte).toUpperCase()}`;
  }).join('');
}

/** Splits a host into its name, without brackets, and its port. */
export function splitHost(host: string): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && PORT.test(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  return {
    hostname: name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : '',
  };
}

/** Returns the values of the parameters of a query, decoded, by name. Invalid parameters are skipped. */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const parameter of query.split('&')) {
    if (parameter === '' || parameter.includes(';') || /%(?![0-9a-fA-F]{2})/.test(parameter)) continue;
    const [name, value = ''] = cut(parameter.replaceAll('+', ' '), '=');
    const key = decodeEscapes(name);
    const known = values.get(key);
    if (known === undefined) values.set(key, [decodeEscapes(value)]);
    else known.push(decodeEscapes(value));
  }
  return values;
}
