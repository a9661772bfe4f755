import { shown } from '../meta/options.js';
import type { Handler, WebSocketHandler } from '../server/http.js';

/** What a transport serves: an `ApiServer`, or anything with the same two entrances. */
export interface TransportTarget {
  readonly handle: Handler;
  /** Absent when the target serves no WebSockets; an upgrade is then an ordinary request. */
  readonly handleWebSocket?: WebSocketHandler;
  /** Called with the URL of a listener that serves the target; what it returns is called when the listener closes. */
  readonly listening?: (url: string) => () => void;
}

/** Checks what a transport is to serve. @throws TypeError for what has no `handle` */
export function checkTarget(subject: string, target: unknown): void {
  if (typeof target !== 'object' || target === null || !('handle' in target) || typeof target.handle !== 'function')
    throw new TypeError(
      `${subject}: the first argument must be a server, as new ApiServer() makes it, got ${shown(target)}`,
    );
}

/** A request target cut in two at the question mark, both halves as sent. */
export interface SplitTarget {
  readonly path: string;
  readonly query: string;
}

/** Cuts a request target in origin form (`/path?query`) or absolute form (`http://host/path?query`), RFC 9112 section 3.2. */
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
