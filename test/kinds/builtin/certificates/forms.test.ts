import { afterAll, describe, expect, it, test } from 'vitest';
import { protobufSerializer } from '../../../../src/server/codec/index.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { orch } from '../../../../src/foundation/index.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { CertificateSigningRequest, ClusterTrustBundle } from '../../../../src/kinds/builtin/index.js';
import { authority, certificatePem } from '../../../support/certificates.js';
import { create, schemaOf } from '../support.js';
import { BUNDLES, condition, goodSpec, GROUP, REQUESTS, world, type Condition } from './world.js';

const running = await world();
afterAll(() => running[Symbol.asyncDispose]());
const { post, conditions, certificate, send } = running;
const issued = await certificatePem();
const root = (await authority()).certificatePem;

describe('protobuf', () => {
  const wire = protobufSerializer(orch);
  const backAndForth = (object: JsonObject, definition: ResourceDefinition): unknown => {
    const schema = schemaOf(definition);
    const schemaFor = (): typeof schema => schema;
    const bytes = wire.encode(object, { pretty: false, schemaFor }) as Uint8Array;
    const read = wire.decode(bytes, { kind: definition.kind, schema, schemaFor }) as { value: JsonObject };
    return read.value;
  };

  const request: JsonObject = {
    kind: 'CertificateSigningRequest',
    apiVersion: `${GROUP}/v1`,
    metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
    spec: {
      ...goodSpec,
      expirationSeconds: 600,
      username: 'alice',
      uid: '7',
      groups: ['dev', 'ops'],
      extra: { team: ['north', 'south'], none: [] },
    },
    status: {
      conditions: [
        {
          type: 'Approved',
          status: 'True',
          reason: 'Known',
          message: 'known',
          lastUpdateTime: '2024-01-01T00:00:01Z',
          lastTransitionTime: '2024-01-01T00:00:02Z',
        },
      ],
      certificate: btoa(issued),
    },
  };

  test('of a request contains every field', () => {
    expect(backAndForth(request, CertificateSigningRequest)).toEqual(request);
  });

  test('has the field numbers of Kubernetes', () => {
    const numbersOf = (schema: ReturnType<typeof schemaOf>, ...path: string[]): Record<string, number | undefined> => {
      const found = path.reduce(
        (at, name) => (name === '[]' ? at.items : at.properties?.get(name)) as typeof schema,
        schema,
      );
      return Object.fromEntries([...(found.properties ?? [])].map(([name, { protoNumber }]) => [name, protoNumber]));
    };
    const schema = schemaOf(CertificateSigningRequest);
    expect(numbersOf(schema)).toMatchObject({ metadata: 1, spec: 2, status: 3 });
    expect(numbersOf(schema, 'spec')).toEqual({
      request: 1,
      username: 2,
      uid: 3,
      groups: 4,
      usages: 5,
      extra: 6,
      signerName: 7,
      expirationSeconds: 8,
    });
    expect(numbersOf(schema, 'status')).toEqual({ conditions: 1, certificate: 2 });
    expect(numbersOf(schema, 'status', 'conditions', '[]')).toEqual({
      type: 1,
      reason: 2,
      message: 3,
      lastUpdateTime: 4,
      lastTransitionTime: 5,
      status: 6,
    });
    expect(numbersOf(schemaOf(ClusterTrustBundle), 'spec')).toEqual({ signerName: 1, trustBundle: 2 });
  });

  test('of a bundle contains every field', () => {
    const bundle: JsonObject = {
      kind: 'ClusterTrustBundle',
      apiVersion: `${GROUP}/v1alpha1`,
      metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
      spec: { signerName: 'example.com/shop', trustBundle: root },
    };
    expect(backAndForth(bundle, ClusterTrustBundle)).toEqual(bundle);
  });
});

