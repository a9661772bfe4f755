import { matching, shown, type OptionCheck } from '../foundation/index.js';
import type { Handler, WebSocketHandler } from '../server/index.js';
import type { PageHost } from '../ui/index.js';

/** Where transports send requests: `ApiServer.target`, or any object with these handlers. */
export interface TransportTarget {
  /** Handles a request. Must not reject: a transport answers a rejection with 500. */
  readonly handle: Handler;
  /** Handles an upgrade to WebSocket. Absent when there are none; then an upgrade is an ordinary request. */
  readonly handleWebSocket?: WebSocketHandler | undefined;
  /**
   * Called with the URL of a listener that serves the target, the IP addresses at which others reach its host, and the
   * name of the host. The returned function is called when the listener closes.
   */
  readonly listening?: ((url: string, addresses?: readonly string[], hostname?: string) => () => void) | undefined;
  /** Called when a client fails to establish TLS with a listener that serves the target. */
  readonly handshakeFailed?: (() => void) | undefined;
  /** The functions that the page for people needs of the server; absent for a target whose page has only what its API has. */
  readonly page?: PageHost | undefined;
}

/** The target of an `ApiServer`, which has all members. */
export interface ServerTarget extends TransportTarget {
  /** Handles a request. Never rejects. */
  readonly handle: Handler;
  /** Handles a watch over WebSocket, or a connection to a pod, service or node. Never rejects. */
  readonly handleWebSocket: WebSocketHandler;
  /**
   * Registers the URL of a listener, such as `https://127.0.0.1:6443`, the IP addresses at which others reach its
   * host, default none, and the name of the host. Discovery gives the address to clients (`serverAddressByClientCIDRs`)
   * and prefers listeners with TLS; the Endpoints of the server have the IP addresses, its Lease the name as a label. The
   * returned function removes the URL.
   */
  readonly listening: (url: string, addresses?: readonly string[], hostname?: string) => () => void;
  /** Counts a client that failed to establish TLS. */
  readonly handshakeFailed: () => void;
}

/** A server, such as an `ApiServer` or a recording, or a target alone: everything that a transport can serve. */
export type Servable = TransportTarget | { readonly target: TransportTarget };

/**
 * Returns the target of what a transport serves.
 *
 * @param subject name of the called function, such as `listen`
 * @throws TypeError for a value that is neither a server nor a target
 */
export function targetOf(subject: string, server: Servable): TransportTarget {
  // JavaScript has no types.
  const given: unknown = server;
  if (isTarget(given)) return given;
  if (isServer(given)) return given.target;
  throw new TypeError(`${subject}: the first argument must be a server, such as new ApiServer(), got ${shown(given)}`);
}

/** Checks a server: what has a target. */
export const aServer: OptionCheck = matching('a server, such as new ApiServer()', isServer);

function isServer(value: unknown): value is { readonly target: TransportTarget } {
  return typeof value === 'object' && value !== null && 'target' in value && isTarget(value.target);
}

const isTarget = (value: unknown): value is TransportTarget =>
  typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';

/** A request target split at the question mark, both parts as sent. */
export interface SplitTarget {
  readonly path: string;
  readonly query: string;
}

/**
 * Splits a request target in origin form (`/path?query`) or absolute form (`http://host/path?query`), RFC 9112 section
 * 3.2.
 */
export function splitTarget(target: string): SplitTarget {
  const origin = target.charCodeAt(0) === 0x2f ? target : originForm(target);
  const mark = origin.indexOf('?');
  if (mark < 0) return { path: origin, query: '' };
  return { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
}

function originForm(target: string): string {
  const authority = target.indexOf('://');
  if (authority < 0) return target;
  for (let at = authority + 3; at < target.length; at++) {
    const code = target.charCodeAt(at);
    if (code === 0x2f) return target.slice(at);
    if (code === 0x3f) return '/' + target.slice(at);
  }
  return '/';
}
