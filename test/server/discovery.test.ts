import { describe, expect, it } from 'vitest';
import { kubernetes, orch } from '../../src/foundation/index.js';
import {
  compareVersions,
  createDiscovery,
  notModified,
  wantsAggregated,
  type DiscoveredResource,
} from '../../src/server/discovery/index.js';
import { documentHash, type CachedDocument } from '../../src/server/discovery/documents.js';
import { storageVersionHash } from '../../src/server/discovery/resources.js';
import { versionInfo } from '../../src/server/settings/version.js';
import { turnsDuring } from '../support/turns.js';

const ALL = ['watch', 'create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update'];

function resource(
  group: string,
  version: string,
  kind: string,
  plural: string,
  rest: Partial<DiscoveredResource> = {},
): DiscoveredResource {
  return {
    group,
    version,
    kind,
    resource: plural,
    singular: kind.toLowerCase(),
    namespaced: true,
    verbs: ALL,
    subresources: new Map(),
    definition: {},
    ...rest,
  };
}

const discovery = createDiscovery({
  dialect: kubernetes,
  serverAddress: () => '10.0.0.1:6443',
  resources: [
    resource('example.com', 'v1alpha1', 'Widget', 'widgets'),
    resource('example.com', 'v1', 'Widget', 'widgets', { definition: { categories: ['all'] } }),
    resource('aaa.example.com', 'v1', 'Early', 'earlies'),
    resource('certificates.k8s.io', 'v1', 'CertificateSigningRequest', 'certificatesigningrequests', {
      namespaced: false,
      definition: { shortNames: ['csr'] },
      subresources: new Map([
        ['status', { verbs: ['update', 'patch', 'get'] }],
        ['approval', { verbs: ['get', 'patch', 'update'] }],
      ]),
    }),
    resource('authentication.k8s.io', 'v1', 'TokenReview', 'tokenreviews', { namespaced: false, verbs: ['create'] }),
    resource('authentication.k8s.io', 'v1', 'SelfSubjectReview', 'selfsubjectreviews', {
      namespaced: false,
      verbs: ['create'],
    }),
    resource('events.k8s.io', 'v1', 'Event', 'events', {
      definition: { conversion: { hub: { group: '', version: 'v1', kind: 'Event' } } },
    }),
    resource('', 'v1', 'ServiceAccount', 'serviceaccounts', {
      definition: { shortNames: ['sa'] },
      subresources: new Map([
        [
          'token',
          { verbs: ['create'], responseKind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } },
        ],
      ]),
    }),
    resource('', 'v1', 'ConfigMap', 'configmaps', { definition: { shortNames: ['cm'] } }),
  ],
});

const SORTED = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

describe('discovery', () => {
  it('lists the versions of the core group', () => {
    expect(discovery.apiVersions()).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '10.0.0.1:6443' }],
    });
  });

  it('orders the groups: built-in groups by priority, then the others by name', () => {
    expect(discovery.apiGroupList().groups.map(({ name }) => name)).toEqual([
      'events.k8s.io',
      'authentication.k8s.io',
      'certificates.k8s.io',
      'aaa.example.com',
      'example.com',
    ]);
    expect(discovery.apiGroupList()).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
  });

  it('prefers the most stable version', () => {
    expect(discovery.apiGroup('example.com')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'example.com',
      versions: [
        { groupVersion: 'example.com/v1', version: 'v1' },
        { groupVersion: 'example.com/v1alpha1', version: 'v1alpha1' },
      ],
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    });
    expect(discovery.apiGroup('nowhere.example.com')).toBeUndefined();
    expect(discovery.apiGroup('')).toBeUndefined();
  });

  it('lists create-only kinds as recorded', () => {
    expect(discovery.apiResourceList('authentication.k8s.io', 'v1')).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'authentication.k8s.io/v1',
      resources: [
        {
          kind: 'SelfSubjectReview',
          name: 'selfsubjectreviews',
          namespaced: false,
          singularName: 'selfsubjectreview',
          verbs: ['create'],
        },
        {
          kind: 'TokenReview',
          name: 'tokenreviews',
          namespaced: false,
          singularName: 'tokenreview',
          verbs: ['create'],
        },
      ],
    });
  });

  it('lists subresources by name, with sorted verbs', () => {
    const status = {
      kind: 'CertificateSigningRequest',
      namespaced: false,
      singularName: '',
      verbs: ['get', 'patch', 'update'],
    };
    expect(discovery.apiResourceList('certificates.k8s.io', 'v1')?.resources).toEqual([
      {
        kind: 'CertificateSigningRequest',
        name: 'certificatesigningrequests',
        namespaced: false,
        shortNames: ['csr'],
        singularName: 'certificatesigningrequest',
        verbs: SORTED,
        storageVersionHash: storageVersionHash('certificates.k8s.io', 'v1', 'CertificateSigningRequest'),
      },
      { ...status, name: 'certificatesigningrequests/approval' },
      { ...status, name: 'certificatesigningrequests/status' },
    ]);
  });

  it('names the group of a subresource of another kind, and no apiVersion for the core group', () => {
    const list = discovery.apiResourceList('', 'v1');
    expect(list).not.toHaveProperty('apiVersion');
    expect(list?.resources.map(({ name }) => name)).toEqual(['configmaps', 'serviceaccounts', 'serviceaccounts/token']);
    expect(list?.resources[2]).toEqual({
      name: 'serviceaccounts/token',
      singularName: '',
      namespaced: true,
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      verbs: ['create'],
    });
  });

  it('hashes the storage version, which may belong to another group', () => {
    expect(discovery.apiResourceList('', 'v1')?.resources[0]?.storageVersionHash).toBe('qFsyl6wFWjQ=');
    expect(discovery.apiResourceList('events.k8s.io', 'v1')?.resources[0]?.storageVersionHash).toBe(
      storageVersionHash('', 'v1', 'Event'),
    );
  });

  it('lists exactly what is served', () => {
    expect([
      discovery.servesGroup('example.com'),
      discovery.serves('example.com', 'v2'),
      discovery.servesGroup('x'),
    ]).toEqual([true, false, false]);
    expect(discovery.apiResourceList('example.com', 'v2')).toBeUndefined();
    expect(discovery.rootPaths(['/livez', '/version']).paths).toEqual([
      '/api',
      '/api/v1',
      '/apis',
      '/apis/aaa.example.com',
      '/apis/aaa.example.com/v1',
      '/apis/authentication.k8s.io',
      '/apis/authentication.k8s.io/v1',
      '/apis/certificates.k8s.io',
      '/apis/certificates.k8s.io/v1',
      '/apis/events.k8s.io',
      '/apis/events.k8s.io/v1',
      '/apis/example.com',
      '/apis/example.com/v1',
      '/apis/example.com/v1alpha1',
      '/livez',
      '/version',
    ]);
  });
});

