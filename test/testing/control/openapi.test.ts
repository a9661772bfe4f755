import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../src/foundation/json/json.js';
import { control } from './control-tests.js';
import { fakeServer } from './fake-server.js';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> };
  readonly responses: Readonly<Record<string, { readonly content: Record<string, { readonly schema: JsonObject }> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: JsonObject };
}

async function api() {
  const { call } = await control(fakeServer());
  await call('POST', '/forks');
  await call('POST', '/faults', { verb: 'get' });
  await call('POST', '/forks/f1/faults', { verb: 'get' });
  await call('POST', '/simulation/rules', { become: 'Failed' });
  await call('POST', '/forks/f1/simulation/rules', { become: 'Failed' });
  const document = (await call('GET', '/openapi.json')).body as unknown as Document;
  return { call, document };
}

/** A body that each command with one accepts. */
const bodies: Readonly<Record<string, string>> = {
  advanceClock: '{"duration":"1s"}',
  addFault: '{"verb":"get"}',
  addSimulationRule: '{"become":"Failed"}',
  load: 'kind: ConfigMap',
};

/** Every operation of the document, with a path that exists. Deletions come last. */
async function operations() {
  const { document } = await api();
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

/** A validator of a schema with the document's definitions in it. */
function validatorOf(schema: JsonObject, { components }: Document): z.ZodType {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (!isJsonObject(value as JsonObject)) return value;
    const { $ref, ...rest } = value as JsonObject;
    if (typeof $ref === 'string') return inline(components.schemas[$ref.split('/').at(-1) ?? '']);
    return Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, inline(member)]));
  };
  return z.fromJSONSchema(inline(schema) as Parameters<typeof z.fromJSONSchema>[0]);
}

describe('the OpenAPI document of the control API', () => {
  it('describes every operation with its own name', async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThan(25);
    expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length);
    for (const { operation } of all) expect(operation.summary).toMatch(/^[A-Z].*\.$/);
  });

  it('matches the routes: every operation answers as documented', async () => {
    for (const { method, path, operation } of await operations()) {
      // Each operation has servers of its own, because some delete them.
      const { call, document } = await api();
      const id = operation.operationId.replace(/OfFork$/, '');
      const isFork = path.includes('{id}');
      const url = path
        .replace('{id}', 'f1')
        .replace('{fault}', isFork ? 'r2' : 'r1')
        .replace('{rule}', isFork ? 'r4' : 'r3');
      const { code, body } = await call(method, url, bodies[id]);
      const documented = operation.responses[String(code)]?.content['application/json']?.schema;
      expect(documented, `${method} ${path} answers ${code}`).toBeDefined();
      const read = validatorOf(documented ?? {}, document).safeParse(body);
      expect(read.error, `${method} ${path}`).toBeUndefined();
      expect(operation.requestBody !== undefined, `${method} ${path} has a body`).toBe(bodies[id] !== undefined);
    }
  });

  it('matches the routes: no other method of its paths is answered', async () => {
    const { call, document } = await api();
    for (const [path, methods] of Object.entries(document.paths))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        if (methods[method.toLowerCase()] === undefined) {
          const { code } = await call(method, path.replace('{id}', 'f1').replace('{fault}', 'r1'), '{}').catch(() =>
            call(method, path.replace('{id}', 'f1').replace('{fault}', 'r1')),
          );
          expect([404, 405], `${method} ${path} answers ${code}`).toContain(code);
        }
  });

  it('has the failures as a Status, and the parameters of the paths', async () => {
    const { call, document } = await api();
    const failure = await call('GET', '/forks/none');
    expect(
      validatorOf({ $ref: '#/components/schemas/Status' }, document).safeParse(failure.body).error,
    ).toBeUndefined();
    for (const { path, operation } of await operations()) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
    expect(document.paths['/requests']?.['get']?.parameters?.map(({ name }) => name)).toEqual([
      'verb',
      'resource',
      'namespace',
      'name',
      'user',
      'status',
    ]);
  });
});

it('docs/guides/test-server.md has a row for every command', async () => {
  const page = readFileSync(new URL('../../../docs/guides/test-server.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `((?:GET|POST|DELETE) [^`]+)` +\|/gm)].map(([, command]) => command);
  const commands = (await operations())
    .filter(({ method, path }) => !path.startsWith('/forks/{id}') || (method === 'DELETE' && path === '/forks/{id}'))
    .filter(({ path }) => path !== '/openapi.json')
    .map(({ method, path }) => `${method} ${path}`);
  expect(rows.sort()).toEqual(commands.sort());
});
