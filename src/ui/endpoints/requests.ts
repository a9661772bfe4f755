import { ApiError, errors } from '../../foundation/index.js';
import { attributesOf, forbiddenError } from '../../security/index.js';
import { parseRequestInfo } from '../../server/index.js';
import type { RecordedRequest } from '../answers.js';
import { SERIES, STEP_MS } from '../recorders/series.js';
import { jsonAnswer, listAnswer, numberIn, type PageCall, type PageEndpoint } from './call.js';
import { lineStream } from './line-stream.js';
import { mayDo } from './rights.js';

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

const NUMBER = { least: 1, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };

/**
 * `GET /ui/v1/requests/bodies?number`: the bodies of a request, as far as the audit policy records them, for those who may
 * read the objects that they are about.
 */
export const bodies: PageEndpoint = {
  method: 'GET',
  async answer({ scope, parts, recorders }) {
    const number = numberIn(scope, 'number', NUMBER);
    const request = recorders.requests.byNumber(number);
    if (request === undefined) throw errors.notFound({ group: '', resource: 'requests' }, String(number));
    const info = parseRequestInfo(request.method, request.path, request.query);
    if (info instanceof ApiError) throw info;
    if (info.isResource) {
      const { group: apiGroup, resource, namespace, name } = info;
      const wanted = { verb: name === '' ? 'list' : 'get', apiGroup, resource, namespace, name };
      if (!(await mayDo(parts.authorize, scope.user, wanted)))
        throw forbiddenError(attributesOf({ ...info, verb: wanted.verb, subresource: '' }, scope.user));
    }
    const kept = recorders.requests.bodiesOf(number);
    const { request: sent, response, tooLong = false, lengths = [0, 0] } = kept ?? {};
    return jsonAnswer({ level: request.level, request: sent, response, tooLong, lengths });
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
