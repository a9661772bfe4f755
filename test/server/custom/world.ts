import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';
import type { ApiResponse } from '../../../src/server/requests/http.js';
import { ask, jsonOf, streamOf, textOf, type Asked } from '../ask.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TOKEN = 'owner-of-the-tests-of-custom-kinds';

export type Json = Readonly<Record<string, unknown>>;

/** An answer of the server. */
export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  /** The text, or the value of a JSON body. */
  readonly body: unknown;
}

/** A server in the names of Kubernetes, with custom kinds. */
export interface World extends AsyncDisposable {
  readonly test: TestServer;
  send(method: string, path: string, body?: Json | string | Uint8Array, headers?: Asked['headers']): Promise<Answer>;
  get(path: string, headers?: Asked['headers']): Promise<Answer>;
  /** Opens a watch. @returns its first event */
  watch(path: string): Promise<Json>;
  /** Creates a definition, and waits until its kind is served. */
  define(definition: Json): Promise<void>;
  /** Changes a definition by a merge patch, and waits until its kind follows. */
  change(name: string, patch: Json, subresource?: string): Promise<void>;
  /** Deletes a definition, and waits until its kind is gone. */
  remove(name: string): Promise<void>;
}

export async function world(options: TestServerOptions = {}): Promise<World> {
  const test = await startTestServer({
    dialect: 'kubernetes',
    ...options,
    authentication: { ownerToken: TOKEN, ...options.authentication },
  });
  const send: World['send'] = async (method, path, body, headers = {}) => {
    const response = await ask(test.server, method, path, {
      token: TOKEN,
      headers,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const text = textOf(response);
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? jsonOf(response) : text,
    };
  };
  const succeed = async (...request: Parameters<World['send']>): Promise<void> => {
    const { status, body } = await send(...request);
    if (status >= 300) throw new Error(JSON.stringify(body));
    await test.settled();
  };
  return {
    test,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    async watch(path) {
      const events = streamOf(await ask(test.server, 'GET', path, { token: TOKEN }));
      const { value } = await events.next();
      await events.return?.();
      const [first = ''] = new TextDecoder().decode(value as Uint8Array).split('\n');
      return JSON.parse(first) as Json;
    },
    define: (definition) => succeed('POST', DEFINITIONS, definition),
    change: (name, patch, subresource) =>
      succeed('PATCH', `${DEFINITIONS}/${name}${subresource === undefined ? '' : `/${subresource}`}`, patch, {
        'content-type': 'application/merge-patch+json',
      }),
    remove: (name) => succeed('DELETE', `${DEFINITIONS}/${name}`),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

/** The names and the spec of a definition. */
export interface DefinitionParts {
  readonly group?: string;
  readonly plural?: string;
  readonly kind?: string;
  readonly names?: Json;
  readonly scope?: string;
  readonly versions?: readonly Json[];
  readonly schema?: Json;
  readonly subresources?: Json;
  readonly spec?: Json;
  readonly metadata?: Json;
}

/** A definition of `rockets.example.com`, with changes. */
export function definition({
  group = 'example.com',
  plural = 'rockets',
  kind = 'Rocket',
  names = {},
  scope = 'Namespaced',
  schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
  subresources,
  versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schema },
      ...(subresources === undefined ? {} : { subresources }),
    },
  ],
  spec = {},
  metadata = {},
}: DefinitionParts = {}): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...metadata },
    spec: { group, names: { plural, kind, ...names }, scope, versions, ...spec },
  };
}