describe('tables of requests', () => {
  const rowOf = async (name: string): Promise<unknown> => {
    const { body } = await send('GET', `${REQUESTS}/${name}`, undefined, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' },
    });
    return (body['rows'] as { cells: unknown[] }[])[0]?.cells;
  };

  it('show signer, requester and requested duration', async () => {
    await post('cells', { expirationSeconds: 86_400 }, { token: 'admin' });
    await running.clock.advance(5 * 60_000);
    expect(await rowOf('cells')).toEqual(['cells', '5m', 'example.com/shop', 'admin', '24h', 'Pending']);
    await post('short');
    expect(await rowOf('short')).toEqual(['short', '0s', 'example.com/shop', 'admin', '<none>', 'Pending']);
  });

  it.each<[string, readonly Condition[], string]>([
    ['Pending', [], ''],
    ['Pending', [condition('Other')], ''],
    ['Pending,Failed', [condition('Failed')], ''],
    ['Denied', [condition('Denied')], ''],
    ['Denied,Failed', [condition('Failed'), condition('Denied')], ''],
    ['Approved', [condition('Approved')], ''],
    ['Approved,Failed', [condition('Approved'), condition('Failed')], ''],
    ['Approved,Issued', [condition('Approved')], issued],
  ])('show %s', async (expected, decided, pem) => {
    const name = `say-${expected.toLowerCase().replace(',', '-')}-${decided.length}`;
    await post(name);
    await conditions(name, 'approval', decided);
    if (pem !== '') await certificate(name, pem);
    expect((await rowOf(name)) as string[]).toHaveLength(6);
    expect(((await rowOf(name)) as string[])[5]).toBe(expected);
  });
});

describe('the requester', () => {
  it('is the authenticated user, with all its attributes', async () => {
    const { object } = await post(
      'who',
      { username: 'mallory', uid: '0', groups: ['root'], extra: { a: ['b'] } },
      {
        headers: {
          'impersonate-user': 'carol',
          'impersonate-group': 'system:masters',
          'impersonate-uid': '42',
          'impersonate-extra-team': 'north',
        },
      },
    );
    expect(object.spec).toEqual({
      ...goodSpec,
      username: 'carol',
      uid: '42',
      groups: ['system:masters', 'system:authenticated'],
      extra: { team: ['north'] },
    });
  });

  it('has no groups if the user has none', () => {
    const { spec } = create(CertificateSigningRequest, {
      spec: { ...goodSpec, groups: ['system:masters'], extra: { a: ['b'] } },
    });
    expect(spec).toEqual({ ...goodSpec, username: 'tester' });
  });
});

describe('managed fields', () => {
  const apply = (name: string, part: '' | 'approval' | 'status', object: object, manager: string) =>
    send(
      'PATCH',
      `${REQUESTS}/${name}${part === '' ? '' : `/${part}`}?fieldManager=${manager}`,
      { apiVersion: `${GROUP}/v1`, kind: 'CertificateSigningRequest', metadata: { name }, ...object },
      { type: 'application/apply-patch+yaml' },
    );
  const owned = async (name: string): Promise<unknown[]> =>
    (
      ((await running.get(name)).object.metadata['managedFields'] ?? []) as {
        manager: string;
        subresource?: string;
        fieldsV1: object;
      }[]
    ).map(({ manager, subresource = '', fieldsV1 }) => [manager, subresource, fieldsV1]);

  test('the main resource does not own fields that it cannot change', async () => {
    await post('unowned');
    expect(await owned('unowned')).toEqual([]);
    await apply(
      'unowned',
      '',
      {
        metadata: { name: 'unowned', labels: { a: 'b' } },
        spec: { signerName: 'example.com/other' },
        status: { conditions: [condition('Approved')] },
      },
      'main',
    );
    const { object } = await running.get('unowned');
    expect([object.spec['signerName'], object.status]).toEqual([goodSpec.signerName, {}]);
    expect(await owned('unowned')).toEqual([['main', '', { 'f:metadata': { 'f:labels': { 'f:a': {} } } }]]);
  });

  test('an apply to /approval owns conditions, and no certificate', async () => {
    await post('applied');
    const { object } = await apply(
      'applied',
      'approval',
      { status: { conditions: [condition('Approved', { reason: 'Known' })], certificate: btoa(issued) } },
      'approver',
    );
    expect(object.status).toEqual({
      conditions: [
        condition('Approved', {
          reason: 'Known',
          lastUpdateTime: '2024-01-01T00:05:00Z',
          lastTransitionTime: '2024-01-01T00:05:00Z',
        }),
      ],
    });
    expect(await owned('applied')).toEqual([
      [
        'approver',
        'approval',
        {
          'f:status': {
            'f:conditions': { 'k:{"type":"Approved"}': { '.': {}, 'f:reason': {}, 'f:status': {}, 'f:type': {} } },
          },
        },
      ],
    ]);
  });

  test('an apply to /status owns the certificate, and no conditions', async () => {
    await post('signed');
    await conditions('signed', 'approval', [condition('Approved')]);
    const { object } = await apply(
      'signed',
      'status',
      { status: { certificate: btoa(issued), conditions: [condition('Other')] } },
      'signer',
    );
    expect(object.status.certificate).toBe(btoa(issued));
    expect(object.status.conditions?.map(({ type }) => type)).toEqual(['Approved', 'Other']);
    expect(await owned('signed')).toContainEqual(['signer', 'status', { 'f:status': { 'f:certificate': {} } }]);
  });

  test('an apply to the main resource creates a missing request', async () => {
    expect((await apply('made', '', { spec: goodSpec }, 'maker')).code).toBe(201);
    expect((await apply('unmade', '', { spec: { ...goodSpec, usages: [] } }, 'maker')).text).toBe(
      '422 spec.usages: Required value',
    );
    for (const part of ['approval', 'status'] as const)
      expect((await apply('nowhere', part, {}, 'maker')).code).toBe(404);
  });
});

