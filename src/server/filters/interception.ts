import { concatBytes, decodeUtf8Lossy, parsedJson, type JsonValue } from '../../foundation/index.js';
import { readBodyForInterceptor } from '../endpoints/body.js';
import { isLasting } from '../requests/connections.js';
import { isStream, joinedText, type ApiResponse } from '../requests/http.js';
import {
  Interception,
  type InterceptedAnswer,
  type InterceptedRequest,
  type RequestInterceptor,
} from '../requests/interception.js';
import type { Filter, RequestScope } from '../requests/request-scope.js';
import type { Responder } from '../responses/response-context.js';

/** Status of an accepted upgrade, which has no body. */
const SWITCHING_PROTOCOLS = 101;

/**
 * Runs every request under the interceptor of the server. It follows the filters that determine the user.
 *
 * @param bodyLimit maximum size of a body, in bytes
 */
export function interception(interceptor: RequestInterceptor, responder: Responder, bodyLimit: number): Filter {
  return (next) => (scope) => {
    const under = new Interception(interceptor, requestOf(scope, responder, bodyLimit));
    scope.interception = under;
    const proceed = async (): Promise<ApiResponse> => {
      scope.momentMs = responder.clock.now();
      return next(scope);
    };
    return under.around(proceed, viewOf);
  };
}

function requestOf(scope: RequestScope, responder: Responder, bodyLimit: number): InterceptedRequest {
  const { info, user, request } = scope;
  const contentType = request.headers.get('content-type') ?? '';
  let body: Promise<JsonValue | undefined> | undefined;
  return {
    ...{ isResource: info.isResource, verb: info.verb, path: info.path, group: info.group, version: info.version },
    ...{ namespace: info.namespace, resource: info.resource, subresource: info.subresource },
    // The authorization filter sets the name that a selector fixes.
    get name() {
      return info.name;
    },
    via: request.headers.get('upgrade')?.toLowerCase() === 'websocket' ? 'websocket' : 'http',
    user,
    query: request.query,
    contentType,
    userAgent: scope.userAgent,
    body: () =>
      (body ??= mayHaveBody(scope)
        ? readBodyForInterceptor(scope, bodyLimit).then((bytes) => decoded(responder, contentType, bytes))
        : Promise.resolve(undefined)),
  };
}

/** Reads of resources have no body, and connections have a stream. */
const mayHaveBody = ({ info, request }: RequestScope): boolean => request.method !== 'GET' && !isLasting(info);

/** Returns the value of a body of any media type; undefined when there is none, or it has no such value. */
async function decoded(
  { codec, schemaFor }: Responder,
  contentType: string,
  bytes: Uint8Array,
): Promise<JsonValue | undefined> {
  if (bytes.length === 0) return undefined;
  if (contentType === '' || /[/+]json\b/.test(contentType)) return parsedJson(decodeUtf8Lossy(bytes));
  try {
    // An intent of an apply has a media type of its own.
    const type = /[/+-]yaml\b/.test(contentType) ? 'application/yaml' : contentType;
    return (await codec.serializerFor(type).decode(bytes, { kind: '', schema: undefined, schemaFor })).value;
  } catch {
    return undefined;
  }
}

function viewOf(answer: ApiResponse): InterceptedAnswer {
  const { status, body } = answer;
  return { code: status, body: () => (status === SWITCHING_PROTOCOLS || isStream(body) ? undefined : valueOf(answer)) };
}

/** Returns the value of a body in JSON; undefined for other forms. */
function valueOf({ headers, body }: ApiResponse): JsonValue | undefined {
  const type = headers['content-type'];
  if (typeof type !== 'string' || !type.startsWith('application/json') || 'content-encoding' in headers)
    return undefined;
  if (body === undefined || isStream(body)) return undefined;
  if (typeof body === 'string') return parsedJson(body);
  if (body instanceof Uint8Array) return parsedJson(decodeUtf8Lossy(body));
  return parsedJson('chunks' in body ? decodeUtf8Lossy(concatBytes(body.chunks)) : joinedText(body));
}
