/** Clients of another dialect than the server's learn why they fail. */
import { CoordinationV1Api, KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { connectKubeConfig } from '../../src/client/client-node/client-node.js';
import { ApiServer, type ApiServerOptions } from '../../src/entries/index.js';
import { ask, jsonOf, textOf } from './ask.js';

const hint = (group: string, own: string, other: string): string =>
  `the API group ${group} belongs to the dialect ${other}, and this server has the dialect ${own}: choose the other one for such clients (new ApiServer({ dialect: '${other}' }), serve --dialect ${other})`;

function serverWith(options: ApiServerOptions = {}) {
  const lines: string[] = [];
  const logger = { info: (line: string) => void lines.push(line), error: () => undefined };
  const tokens = [{ token: 'alice', user: { username: 'alice', groups: [] } }];
  return {
    server: new ApiServer({
      ...options,
      authentication: { ownerToken: 'admin', tokens, ...options.authentication },
      observability: { logger, ...options.observability },
    }),
    lines,
  };
}

test('the official client asks the default dialect for a Lease', async () => {
  const { server, lines } = serverWith();
  const leases = connectKubeConfig(new KubeConfig(), server).makeApiClient(CoordinationV1Api);
  const text = hint('coordination.k8s.io', 'orch', 'kubernetes');
  await expect(leases.readNamespacedLease({ name: 'a', namespace: 'default' })).rejects.toThrow(
    `404 page not found: ${text}`,
  );
  await expect(leases.listNamespacedLease({ namespace: 'default' })).rejects.toThrow(text);
  expect(lines).toEqual([text]);
  await server.close();
});

test('a request that is refused, and one for the versions of a group, get a warning', async () => {
  const { server, lines } = serverWith({ dialect: 'kubernetes' });
  const text = hint('apps.orch.io', 'kubernetes', 'orch');
  const warning = [`299 - "${text}"`];
  const refused = await ask(server, 'GET', '/apis/apps.orch.io/v1/deployments', { token: 'alice' });
  expect([refused.status, refused.headers['warning']]).toEqual([403, warning]);
  const versions = await ask(server, 'GET', '/apis/apps.orch.io/v1');
  expect([versions.status, versions.headers['warning'], textOf(versions)]).toEqual([
    ...[404, warning, `404 page not found: ${text}\n`],
  ]);
  expect(lines).toEqual([text]);
  await server.close();
});

test('unknown groups, and groups of definitions in the domain of another dialect, get none', async () => {
  const { server, lines } = serverWith();
  const definition = {
    metadata: {
      name: 'gateways.networking.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'https://example.com' },
    },
    spec: {
      ...{ group: 'networking.k8s.io', scope: 'Namespaced', names: { plural: 'gateways', kind: 'Gateway' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const made = await ask(server, 'POST', '/apis/apiextensions.orch.io/v1/customresourcedefinitions', {
    body: JSON.stringify(definition),
  });
  expect([made.status, jsonOf(made)['message']]).toEqual([201, undefined]);
  await server.settled();
  const none = '404 page not found\n';
  const unknown = await ask(server, 'GET', '/apis/example.com/v1/things');
  expect([unknown.status, textOf(unknown), unknown.headers['warning']]).toEqual([404, none, undefined]);
  const refused = await ask(server, 'GET', '/apis/networking.k8s.io/v1/gateways', { token: 'alice' });
  expect([refused.status, refused.headers['warning']]).toEqual([403, undefined]);
  expect((await ask(server, 'GET', '/apis/networking.k8s.io/v2')).headers['warning']).toBeUndefined();
  expect(lines).toEqual([]);
  await server.close();
});

test('a kind that is not served is named, with the nearest ones', async () => {
  const { server } = serverWith();
  const failure = async (apiVersion: string, kind: string): Promise<unknown> =>
    server
      .client()
      .resource({ apiVersion, kind })
      .list()
      .catch((error: Error) => error);
  const start = 'the server could not find the requested resource: no kind';
  expect(await failure('coordination.k8s.io/v1', 'Lease')).toMatchObject({
    ...{ code: 404, reason: 'NotFound' },
    message: expect.stringMatching(
      /^the server could not find the requested resource: no kind "Lease" of "coordination\.k8s\.io\/v1" is served; near names are Lease of coordination\.orch\.io\/v1/,
    ) as string,
  });
  expect(await failure('v1', 'Confgmap')).toMatchObject({
    message: expect.stringContaining(`${start} "Confgmap" of "v1" is served; near names are ConfigMap of v1`) as string,
  });
  expect(await failure('v2', 'ConfigMap')).toMatchObject({
    message: expect.stringContaining('near names are ConfigMap of v1') as string,
  });
  expect(await failure('v1', 'Xyzzy')).toMatchObject({ message: `${start} "Xyzzy" of "v1" is served` });
  await server.close();
});