describe('aggregated discovery', () => {
  it('has one item for the core group', async () => {
    const document = await discovery.aggregated('api', 'v2');
    expect(document.contentType).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(JSON.parse(document.text)).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: [{ metadata: { creationTimestamp: null }, versions: [{ version: 'v1', freshness: 'Current' }] }],
    });
  });

  it('lists subresources within their resource', async () => {
    const { items } = JSON.parse((await discovery.aggregated('api', 'v2beta1')).text) as {
      items: { versions: { resources: object[] }[] }[];
    };
    expect(items[0]?.versions[0]?.resources[1]).toEqual({
      resource: 'serviceaccounts',
      responseKind: { group: '', version: '', kind: 'ServiceAccount' },
      scope: 'Namespaced',
      singularResource: 'serviceaccount',
      verbs: SORTED,
      shortNames: ['sa'],
      subresources: [
        {
          subresource: 'token',
          responseKind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
          verbs: ['create'],
        },
      ],
    });
  });

  it('leaves the event loop to others while thousands of groups are written', async () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      resource(`g${index % 2999}.example.com`, 'v1', `Kind${index}`, `kind${index}s`),
    );
    const made = createDiscovery({ resources: many, dialect: kubernetes, serverAddress: () => '' });
    const written: CachedDocument[] = [];
    const write = async (): Promise<void> => void written.push(await made.aggregated('apis', 'v2'));
    expect(await turnsDuring(write)).toBeGreaterThan(20);
    const [document] = written;
    const { items } = JSON.parse(document?.text ?? '') as { items: { versions: { resources: object[] }[] }[] };
    expect(items).toHaveLength(2999);
    expect(items[0]?.versions[0]?.resources).toHaveLength(2);
    expect(document?.etag).toBe(`"${documentHash(document?.text ?? '')}"`);
  });

  it('is built once, and its ETag is a hash of its content', async () => {
    const document = await discovery.aggregated('apis', 'v2');
    expect(discovery.aggregated('apis', 'v2')).toBe(document);
    expect(document.etag).toBe(`"${documentHash(document.text)}"`);
    expect((await discovery.aggregated('apis', 'v2beta1')).etag).not.toBe(document.etag);
  });

  const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const v2beta1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
  it.each([
    [`${v2},${v2beta1},application/json`, 'v2'],
    [`${v2beta1},application/json`, 'v2beta1'],
    ['application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io', 'v2'],
    [`application/json,${v2}`, undefined],
    [`application/json;q=0.5,${v2}`, 'v2'],
    [`application/json,${v2};q=0.9`, undefined],
    [`${v2};q=0,${v2beta1}`, 'v2beta1'],
    [v2.replace('v2', 'v3'), undefined],
    [`${v2.replace('v2', 'v3')},${v2beta1}`, 'v2beta1'],
    [v2.replace('k8s.io', 'orch.io'), undefined],
    [v2.replace('json', 'yaml'), undefined],
    ['application/json', undefined],
    ['*/*', undefined],
    ['', undefined],
  ])('%s', (accept, expected) => {
    expect(wantsAggregated(accept, kubernetes)).toBe(expected);
  });

  it('uses the names of the dialect', () => {
    expect(wantsAggregated(v2.replace('k8s.io', 'orch.io'), orch)).toBe('v2');
  });
});

it('sorts versions by stability', () => {
  const sorted = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
});

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  [undefined, false],
])('notModified(%j)', (header, expected) => {
  expect(notModified(header, '"a"')).toBe(expected);
});

it.each([
  ['', 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855'],
  ['abc', 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248D6A61D20638B8E5C026930C3E6039A33CE45964FF2167F6ECEDD419DB06C1',
  ],
])('documentHash(%j) is SHA-256', (text, expected) => {
  expect(documentHash(text)).toBe(expected);
});

it('reports its version in strings only', () => {
  const version = versionInfo(orch, { packageVersion: '0.1.0', platform: 'linux/amd64', runtime: 'node22' });
  expect(version).toMatchObject({
    major: '1',
    minor: '31',
    gitVersion: 'v1.31.0+orch.0.1.0',
    goVersion: 'node22',
    platform: 'linux/amd64',
  });
  expect(Object.values(versionInfo(orch)).every((value) => typeof value === 'string')).toBe(true);
  expect(versionInfo(kubernetes).gitVersion).toBe('v1.31.0+kubernetes');
});