test('a strategic merge patch replaces the conditions', async () => {
  await post('strategic');
  await conditions('strategic', 'status', [condition('A'), condition('B')]);
  const { object } = await send(
    'PATCH',
    `${REQUESTS}/strategic/status`,
    { status: { conditions: [condition('C')] } },
    { type: 'application/strategic-merge-patch+json' },
  );
  expect(object.status.conditions?.map(({ type }) => type)).toEqual(['C']);
});

test('requests are selected by signer, and by no other field of their own', async () => {
  await post('selected', { signerName: 'example.com/selected' });
  const listed = await send('GET', `${REQUESTS}?fieldSelector=spec.signerName%3Dexample.com/selected`);
  expect((listed.body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
    'selected',
  ]);
  expect((await send('GET', `${REQUESTS}?fieldSelector=spec.username%3Dadmin`)).text).toBe(
    '400 field label not supported: spec.username',
  );
});

test('a DELETE returns a Status, also for the collection', async () => {
  await post('gone');
  expect((await send('DELETE', `${REQUESTS}/gone`)).body).toMatchObject({
    kind: 'Status',
    status: 'Success',
    details: { name: 'gone', kind: 'certificatesigningrequests' },
  });
  expect((await send('DELETE', `${REQUESTS}?labelSelector=none%3Dhere`)).body).toMatchObject({
    kind: 'Status',
    status: 'Success',
  });
});

test('both kinds are in the OpenAPI documents', async () => {
  const bundles = (await send('GET', '/openapi/v3/apis/certificates.orch.io/v1alpha1')).body;
  expect(Object.keys(bundles['paths'] as object)).toContain(`${BUNDLES}/{name}`);
  const { components } = (await send('GET', '/openapi/v3/apis/certificates.orch.io/v1')).body as {
    components: { schemas: Record<string, { required?: string[]; properties: Record<string, object> }> };
  };
  const schemaNamed = (name: string) =>
    Object.entries(components.schemas).find(([key]) => key.endsWith(`.v1.${name}`))?.[1];
  expect(schemaNamed('CertificateSigningRequest')?.required).toEqual(['spec']);
  expect(schemaNamed('CertificateSigningRequestSpec')?.required).toEqual(['request', 'signerName']);
  expect(schemaNamed('CertificateSigningRequestSpec')?.properties['request']).toMatchObject({
    type: 'string',
    format: 'byte',
    'x-orch-list-type': 'atomic',
  });
  expect(schemaNamed('CertificateSigningRequestStatus')?.properties['conditions']).toMatchObject({
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['type'],
  });
  expect(schemaNamed('CertificateSigningRequestStatus')?.properties['conditions']).not.toHaveProperty(
    'x-orch-patch-strategy',
  );
});
