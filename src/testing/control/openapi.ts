import type { JsonObject } from '../../foundation/index.js';
import type { Route } from './route.js';
import { schemas } from './schemas.js';

/** Path at which the control API serves its own document. */
export const OPENAPI_PATH = '/openapi.json';

/** Returns the OpenAPI 3.1 document of the commands. @param version of the package */
export function controlOpenApi(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes)
    for (const { path, fork } of documentedPaths(route))
      (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, path, fork);
  paths[OPENAPI_PATH] = {
    get: {
      operationId: 'getOpenApi',
      summary: 'Returns this document.',
      responses: { '200': responseOf('This document.', { type: 'object' }) },
    },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of orch-apiserver test-server',
      version,
      description: 'Commands for a test server and its forks. Every command exists at the root and for each fork.',
    },
    security: [{ bearer: [] }],
    paths,
    components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}

/** Returns the paths of a command: at the root, and for each fork. */
export function documentedPaths({ path, of }: Route): { readonly path: string; readonly fork: boolean }[] {
  const main = { path: path === '' ? '/' : path, fork: false };
  const fork = { path: `/forks/{id}${path}`, fork: true };
  return [...(of === 'fork' ? [] : [main]), ...(of === 'main' ? [] : [fork])];
}

function operationOf(
  { operationId, summary, body, query = {}, success }: Route,
  path: string,
  fork: boolean,
): JsonObject {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: fork ? `${operationId}OfFork` : operationId,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [body.text === true ? 'application/yaml' : 'application/json']: { schema: body.schema } },
          },
        }),
    responses: {
      [String(success.code)]: responseOf('Success.', success.schema),
      default: responseOf('Failure.', { $ref: '#/components/schemas/Status' }),
    },
  };
}

function responseOf(description: string, schema: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema } } };
}
