import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { controllerNames } from '../../src/entries/controllers.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { authority } from '../support/certificates.js';
import { ask, jsonOf } from './ask.js';

const BUNDLES = '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles';
const MAPS = '/api/v1/namespaces/default/configmaps';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods';
const { certificatePem } = await authority();
const POD = { metadata: { name: 'a' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({
    dialect: 'kubernetes',
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: 'certificates.k8s.io/v1alpha1=true',
  });
});
afterEach(() => running.close());

const post = (path: string, object: object) => ask(running.server, 'POST', path, { body: JSON.stringify(object) });
const remove = (target: string, options?: object) =>
  ask(running.server, 'DELETE', target, options === undefined ? {} : { body: JSON.stringify(options) });
const exists = async (path: string) => (await ask(running.server, 'GET', path)).status === 200;

describe('a dry run is requested in the query or in the body', () => {
  const kinds: readonly (readonly [path: string, object: object])[] = [
    [MAPS, { metadata: { name: 'a' } }],
    [ACCOUNTS, { metadata: { name: 'a' } }],
    [PODS, POD],
    [BUNDLES, { metadata: { name: 'a' }, spec: { trustBundle: certificatePem } }],
    ['/api/v1/namespaces', { metadata: { name: 'a' } }],
  ];
  const bodies: readonly (readonly [query: string, options: object | undefined])[] = [
    ['?dryRun=All', undefined],
    ['?dryRun=All', {}],
    [
      '?dryRun=All',
      { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    ],
    ['?dryRun=All', { dryRun: [] }],
    ['?dryRun=All', { dryRun: ['All'] }],
    ['?dryRun=&dryRun=All', { dryRun: [] }],
    ['', { dryRun: ['All'] }],
    ['?dryRun=', { dryRun: ['All'] }],
  ];

  test.each(
    kinds.flatMap(([path, object]) => bodies.map(([query, options]) => [path, query, options, object] as const)),
  )('%s%s %j', async (path, query, options, object) => {
    expect((await post(path, object)).status).toBe(201);
    expect((await remove(`${path}/a${query}`, options)).status).toBe(200);
    expect(await exists(`${path}/a`)).toBe(true);
    if (path !== '/api/v1/namespaces') {
      expect((await remove(`${path}${query}`, options)).status).toBe(200);
      expect(await exists(`${path}/a`)).toBe(true);
    }
  });

  test('an unknown dry run is refused in either place, and nothing is deleted', async () => {
    await post(MAPS, { metadata: { name: 'a' } });
    for (const target of [`${MAPS}/a`, MAPS]) {
      for (const [query, options] of [
        ['?dryRun=all', {}],
        ['', { dryRun: ['all'] }],
        ['?dryRun=All', { dryRun: ['all'] }],
        ['?dryRun=all', undefined],
      ] as const) {
        const response = await remove(`${target}${query}`, options);
        expect([response.status, jsonOf(response)['reason']]).toEqual([422, 'Invalid']);
      }
    }
    expect(await exists(`${MAPS}/a`)).toBe(true);
  });
});

describe('every other option comes from the body, or from the query if there is no body', () => {
  test('the grace period of a Pod', async () => {
    const grace = async (query: string, options?: object) => {
      await post(PODS, POD);
      const metadata = jsonOf(await remove(`${PODS}/a${query}`, options))['metadata'];
      await remove(`${PODS}/a`, { gracePeriodSeconds: 0 });
      return (metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds;
    };
    expect(await grace('?gracePeriodSeconds=7')).toBe(7);
    expect(await grace('', { gracePeriodSeconds: 8 })).toBe(8);
    expect(await grace('?gracePeriodSeconds=7', { gracePeriodSeconds: 8 })).toBe(8);
    expect(await grace('?gracePeriodSeconds=7', {})).toBe(30);
  });

  test('the propagation policy', async () => {
    const finalizers = async (query: string, options?: object) => {
      await post(MAPS, { metadata: { name: 'a', finalizers: ['example.com/held'] } });
      const metadata = jsonOf(await remove(`${MAPS}/a${query}`, options))['metadata'] as {
        finalizers: readonly string[];
      };
      await ask(running.server, 'PUT', `${MAPS}/a`, { body: JSON.stringify({ metadata: { name: 'a' } }) });
      return metadata.finalizers.filter((finalizer) => !finalizer.startsWith('example.com/'));
    };
    expect(await finalizers('?propagationPolicy=Foreground')).toEqual(['foregroundDeletion']);
    expect(await finalizers('?propagationPolicy=Foreground', { propagationPolicy: 'Orphan' })).toEqual(['orphan']);
    expect(await finalizers('?propagationPolicy=Foreground', {})).toEqual([]);
    expect(await finalizers('?orphanDependents=true')).toEqual(['orphan']);
    expect(await finalizers('?orphanDependents=true', { propagationPolicy: 'Foreground' })).toEqual([
      'foregroundDeletion',
    ]);
  });

  test('preconditions, which a query spells `uid` and `resourceVersion`', async () => {
    const made = jsonOf(await post(MAPS, { metadata: { name: 'a' } }))['metadata'] as {
      uid: string;
      resourceVersion: string;
    };
    for (const query of [
      '?uid=other',
      '?resourceVersion=1',
      '?resourceVersion=abc',
      `?uid=${made.uid}&resourceVersion=1`,
    ]) {
      expect((await remove(`${MAPS}/a${query}`)).status, query).toBe(409);
      expect((await remove(`${MAPS}/a${query}`, { preconditions: { uid: 'other' } })).status, query).toBe(409);
    }
    expect((await remove(`${MAPS}?resourceVersion=${made.resourceVersion}&uid=other`)).status).toBe(409);
    expect(await exists(`${MAPS}/a`)).toBe(true);
    expect((await remove(`${MAPS}/a?uid=other`, {})).status).toBe(200);
    const next = jsonOf(await post(MAPS, { metadata: { name: 'a' } }))['metadata'] as {
      uid: string;
      resourceVersion: string;
    };
    expect((await remove(`${MAPS}/a?uid=${next.uid}&resourceVersion=${next.resourceVersion}`)).status).toBe(200);
  });

  test('invalid values are refused', async () => {
    await post(MAPS, { metadata: { name: 'a' } });
    const refusals: readonly (readonly [query: string, status: number, message: string])[] = [
      ['gracePeriodSeconds=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
      ['gracePeriodSeconds=', 400, 'strconv.ParseInt: parsing "": invalid syntax'],
      [
        'gracePeriodSeconds=9223372036854775808',
        400,
        'strconv.ParseInt: parsing "9223372036854775808": value out of range',
      ],
      [
        'propagationPolicy=',
        422,
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
      [
        'propagationPolicy=x&orphanDependents=true',
        422,
        'DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Invalid value: "x": orphanDependents and deletionPropagation cannot be both set, ' +
          'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"]',
      ],
    ];
    for (const [query, status, message] of refusals) {
      for (const target of [`${MAPS}/a`, MAPS]) {
        const response = await remove(`${target}?${query}`);
        expect([response.status, jsonOf(response)['message']]).toEqual([status, message]);
      }
    }
    expect((await remove(`${MAPS}/a?gracePeriodSeconds=9007199254740993`)).status).toBe(200);
  });
});

describe('a body with very many members', () => {
  const unknown = (count: number): string => Array.from({ length: count }, (_, index) => `"u${index}":1`).join(',');

  test('is read without its unknown members, in turns that do not grow with them', async () => {
    await post(MAPS, { metadata: { name: 'a' } });
    const longLists = async (count: number): Promise<number> => {
      const body = `{"dryRun":["All"],"preconditions":{${unknown(count)}},${unknown(count)}}`;
      const read = vi.spyOn(Object, 'keys');
      try {
        expect((await ask(running.server, 'DELETE', `${MAPS}/a`, { body })).status).toBe(200);
        return read.mock.results.filter(({ value }) => Array.isArray(value) && value.length >= count).length;
      } finally {
        read.mockRestore();
      }
    };
    expect(await longLists(2_000)).toBe(0);
    expect(await exists(`${MAPS}/a`)).toBe(true);
  });

  test('names the first of its members that has a wrong type, as before', async () => {
    await post(MAPS, { metadata: { name: 'a' } });
    const body = `{${unknown(2_000)},"orphanDependents":"x","gracePeriodSeconds":"y"}`;
    const response = await ask(running.server, 'DELETE', `${MAPS}/a`, { body });
    expect(response.status).toBe(400);
    expect(jsonOf(response)['message']).toContain('DeleteOptions.orphanDependents');
  });
});
