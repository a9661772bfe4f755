import { errors } from '../../foundation/index.js';
import type { RecordedRequest } from '../answers.js';
import { SERIES, STEP_MS } from '../recorders/series.js';
import { jsonAnswer, listAnswer, numberIn, type PageCall, type PageEndpoint } from './call.js';
import { lineStream } from './line-stream.js';

const LIMIT = { least: 1, most: 2000, otherwise: 200 };
const SINCE = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };

/** `GET /ui/v1/requests`: the newest requests, the oldest of them first. */
export const requests: PageEndpoint = {
  method: 'GET',
  async answer(call) {
    const limit = numberIn(call.scope, 'limit', LIMIT);
    return listAnswer('requests', call.recorders.requests.newest(limit, filterOf(call)));
  },
};

/** `GET /ui/v1/requests/follow`: requests as they are answered, as lines. */
export const followedRequests: PageEndpoint = {
  method: 'GET',
  answer(call) {
    const passes = filterOf(call);
    return lineStream(call, ({ send }) =>
      call.recorders.requests.follow((request) => {
        if (passes(request)) send(request);
      }),
    );
  },
};

/** `GET /ui/v1/series`: an hour of counts and latencies. */
export const series: PageEndpoint = {
  method: 'GET',
  answer: ({ scope, recorders }) =>
    jsonAnswer({ step: STEP_MS, names: SERIES, values: recorders.series.since(numberIn(scope, 'since', SINCE)) }),
};

/** Returns the filter of the query: `verb`, `user`, `code` (`404` or `4xx`), and `path`, a part of it. @throws ApiError 400 */
function filterOf({ scope: { query } }: PageCall): (request: RecordedRequest) => boolean {
  const [verb, user, code, path] = ['verb', 'user', 'code', 'path'].map((name) => query.get(name) ?? '');
  if (code !== undefined && code !== '' && !/^[1-5](?:\d\d|xx)$/.test(code))
    throw errors.badRequest('code must be a status code, such as 404, or a class of them, such as 4xx');
  const digits = code?.replace('xx', '') ?? '';
  return (request) =>
    (verb === '' || request.verb === verb) &&
    (user === '' || request.user === user) &&
    String(request.code).startsWith(digits) &&
    request.path.includes(path ?? '');
}
