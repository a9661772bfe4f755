/**
 * The control API of a test server: commands over HTTP for tests in other languages and processes.
 *
 * @module
 */
import {
  ApiError,
  decodeUtf8Lossy,
  errors,
  jsonText,
  messageOf,
  parsedJson,
  type Logger,
} from '../../foundation/index.js';
import { equalInConstantTime } from '../../security/index.js';
import { BodyTooLargeError, type ApiRequest, type ApiResponse, type Handler } from '../../server/index.js';
import { controlOpenApi, OPENAPI_PATH } from './openapi.js';
import type { Call, Route, RouteBody } from './route.js';
import { routes } from './routes.js';
import type { ControlledServers, ServedServer } from './served-servers.js';

/** Dependencies of {@link controlHandler}. */
export interface ControlHandlerOptions {
  readonly servers: ControlledServers;
  /** Bearer token that every request must have. */
  readonly token: string;
  /** Version of the package, for the OpenAPI document. */
  readonly version: string;
  readonly logger: Logger;
}

/** Returns the handler of the control API, for a transport. It never rejects. */
export function controlHandler({ token, version, ...options }: ControlHandlerOptions): Handler {
  const commands = commandHandler(options);
  return (request) => {
    if (!equalInConstantTime(`Bearer ${token}`, request.headers.get('authorization') ?? '')) {
      const refusal = errors.unauthorized('the control API needs the header Authorization: Bearer with its own token');
      return Promise.resolve(json(refusal.code, refusal.status));
    }
    if (request.path !== OPENAPI_PATH || request.method !== 'GET') return commands(request);
    return Promise.resolve(json(200, controlOpenApi(routes, version)));
  };
}

/** Returns the handler of commands that have been authorized. It never rejects. */
export function commandHandler(options: Pick<ControlHandlerOptions, 'servers' | 'logger'>): Handler {
  return async (request) => {
    try {
      return await answer(request, options.servers);
    } catch (error) {
      return json(...failureOf(error, options.logger));
    }
  };
}

async function answer(request: ApiRequest, servers: ControlledServers): Promise<ApiResponse> {
  const { served, rest } = addressed(request.path, servers);
  const { route, parameters } = routeOf(request, rest, served);
  const query = queryOf(request.query, route);
  const body = route.body === undefined ? {} : await bodyOf(request, route.body);
  const call = { served, servers, parameters, query, body: undefined, text: '', ...body };
  return json(route.success.code, await route.run(call));
}

/** Finds the server that a path concerns, and what follows: `/forks/{id}/clock` is `/clock` of a fork. */
function addressed(path: string, servers: ControlledServers): { readonly served: ServedServer; readonly rest: string } {
  const [, id, rest] = /^\/forks\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (id !== undefined) return { served: servers.fork(id), rest: rest ?? '' };
  return { served: servers.main, rest: path === '/' ? '' : path };
}

interface FoundRoute {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** @throws ApiError 404 for an unknown path, 405 for an unknown method of a known one */
function routeOf({ method, path }: ApiRequest, rest: string, { id }: ServedServer): FoundRoute {
  const atPath = routes.flatMap((route) => {
    if (route.of === (id === '' ? 'fork' : 'main')) return [];
    const parameters = parametersOf(route.path, rest);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
  const found = atPath.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  if (atPath.length === 0)
    throw new ApiError({
      message: `the control API has no path ${JSON.stringify(path)}: see GET ${OPENAPI_PATH}`,
      reason: 'NotFound',
      code: 404,
    });
  const allowed = atPath.map(({ route }) => route.method).join(', ');
  throw new ApiError({
    message: `the control API does not allow ${method} on ${path}: allowed is ${allowed}`,
    reason: 'MethodNotAllowed',
    code: 405,
  });
}

/** Returns the parameters of a path that matches a template; undefined when it does not. */
function parametersOf(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name !== undefined) parameters[name] = value;
  }
  return parameters;
}

/** @throws ApiError 400 for a parameter that the command does not have */
function queryOf(query: string, { query: known = {} }: Route): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  new URLSearchParams(query).forEach((value, name) => (given[name] = value));
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return given;
  const names = Object.keys(known);
  throw errors.badRequest(
    `unknown query parameter ${JSON.stringify(unknown)}${names.length === 0 ? '' : `: known are ${names.join(', ')}`}`,
  );
}

/** @throws ApiError 400 | 413 */
async function bodyOf(
  request: ApiRequest,
  { limit, text = false }: RouteBody,
): Promise<Partial<Pick<Call, 'body' | 'text'>>> {
  const content = decodeUtf8Lossy(await readBody(request, limit));
  if (content.trim() === '') throw errors.badRequest('the command needs a body');
  if (text) return { text: content };
  const body = parsedJson(content);
  if (body === undefined) throw errors.badRequest('the body is not valid JSON');
  return { body };
}

async function readBody(request: ApiRequest, limit: number): Promise<Uint8Array> {
  try {
    return await request.body(limit);
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw errors.requestEntityTooLarge(`limit is ${limit} bytes`);
    throw error;
  }
}

/**
 * Returns the status code and body of a failure. A TypeError is a mistake in the command, as everywhere in the library;
 * others are failures of the command, which its sender sees, because it owns the server.
 */
function failureOf(error: unknown, logger: Logger): [number, object] {
  if (error instanceof ApiError) return [error.code, error.status];
  if (error instanceof TypeError) return failureOf(errors.badRequest(error.message), logger);
  logger.error('a command of the control API failed', { error });
  return failureOf(new ApiError({ message: messageOf(error), reason: 'InternalError', code: 500 }), logger);
}

function json(status: number, body: object): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: `${jsonText(body)}\n`,
  };
}
