import { controllerNames } from '../../../../src/entries/controllers.js';
import type { ApiServerOptions } from '../../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf, type Asked } from '../../../server/ask.js';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const TOKEN = 'owner-of-the-tests-of-definitions';

type Json = Readonly<Record<string, unknown>>;

/** An answer of the server. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

/** A server in the names of Kubernetes. */
export interface World extends AsyncDisposable {
  readonly test: TestServer;
  send(method: string, path: string, body?: object, headers?: Asked['headers']): Promise<Answer>;
}

/**
 * @param limits limits of the server
 * @param withControllers whether the controllers run, which serve kinds. Default false
 */
export async function world(
  limits: ApiServerOptions['limits'] = {},
  { withControllers = false }: { readonly withControllers?: boolean } = {},
): Promise<World> {
  const test = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: TOKEN },
    controllers: { disable: withControllers ? [] : controllerNames },
    limits,
  });
  return {
    test,
    async send(method, path, body, headers = {}) {
      const response = await ask(test.server, method, path, {
        token: TOKEN,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: jsonOf(response), warnings: [response.headers['warning'] ?? []].flat() };
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

/** Changes of the definition that {@link definition} returns. */
export interface Parts {
  readonly metadata?: Json;
  readonly spec?: Json;
  readonly names?: Json;
  /** Fields of the only version. */
  readonly version?: Json;
  readonly schema?: unknown;
}

/** A valid definition of `things.example.com`, with changes. */
export function definition({ metadata, spec, names, version, schema = { type: 'object' } }: Parts = {}): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing', ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}
