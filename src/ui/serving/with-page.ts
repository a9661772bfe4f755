import { readyPromise, readyValue } from '../../foundation/index.js';
import type { ApiRequest, ApiResponse, Handler, WebSocketHandler } from '../../server/index.js';
import type { PageOptions } from '../options.js';
import { GROUPS_FIELD, KEY_FIELD } from '../session/key-field.js';
import { isForeign } from '../session/origin.js';
import type { PageHost } from '../session/page-host.js';
import type { Sessions } from '../session/sessions.js';
import { headersOfForeignContent, isInert } from './headers.js';
import { INFO_PATH, isPagePath, OIDC_PATH, SESSION_PATH, STREAM_PATH } from './page-path.js';
import { TEST_PATH, testCommand, type TestCommands } from './test-command.js';

/** The handlers of a server that a transport calls. */
export interface PagedHandlers {
  readonly handle: Handler;
  readonly handleWebSocket?: WebSocketHandler | undefined;
  /** The functions that the page needs of the server; absent where it has only what the API has. */
  readonly page?: PageHost | undefined;
}

/**
 * Puts the page in front of a server: requests at `/ui` and below are answered with its files, which load with the first
 * one; all others go to the server, those with a session of the page as its user. Nothing that the server answers can run
 * as a page of this origin, such as HTML of a service behind a proxy. Pages of other origins can open no WebSockets, and
 * send no requests but with a token of their own: a browser sends its client certificate with all of them.
 *
 * @param ui the option of the transport: false or undefined for a server without a page
 * @returns the handlers to serve instead; members that are not handlers are kept
 */
export function withPage<T extends PagedHandlers>(target: T, ui: boolean | PageOptions | undefined = true): T {
  if (ui === undefined || ui === false) return target;
  const options = ui === true ? {} : ui;
  const { handleWebSocket } = target;
  void target.page?.serve(options.test !== undefined);
  const late = new LateParts(target, options);
  const handle = pageHandler(target, late, options.test);
  return {
    ...target,
    handle,
    ...(handleWebSocket === undefined ? {} : { handleWebSocket: guardedUpgrades(handleWebSocket, handle, late) }),
  };
}

/** The parts that load with the first request that needs them. */
class LateParts {
  readonly #target: PagedHandlers;
  readonly #options: PageOptions;
  #page: Promise<Handler> | undefined;
  #sessions: Promise<Sessions> | undefined;

  constructor(target: PagedHandlers, options: PageOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** Answers requests for the files of the page. */
  page(): Promise<Handler> {
    return (this.#page ??= import('./answer-page.js').then(({ pageOf }) => pageOf()));
  }

  /** @param host the server, which has sessions */
  sessions(host: PageHost): Promise<Sessions> {
    return (this.#sessions ??= import('../session/sessions.js').then(
      ({ Sessions }) => new Sessions(host, this.#target.handle, this.#options),
    ));
  }

  /** Returns the refusal of a request that a page sends which can only read; undefined for another request. */
  readonly refusal = (request: ApiRequest): Promise<ApiResponse | undefined> | undefined => {
    const { page } = this.#target;
    if (this.#options.readOnly !== true) return undefined;
    return import('../session/reads.js').then(({ refusedWrite }) => refusedWrite(request, page?.catalogue()));
  };
}

function pageHandler(target: PagedHandlers, late: LateParts, test: TestCommands | undefined): Handler {
  const handle = guarded(target, late, test);
  return (request) => {
    if (isPagePath(request.path)) return late.page().then((answer) => answer(request));
    // Only a page that is viewed as a user of some groups sends it.
    if (request.headers.get(GROUPS_FIELD) !== undefined)
      return import('../session/with-token.js').then(({ withGroups }) => answered(withGroups(request)));
    return answered(request);
  };
  function answered(request: ApiRequest): Promise<ApiResponse> {
    const refusing = late.refusal(request);
    if (refusing !== undefined) return refusing.then((refused) => refused ?? handle(request).then(inert));
    const answering = handle(request);
    const answer = readyValue(answering);
    return answer === undefined ? answering.then(inert) : readyPromise(inert(answer));
  }
}

/** Returns a handler for the requests to the server: those with a session have its user, foreign ones are refused. */
function guarded({ handle, page }: PagedHandlers, late: LateParts, test: TestCommands | undefined): Handler {
  return (request) => {
    const { headers, method, path } = request;
    if (page !== undefined) {
      const key = headers.get(KEY_FIELD);
      if (path === SESSION_PATH || path === OIDC_PATH)
        return late.sessions(page).then((loaded) => loaded.answer(request));
      if (path === INFO_PATH) return described(request, key, late.sessions(page), own);
      if (test !== undefined && path.startsWith(TEST_PATH))
        return testCommand(request, (asked) => asUser(asked, key), test);
      if (key !== undefined) return late.sessions(page).then((loaded) => loaded.forward(request, key));
    }
    return own(request, method);
  };
  /** Sends a request on as the user of a session, if it has one. */
  function asUser(request: ApiRequest, key: string | undefined): Promise<ApiResponse> {
    return key === undefined || page === undefined
      ? own(request)
      : late.sessions(page).then((loaded) => loaded.forward(request, key));
  }
  /** Sends a request on as it is. */
  function own(request: ApiRequest, method = request.method): Promise<ApiResponse> {
    // A page of another origin may ask whether it may ask (CORS).
    if (request.headers.get('authorization') === undefined && method !== 'OPTIONS' && isForeign(request))
      return Promise.resolve(FOREIGN);
    return handle(request);
  }
}

/** Answers who is signed in, with what this listener offers. */
async function described(
  request: ApiRequest,
  key: string | undefined,
  loading: Promise<Sessions>,
  own: Handler,
): Promise<ApiResponse> {
  const sessions = await loading;
  return sessions.describe(request, await (key === undefined ? own(request) : sessions.forward(request, key)));
}

const FOREIGN: ApiResponse = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'requests of pages of other origins need a token while the server serves its page\n',
};

/** Keeps content of a server from running in a browser. */
function inert(response: ApiResponse): ApiResponse {
  if (isInert(response.headers['content-type'])) return response;
  return { ...response, headers: { ...response.headers, ...headersOfForeignContent } };
}

/**
 * Refuses WebSockets of pages of other origins: a browser sends its client certificate with them. Those of the page are
 * streams.
 *
 * @param answer answers the requests of streams
 */
function guardedUpgrades(handle: WebSocketHandler, answer: Handler, late: LateParts): WebSocketHandler {
  return async (request) => {
    if (isForeign(request)) return { refuse: FOREIGN_UPGRADE };
    if (request.path === STREAM_PATH) return (await import('./stream-socket.js')).openStream(request, answer);
    const refuse = await late.refusal(request);
    return refuse === undefined ? handle(request) : { refuse };
  };
}

const FOREIGN_UPGRADE: ApiResponse = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'WebSockets of pages of other origins are refused while the server serves its page\n',
};
