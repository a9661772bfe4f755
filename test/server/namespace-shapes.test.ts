import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer, ConfigMap, Namespace } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { alwaysAllow } from '../../src/security/authz/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { systemClock } from '../../src/foundation/index.js';
import { ask, jsonOf } from './ask.js';

interface Discovered {
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}
const storage = createMemoryStorage({ clock: systemClock });
let server: ApiServer;
/** Every resource and subresource in discovery, with the path of its version. */
let discovered: readonly (Discovered & { readonly root: string })[];

beforeAll(async () => {
  server = new ApiServer({
    authorization: { authorizer: alwaysAllow },
    storage,
    controllers: { disable: controllerNames },
    featureGates: 'AllAlpha=true,AllBeta=true',
    runtimeConfig: 'api/all=true',
    authentication: { tokens: [{ token: 'admin', user: { username: 'somebody', groups: [] } }] },
  });
  await server
    .client()
    .resource(Namespace)
    .create({ metadata: { name: 'a' } });
  await server
    .client()
    .resource(ConfigMap)
    .namespace('a')
    .create({ metadata: { name: 'thing' } });
  const groups = jsonOf(await ask(server, 'GET', '/apis'))['groups'] as { versions: { groupVersion: string }[] }[];
  const roots = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ];
  const lists = await Promise.all(
    roots.map(async (root) =>
      (
        jsonOf(await ask(server, 'GET', root))['resources'] as { name: string; namespaced: boolean; verbs: string[] }[]
      ).map(({ name, namespaced, verbs }) => ({ root, resource: name, namespaced, verbs })),
    ),
  );
  discovered = lists.flat();
});
afterAll(() => server.close());

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const QUERIES = ['', '?watch=true', '?dryRun=All', '?limit=1', '?fieldManager=m&force=true'];
const TYPES = ['application/json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** Sends every kind of request; returns the answers other than 400, 404, 405 and 415, and the writes. */
async function servedOf(
  paths: Iterable<string>,
  allowed: (method: string, path: string) => boolean = () => false,
): Promise<readonly string[]> {
  const before = await storage.currentRevision();
  const served: string[] = [];
  for (const path of paths)
    for (const method of METHODS)
      for (const query of QUERIES)
        for (const type of method === 'PATCH' ? TYPES : TYPES.slice(0, 1)) {
          if (allowed(method, path)) continue;
          const gone = new AbortController();
          const { status } = await ask(server, method, `${path}${query}`, {
            signal: gone.signal,
            headers: { 'content-type': type },
            ...(['GET', 'HEAD', 'OPTIONS'].includes(method) ? {} : { body: '{"metadata":{"name":"thing"}}' }),
          });
          gone.abort();
          if (![400, 404, 405].includes(status)) served.push(`${method} ${path}${query}: ${status}`);
        }
  if ((await storage.currentRevision()) !== before) served.push('something was written');
  return served;
}

describe('the shape of a path', () => {
  it('is tried for every served kind', () => {
    expect(discovered.filter(({ namespaced }) => namespaced).length).toBeGreaterThan(5);
    expect(discovered.filter(({ namespaced }) => !namespaced).length).toBeGreaterThan(5);
  });

  it('with a namespace never reaches cluster-scoped objects, including namespaces', async () => {
    const paths = discovered
      .filter(({ namespaced }) => !namespaced)
      .flatMap(({ root, resource }) => {
        const [plural = '', subresource] = resource.split('/');
        const names = ['thing', 'default', 'a'];
        return ['a', 'nowhere', 'default'].flatMap((namespace) => {
          const under = [
            `${root}/namespaces/${namespace}/${plural}`,
            `${root}/watch/namespaces/${namespace}/${plural}`,
          ];
          return under.flatMap((base) =>
            subresource === undefined
              ? [base, ...names.map((name) => `${base}/${name}`)]
              : names.map((name) => `${base}/${name}/${subresource}`),
          );
        });
      });
    expect(await servedOf(paths)).toEqual([]);
  }, 300_000);

  it('without a namespace reaches no namespaced objects, except in lists and watches of all namespaces', async () => {
    const inside = discovered
      .filter(({ namespaced }) => namespaced)
      .map(({ root, resource }) => [root, ...resource.split('/')] as const);
    const collections = new Set(
      inside
        .filter(([, , subresource]) => subresource === undefined)
        .flatMap(([root, plural]) => [`${root}/${plural}`, `${root}/watch/${plural}`]),
    );
    const paths = inside.flatMap(([root, plural, subresource]) => {
      const rest = subresource === undefined ? '' : `/${subresource}`;
      return [`${root}/${plural}`, `${root}/watch/${plural}`].flatMap((base) => [
        ...(rest === '' ? [base] : []),
        `${base}/thing${rest}`,
      ]);
    });
    expect(await servedOf(paths, (method, path) => method === 'GET' && collections.has(path))).toEqual([]);
  }, 300_000);

  it('has at most a resource, a name and a subresource', async () => {
    expect(
      await servedOf([
        '/api/v1/namespaces/a/configmaps/thing/status/more',
        '/api/v1/namespaces/a/status/more',
        '/api/v1/namespaces/a/finalize/a/b',
        '/api/v1/namespaces/a/configmaps/thing/namespaces/b/configmaps/thing',
      ]),
    ).toEqual([]);
  });
});
