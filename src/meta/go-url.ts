/**
 * Parses URLs like Kubernetes (`net/url` of Go 1.22), with its errors. The host's `URL` accepts and repairs invalid
 * URLs.
 *
 * @module
 */
import { goQuote } from './go-text.js';

/** The parts of a URL that validation reads. */
export interface GoUrl {
  /** Lowercase; empty when missing. */
  readonly scheme: string;
  readonly hasUserInfo: boolean;
  /** As written; empty when missing. */
  readonly userInfo: string;
  /** With the port; empty when missing. */
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** An error in a URL. */
class UrlProblem extends Error {}

/** Parses a URL. A string result is the error. */
export function parseGoUrl(text: string): GoUrl | string {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    return `parse ${goQuote(text)}: ${error.message}`;
  }
}

/** Splits a text at the first occurrence of a mark. */
function cut(text: string, mark: string): readonly [before: string, after: string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

function parse(text: string): GoUrl {
  const [address, fragment] = cut(text, '#');
  if (hasControl(address)) throw new UrlProblem('net/url: invalid control character in URL');
  const { scheme, rest } = splitScheme(address);
  const [location, query] = cut(rest, '?');
  const isOpaque = scheme !== '' && !location.startsWith('/');
  const { userInfo, host } = isOpaque ? NO_AUTHORITY : parseLocation(location, scheme);
  checkEscapes(fragment);
  return { scheme, hasUserInfo: userInfo !== undefined, userInfo: userInfo ?? '', host, query, fragment };
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

/** The part of a URL before its path. */
interface Authority {
  /** Undefined when missing. */
  readonly userInfo: string | undefined;
  readonly host: string;
}

const NO_AUTHORITY: Authority = { userInfo: undefined, host: '' };

/** Parses the part after the scheme. */
function parseLocation(location: string, scheme: string): Authority {
  if (!location.startsWith('/') && cut(location, '/')[0].includes(':'))
    throw new UrlProblem('first path segment in URL cannot contain colon');
  if (!location.startsWith('//') || (scheme === '' && location.startsWith('///'))) {
    checkEscapes(location);
    return NO_AUTHORITY;
  }
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(location) ?? [];
  const at = authority.lastIndexOf('@');
  const userInfo = at < 0 ? undefined : authority.slice(0, at);
  if (userInfo !== undefined) checkUserInfo(userInfo);
  const host = authority.slice(at + 1);
  checkHost(host);
  checkEscapes(path);
  return { userInfo, host };
}

function checkUserInfo(userInfo: string): void {
  if (!/^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/.test(userInfo)) throw new UrlProblem('net/url: invalid userinfo');
  checkEscapes(userInfo);
}

function checkHost(host: string): void {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) throw new UrlProblem("missing ']' in host");
  const colon = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!/^(:[0-9]*)?$/.test(port)) throw new UrlProblem(`invalid port ${goQuote(port)} after host`);
  // Characters beyond ASCII are allowed in a host; they are resolved elsewhere.
  const [bad] = /[^-A-Za-z0-9._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host) ?? [];
  if (bad !== undefined) throw new UrlProblem(`invalid character ${goQuote(bad)} in host name`);
  checkEscapes(host);
}

function checkEscapes(text: string): void {
  const [bad] = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text) ?? [];
  if (bad !== undefined) throw new UrlProblem(`invalid URL escape ${goQuote(bad)}`);
}
