import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, received, textOf } from './ask.js';

/** Names that every object of JavaScript inherits: each was once found in a table where a user's text was looked up. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const startServer = (): Promise<TestServer> =>
  startTestServer({
    dialect: 'kubernetes',
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });

async function post({ server }: TestServer, path: string, body: string): Promise<{ code: number; text: string }> {
  const answer = await received(await ask(server, 'POST', path, { body }));
  return { code: answer.status, text: textOf(answer) };
}

const get = async ({ server }: TestServer, path: string, accept = 'application/json'): Promise<number> =>
  (await received(await ask(server, 'GET', path, { headers: { accept } }))).status;

describe.each(INHERITED)('the name %s is data', (name) => {
  test('as an operator of a review', async () => {
    await using server = await startServer();
    for (const selector of ['fieldSelector', 'labelSelector']) {
      const requirement = JSON.stringify({ key: 'a', operator: name, values: ['b'] });
      const review = `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"list","resource":"pods","${selector}":{"requirements":[${requirement}]}}}}`;
      const { code } = await post(server, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
      expect([selector, code < 500]).toEqual([selector, true]);
    }
  });

  test('as a format, a verb, a media type, a parameter and a path', async () => {
    await using server = await startServer();
    expect(
      await get(server, `/api/v1/namespaces?${name}=1&labelSelector=${name}&fieldSelector=${name}%3Da`),
    ).toBeLessThan(500);
    expect(await get(server, `/api/v1/namespaces?resourceVersionMatch=${name}&resourceVersion=0`)).toBeLessThan(500);
    expect(await get(server, '/api/v1/namespaces', `application/${name};as=${name}`)).toBeLessThan(500);
    expect(await get(server, `/api/v1/${name}`)).toBe(404);
    expect(await get(server, `/api/v1/namespaces/default/pods/a/${name}`)).toBeLessThan(500);
    expect(await get(server, `/apis/${name}/v1/${name}`)).toBe(404);
  });

  test('in the schema and the columns of a definition, and in its objects', async () => {
    await using server = await startServer();
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'cups.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'cups', singular: 'cup', kind: 'Cup', listKind: 'CupList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  n: { type: 'number', format: name },
                  i: { type: 'integer', format: name },
                  s: { type: 'string', format: name },
                },
              },
            },
          },
        ],
      },
    };
    const made = await post(
      server,
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      JSON.stringify(definition),
    );
    expect([made.code, made.code === 201 ? '' : made.text]).toEqual([201, '']);
    await server.settled();
    const cup = '{"apiVersion":"example.com/v1","kind":"Cup","metadata":{"name":"c"},"n":1.5,"i":1,"s":"x"}';
    const stored = await post(server, '/apis/example.com/v1/namespaces/default/cups', cup);
    expect([stored.code, stored.code === 201 ? '' : stored.text]).toEqual([201, '']);
    for (const path of ['/openapi/v2', '/openapi/v3/apis/example.com/v1']) expect(await get(server, path)).toBe(200);
  });

  test('as a type of a node selector requirement, and a strategic merge directive', async () => {
    await using server = await startServer();
    const terms = [{ matchExpressions: [{ key: 'a', operator: name, values: ['b'] }] }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
      },
    };
    const { code } = await post(server, '/api/v1/namespaces/default/pods', JSON.stringify(pod));
    expect(code).toBe(422);
    // Kubernetes answers 500 to any unknown directive; the name is not another one.
    const patched = async (directive: string): Promise<string> => {
      const patch = await ask(server.server, 'PATCH', '/api/v1/namespaces/default', {
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: `{"metadata":{"labels":{"$patch":${JSON.stringify(directive)}}}}`,
      });
      return `${patch.status} ${textOf(await received(patch))}`;
    };
    expect((await patched(name)).replaceAll(name, 'other')).toBe(await patched('other'));
  });
});
