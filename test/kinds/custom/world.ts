import { CustomResourceDefinition } from '../../../src/kinds/builtin/index.js';
import type { InputOf, ObjectOf } from '../../../src/registry/definition/definition.js';
import type { WatchEvent } from '../../../src/entries/client.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { toFetchHandler } from '../../../src/transport/fetch/fetch.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';

export type Definition = ObjectOf<typeof CustomResourceDefinition>;
export type DefinitionInput = InputOf<typeof CustomResourceDefinition>;
export type Version = NonNullable<DefinitionInput['spec']['versions']>[number];

export const GROUP = 'example.com';

/** A schema that keeps everything. */
export const anything: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** An object schema of a kind with the fields of its spec. */
export const specOf = (properties: Record<string, JsonSchemaProps>, more: JsonSchemaProps = {}): JsonSchemaProps => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});

/** A version that is served and stored. */
export const version = (name: string, schema: JsonSchemaProps = anything, more: Partial<Version> = {}): Version => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

export interface DefinitionFacts {
  readonly kind?: string;
  readonly plural?: string;
  readonly names?: Partial<DefinitionInput['spec']['names']>;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly versions?: Version[];
  readonly group?: string;
  readonly annotations?: Record<string, string>;
}

/** A definition, by default of the namespaced kind Widget in version v1 that keeps everything. */
export function definition(facts: DefinitionFacts = {}): DefinitionInput {
  const { kind = 'Widget', plural = `${kind.toLowerCase()}s`, group = GROUP, scope = 'Namespaced' } = facts;
  return {
    metadata: {
      name: `${plural}.${group}`,
      ...(facts.annotations === undefined ? {} : { annotations: facts.annotations }),
    },
    spec: { group, scope, names: { plural, kind, ...facts.names }, versions: facts.versions ?? [version('v1')] },
  };
}

interface HttpFacts {
  readonly accept?: string;
  readonly method?: string;
  readonly body?: string;
}

/** A server of the dialect `kubernetes`, with shorthands for definitions. */
export async function startWorld(options: TestServerOptions = {}) {
  const logged: unknown[] = [];
  const test: TestServer = await startTestServer({
    dialect: 'kubernetes',
    ...options,
    authentication: { ownerToken: 'owner', ...options.authentication },
    observability: {
      logger: { info: () => undefined, error: (...entry) => void logged.push(entry) },
      ...options.observability,
    },
  });
  const { client, settled } = test;
  const fetcher = toFetchHandler(test.server);
  const definitions = client.resource(CustomResourceDefinition);
  return {
    ...test,
    definitions,
    /** Errors in the log. */
    logged,
    /** Client of a kind of the group. */
    kind: (kind = 'Widget', apiVersion = `${GROUP}/v1`) => client.resource({ apiVersion, kind }),
    /** Sends a request as the owner, and returns the decoded body. */
    async http(path: string, { accept = 'application/json', method = 'GET', body }: HttpFacts = {}): Promise<unknown> {
      const headers = { accept, authorization: 'Bearer owner', 'content-type': 'application/json' };
      const response = await fetcher(new Request(`http://server${path}`, { method, headers, body: body ?? null }));
      return JSON.parse(await response.text());
    },
    /** Creates definitions one after the other, each with all work that it causes. */
    async define(...facts: DefinitionFacts[]): Promise<void> {
      for (const each of facts) {
        await definitions.create(definition(each));
        await settled();
      }
    },
    /** Changes a definition, and waits until the controllers have no work left. */
    async change(name: string, edit: (spec: Definition['spec']) => void): Promise<void> {
      const found = await definitions.get(name);
      edit(found.spec);
      await definitions.update(found);
      await settled();
    },
    /** Collects what `describe` returns for each event of the definitions, until the function that it returns is called. */
    async follow(describe: (event: WatchEvent<Definition>) => string | undefined): Promise<() => Promise<string[]>> {
      const stop = new AbortController();
      const seen: string[] = [];
      const { resourceVersion = '' } = (await definitions.list()).metadata;
      const watching = (async () => {
        for await (const event of definitions.watch({ resourceVersion, signal: stop.signal })) {
          const text = describe(event);
          if (text !== undefined) seen.push(text);
        }
      })();
      return async () => {
        await settled();
        stop.abort();
        await watching.catch(() => undefined);
        return seen;
      };
    },
    /** The conditions of a definition, as `Type=Status Reason: message`. */
    async conditions(name: string): Promise<string[]> {
      return conditionsOf(await definitions.get(name));
    },
    [Symbol.asyncDispose]: () => test.close(),
  };
}

/** The conditions of a definition, as `Type=Status Reason: message`. */
export const conditionsOf = ({ status }: Definition): string[] =>
  (status.conditions ?? []).map(({ type, status: value, reason, message }) => `${type}=${value} ${reason}: ${message}`);

/** The error of a request that must fail, as `code Reason message`. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.reason} ${error.message}`;
    throw error;
  }
  throw new Error('the request did not fail');
}
