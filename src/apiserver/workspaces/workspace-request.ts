import type { ApiRequest, RequestHeaders } from '../../server/index.js';

/** A path below `/clusters`. */
export interface WorkspacePath {
  readonly workspace: string;
  /** Path in the workspace, percent-encoding kept. */
  readonly path: string;
}

const CLUSTERS = '/clusters/';

/** Splits `/clusters/<name>/…`; undefined for another path. */
export function splitWorkspacePath(path: string): WorkspacePath | undefined {
  if (!path.startsWith(CLUSTERS)) return undefined;
  const end = path.indexOf('/', CLUSTERS.length);
  return end < 0
    ? { workspace: path.slice(CLUSTERS.length), path: '/' }
    : { workspace: path.slice(CLUSTERS.length, end), path: path.slice(end) };
}

/** Returns the path of a workspace. */
export const workspacePath = (name: string): string => CLUSTERS + name;

/** A request as the server of a workspace gets it: its path is that within the workspace. */
export class WorkspaceRequest implements ApiRequest {
  readonly #inner: ApiRequest;
  readonly path: string;

  constructor(inner: ApiRequest, path: string) {
    this.#inner = inner;
    this.path = path;
  }

  get method(): string {
    return this.#inner.method;
  }

  get query(): string {
    return this.#inner.query;
  }

  get headers(): RequestHeaders {
    return this.#inner.headers;
  }

  get peer(): ApiRequest['peer'] {
    return this.#inner.peer;
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  get isGone(): boolean | undefined {
    return this.#inner.isGone;
  }

  get body(): ApiRequest['body'] {
    return (limit, onChunk) => this.#inner.body(limit, onChunk);
  }

  get arrivedBody(): ApiRequest['arrivedBody'] {
    return this.#inner.arrivedBody && ((limit) => this.#inner.arrivedBody?.(limit));
  }

  get whenAnswered(): ApiRequest['whenAnswered'] {
    return this.#inner.whenAnswered && ((done) => this.#inner.whenAnswered?.(done));
  }

  get breakOff(): ApiRequest['breakOff'] {
    return this.#inner.breakOff && (() => this.#inner.breakOff?.());
  }
}
