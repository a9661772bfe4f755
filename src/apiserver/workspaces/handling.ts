import { ApiError, errors, messageOf, type Logger } from '../../foundation/index.js';
import {
  ChangedRequest,
  endingWith,
  isStream,
  type ApiRequest,
  type ApiResponse,
  type HealthChecks,
  type WebSocketAnswer,
} from '../../server/index.js';
import type { TransportTarget } from '../../transport/index.js';
import type { WorkspaceEntry } from './directory.js';
import { noWorkspace } from './directory.js';
import type { CompleteQuota } from './options.js';
import type { Residents, Stay } from './residents.js';
import type { Seats } from './seats.js';
import { splitWorkspacePath, type WorkspacePath } from './workspace-request.js';

/** The parts that answer the requests of all workspaces. */
export interface HandlingParts {
  /** Resolves when the directory is known; undefined when it is. */
  readonly ready: () => Promise<void> | undefined;
  /** Returns a workspace that answers. */
  readonly find: (name: string) => WorkspaceEntry | undefined;
  readonly residents: Residents;
  readonly seats: Seats;
  readonly health: HealthChecks;
  readonly logger: Logger;
  /** Registers the URL of a listener. Returns a function that removes it. */
  readonly listening: (url: string) => () => void;
  quotaOf(entry: WorkspaceEntry): CompleteQuota;
}

type Accepted = { readonly refuse: ApiResponse } | { readonly accept: WebSocketAnswer };

/** Returns what transports serve: the servers of all workspaces below `/clusters/`, and health checks. */
export function workspacesTarget(parts: HandlingParts): TransportTarget {
  const handling = new Handling(parts);
  return {
    handle: (request) => handling.handle(request),
    handleWebSocket: (request) => handling.accept(request),
    listening: (url) => parts.listening(url),
  };
}

class Handling {
  readonly #parts: HandlingParts;

  constructor(parts: HandlingParts) {
    this.#parts = parts;
  }

  /** Answers a request. Never rejects. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const target = splitWorkspacePath(request.path);
    if (target === undefined) return this.#outside(request);
    try {
      return await this.#served(target.workspace, async (stay) => {
        const answer = await stay.resident.server.target.handle(withinWorkspace(request, target));
        return endingStay(answer, request, stay);
      });
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** Answers a request for a WebSocket. Never rejects. */
  async accept(request: ApiRequest): Promise<Accepted> {
    const target = splitWorkspacePath(request.path);
    if (target === undefined) return { refuse: await this.#outside(request) };
    try {
      return await this.#served(target.workspace, async (stay) => {
        const answer = await stay.resident.server.target.handleWebSocket(withinWorkspace(request, target));
        if ('accept' in answer) return { accept: keptUntilClosed(answer.accept, stay) };
        stay.end();
        return answer;
      });
    } catch (error) {
      return { refuse: this.#failure(error) };
    }
  }

  /**
   * Lets the server of a workspace answer, in its turn.
   *
   * @param answer must end the stay when the response has been passed on, unless it throws
   * @throws ApiError 404 for an unknown workspace, 429 beyond its quota; Error when it cannot be loaded
   */
  async #served<Answer>(name: string, answer: (stay: Stay) => Promise<Answer>): Promise<Answer> {
    const { ready, find, seats, residents, quotaOf } = this.#parts;
    const starting = ready();
    if (starting !== undefined) await starting;
    const entry = find(name);
    if (entry === undefined) throw noWorkspace(name);
    const seat = seats.enter(entry.id, quotaOf(entry).requests);
    if (seat === 'refused')
      throw errors.tooManyRequests(`the workspace ${name} has too many requests in flight, please try again later`, 1);
    if (seat !== 'seated') await seat;
    try {
      // It may have been deleted while the request waited.
      if (find(name)?.id !== entry.id) throw noWorkspace(name);
      const used = residents.use(entry);
      const stay = used instanceof Promise ? await this.#loaded(entry, used) : used;
      try {
        return await answer(stay);
      } catch (error) {
        stay.end();
        throw error;
      }
    } finally {
      seats.leave(entry.id);
    }
  }

  /** Waits until a workspace is loaded. @throws ApiError 404 when it was deleted meanwhile; Error when it cannot be loaded */
  async #loaded(entry: WorkspaceEntry, loading: Promise<Stay>): Promise<Stay> {
    const isDeleted = (): boolean => this.#parts.find(entry.name)?.id !== entry.id;
    try {
      const stay = await loading;
      if (!isDeleted()) return stay;
      stay.end();
    } catch (error) {
      if (!isDeleted()) throw error;
    }
    throw noWorkspace(entry.name);
  }

  async #outside({ method, path, query, signal }: ApiRequest): Promise<ApiResponse> {
    if (method !== 'GET' && method !== 'HEAD') return statusResponse(errors.notFound(PATHS, path));
    const answer = await this.#parts.health.handle(path, new URLSearchParams(query), signal);
    return answer ?? statusResponse(errors.notFound(PATHS, path));
  }

  #failure(error: unknown): ApiResponse {
    if (error instanceof ApiError) return statusResponse(error);
    this.#parts.logger.error('a workspace cannot be served', { error });
    return statusResponse(errors.serviceUnavailable(`the workspace cannot be loaded: ${messageOf(error)}`, 1));
  }
}

/** Returns a request as the server of a workspace gets it: its path is that within the workspace. */
const withinWorkspace = (request: ApiRequest, { path }: WorkspacePath): ApiRequest =>
  new ChangedRequest(request, { path });

const PATHS = { group: '', resource: 'paths' };

/** Returns a Status as a response in JSON: only the server of a workspace has other forms. */
function statusResponse(error: ApiError): ApiResponse {
  const retry = error.status.details?.retryAfterSeconds;
  return {
    status: error.code,
    headers: {
      'content-type': 'application/json',
      ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
    },
    body: `${JSON.stringify(error.status)}\n`,
  };
}

/** Ends a stay when the response has been passed to the client, or its connection has closed. */
function endingStay(answer: ApiResponse, request: ApiRequest, stay: Stay): ApiResponse {
  const { body } = answer;
  if (!isStream(body)) stay.end();
  else if (request.whenAnswered !== undefined) request.whenAnswered(() => stay.end());
  else return { ...answer, body: { ...body, take: undefined, stream: endingWith(body.stream, () => stay.end()) } };
  return answer;
}

/** Returns a connection that ends a stay when it closes, from either side. */
function keptUntilClosed(answer: WebSocketAnswer, stay: Stay): WebSocketAnswer {
  return {
    ...answer,
    messages: endingWith(answer.messages, () => stay.end()),
    closed: () => {
      stay.end();
      answer.closed?.();
    },
  };
}
