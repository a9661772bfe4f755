import { readyPromise, readyValue } from '../../foundation/index.js';
import type { ApiResponse, Handler, WebSocketHandler } from '../../server/index.js';
import { headersOfForeignContent, isInert } from './headers.js';
import { isPagePath } from './page-path.js';

/** The handlers of a server that a transport calls. */
export interface PagedHandlers {
  readonly handle: Handler;
  readonly handleWebSocket?: WebSocketHandler | undefined;
}

/**
 * Puts the page in front of a server: requests at `/ui` and below are answered with its files, which load with the first
 * one; all others go to the server. Nothing that the server answers can run as a page of this origin, such as HTML of a
 * service behind a proxy, and pages of other origins cannot open WebSockets.
 *
 * @returns the handlers to serve instead; members that are not handlers are kept
 */
export function withPage<T extends PagedHandlers>(target: T): T {
  const { handleWebSocket } = target;
  return {
    ...target,
    handle: pageHandler(target.handle),
    ...(handleWebSocket === undefined ? {} : { handleWebSocket: ofThisOrigin(handleWebSocket) }),
  };
}

function pageHandler(handle: Handler): Handler {
  let page: Promise<Handler> | undefined;
  return (request) => {
    if (isPagePath(request.path)) return (page ??= loadPage()).then((answer) => answer(request));
    const answering = handle(request);
    const answer = readyValue(answering);
    return answer === undefined ? answering.then(inert) : readyPromise(inert(answer));
  };
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
    const origin = request.headers.get('origin');
    const host = request.headers.get('host') ?? request.headers.get(':authority');
    if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return handle(request);
    return {
      refuse: {
        status: 403,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: 'WebSockets of pages of other origins are refused while the server serves its page\n',
      },
    };
  };
}
