import { shown } from '../foundation/index.js';
import type { Handler, WebSocketHandler } from '../server/index.js';

/** Target of a transport: an `ApiServer`, or any object with the same handlers. */
export interface TransportTarget {
  readonly handle: Handler;
  /** Absent when the target does not serve WebSockets; then an upgrade is an ordinary request. */
  readonly handleWebSocket?: WebSocketHandler | undefined;
  /**
   * Called with the URL of a listener that serves the target, and the IP addresses at which others reach its host. The
   * returned function is called when the listener closes.
   */
  readonly listening?: ((url: string, addresses?: readonly string[]) => () => void) | undefined;
  /** Called when a client fails to establish TLS with a listener that serves the target. */
  readonly handshakeFailed?: (() => void) | undefined;
}

/** Checks the target of a transport. @throws TypeError for a value without `handle` */
export function checkTarget(subject: string, target: unknown): void {
  if (typeof target !== 'object' || target === null || !('handle' in target) || typeof target.handle !== 'function')
    throw new TypeError(
      `${subject}: the first argument must be a server, such as new ApiServer(), got ${shown(target)}`,
    );
}

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
