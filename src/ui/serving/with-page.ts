import { readyPromise, readyValue } from '../../foundation/index.js';
import type { ApiResponse, Handler, WebSocketHandler } from '../../server/index.js';
import { KEY_FIELD } from '../session/key-field.js';
import { isForeign } from '../session/origin.js';
import type { PageHost } from '../session/page-host.js';
import type { Sessions } from '../session/sessions.js';
import { headersOfForeignContent, isInert } from './headers.js';
import { isPagePath, SESSION_PATH } from './page-path.js';

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
 * @returns the handlers to serve instead; members that are not handlers are kept
 */
export function withPage<T extends PagedHandlers>(target: T): T {
  const { handleWebSocket } = target;
  target.page?.serve();
  return {
    ...target,
    handle: pageHandler(target),
    ...(handleWebSocket === undefined ? {} : { handleWebSocket: ofThisOrigin(handleWebSocket) }),
  };
}

function pageHandler(target: PagedHandlers): Handler {
  let page: Promise<Handler> | undefined;
  const handle = guarded(target);
  return (request) => {
    if (isPagePath(request.path)) return (page ??= loadPage()).then((answer) => answer(request));
    const answering = handle(request);
    const answer = readyValue(answering);
    return answer === undefined ? answering.then(inert) : readyPromise(inert(answer));
  };
}

/** Returns a handler for the requests to the server: those with a session have its user, foreign ones are refused. */
function guarded({ handle, page }: PagedHandlers): Handler {
  let sessions: Promise<Sessions> | undefined;
  return (request) => {
    const { headers, method, path } = request;
    const key = page === undefined ? undefined : headers.get(KEY_FIELD);
    if (page !== undefined && (key !== undefined || path === SESSION_PATH)) {
      sessions ??= loadSessions(page, handle);
      return sessions.then((loaded) =>
        key === undefined || path === SESSION_PATH ? loaded.answer(request) : loaded.forward(request, key),
      );
    }
    // A page of another origin may ask whether it may ask (CORS).
    if (headers.get('authorization') === undefined && method !== 'OPTIONS' && isForeign(request))
      return Promise.resolve(FOREIGN);
    return handle(request);
  };
}

const FOREIGN: ApiResponse = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'requests of pages of other origins need a token while the server serves its page\n',
};

async function loadSessions(host: PageHost, handle: Handler): Promise<Sessions> {
  const { Sessions } = await import('../session/sessions.js');
  return new Sessions(host, handle);
}

async function loadPage(): Promise<Handler> {
  const { pageOf } = await import('./answer-page.js');
  return pageOf();
}

/** Keeps content of a server from running in a browser. */
function inert(response: ApiResponse): ApiResponse {
  if (isInert(response.headers['content-type'])) return response;
  return { ...response, headers: { ...response.headers, ...headersOfForeignContent } };
}

/** Refuses WebSockets of pages of other origins: a browser sends its client certificate with them. */
function ofThisOrigin(handle: WebSocketHandler): WebSocketHandler {
  return async (request) => {
    if (!isForeign(request)) return handle(request);
    return {
      refuse: {
        status: 403,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: 'WebSockets of pages of other origins are refused while the server serves its page\n',
      },
    };
  };
}
