/**
 * Proxies of outgoing requests, as the environment names them.
 *
 * @see release 1.24, `golang.org/x/net/http/httpproxy`, whose rules the clients of Kubernetes follow
 * @module
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { encodeBase64Text } from '../../../foundation/index.js';
import { isLoopback } from '../listening/accepted-hosts.js';

/** Returns the proxy for a URL; undefined for a direct connection. */
export type FindProxy = (url: URL) => URL | undefined;

/** Environment variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxies of the environment: `HTTPS_PROXY` and `HTTP_PROXY`, except for the hosts of `NO_PROXY` and the
 * loopback addresses. Names in lower case count, too. A proxy may be `http:` or `https:`, with a user and a password.
 *
 * @param env default the environment of the process
 * @throws Error for a proxy that is not such a URL
 */
export function environmentProxy(env: Environment = process.env): FindProxy {
  const named = (name: string): string => env[name] ?? env[name.toLowerCase()] ?? '';
  const https = proxyUrl('HTTPS_PROXY', named('HTTPS_PROXY'));
  const http = proxyUrl('HTTP_PROXY', named('HTTP_PROXY'));
  const isDirect = directHosts(named('NO_PROXY'));
  return (url) => {
    const proxy = url.protocol === 'https:' ? https : http;
    return proxy === undefined || isDirect(url) ? undefined : proxy;
  };
}

/** Returns the URL of a proxy, which may be written without a scheme. @throws Error that names the variable, not its value */
export function proxyUrl(variable: string, text: string): URL | undefined {
  if (text === '') return undefined;
  const complete = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(complete) ? new URL(complete) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`${variable} must be the URL of a proxy, http:// or https://`);
}

/** Returns the rule of `NO_PROXY`: hosts, domains, addresses, subnets, each with an optional port, or `*`. */
function directHosts(list: string): (url: URL) => boolean {
  const rules = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .map(ruleOf);
  return ({ hostname, port, protocol }) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    const address = isIP(host) === 0 ? undefined : host;
    if (host === 'localhost' || (address !== undefined && isLoopback(address))) return true;
    const target = { host, address, port: port === '' ? (protocol === 'https:' ? '443' : '80') : port };
    return rules.some((matches) => matches(target));
  };
}

interface Target {
  readonly host: string;
  /** The host, if it is an address. */
  readonly address: string | undefined;
  readonly port: string;
}

type Rule = (target: Target) => boolean;

function ruleOf(entry: string): Rule {
  if (entry === '*') return () => true;
  const subnet = /^(.*)\/(\d{1,3})$/.exec(entry);
  if (subnet !== null) return subnetRule(subnet[1] ?? '', Number(subnet[2]));
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*|.*:.*:.*))(?::(\d+))?$/.exec(entry) ?? [];
  const host = bracketed ?? plain ?? entry;
  const atPort = (target: Target): boolean => port === undefined || port === target.port;
  if (isIP(host) !== 0) {
    const list = new BlockList();
    list.addAddress(host, familyOf(host));
    return (target) =>
      target.address !== undefined && list.check(target.address, familyOf(target.address)) && atPort(target);
  }
  // `example.com` means the host and those below it, `.example.com` and `*.example.com` only those below it.
  const domain = host.replace(/^\*/, '');
  const below = domain.startsWith('.') ? domain : `.${domain}`;
  return (target) =>
    target.address === undefined &&
    (target.host.endsWith(below) || (domain === host && target.host === domain)) &&
    atPort(target);
}

function subnetRule(network: string, bits: number): Rule {
  if (isIP(network) === 0 || bits > (isIPv6(network) ? 128 : 32)) return () => false;
  const list = new BlockList();
  list.addSubnet(network, bits, familyOf(network));
  return ({ address }) => address !== undefined && list.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Returns the `Proxy-Authorization` of a proxy's URL; undefined without a user. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${encodeBase64Text(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
}

/**
 * Opens a connection to a host through a proxy (`CONNECT`, RFC 9110 section 9.3.6).
 *
 * @throws Error that names the proxy, without its credentials
 */
export function openTunnel(
  proxy: URL,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Duplex> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const failed = (why: string, cause?: unknown): Error => new Error(`the proxy ${proxy.host} ${why}`, { cause });
  return new Promise((resolve, reject) => {
    const sent = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { host: target, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
    });
    sent.once('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(failed(`refuses the connection with ${response.statusCode ?? 0}`));
    });
    sent.once('response', (response) => {
      response.destroy();
      reject(failed(`refuses the connection with ${response.statusCode ?? 0}`));
    });
    sent.once('error', (error) => reject(failed(`cannot be reached: ${error.message}`, error)));
    sent.end();
  });
}
