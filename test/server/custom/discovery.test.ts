import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storageVersionHash } from '../../../src/server/discovery/resources.js';
import { definition, world, type Json, type World } from './world.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS = ['get', 'patch', 'update'];

const rocket = definition({
  names: { singular: 'rocket', shortNames: ['rk'], categories: ['fleet'] },
  subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' }, status: {} },
});

const version = (name: string, facts: Json = {}): Json => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...facts,
});

let own: World;
beforeEach(async () => {
  own = await world();
});
afterEach(() => own[Symbol.asyncDispose]());

const namesOf = async (path: string): Promise<unknown> =>
  ((await own.get(path)).body as { resources: { name: string }[] }).resources.map(({ name }) => name);

describe('the resources of a custom kind', () => {
  it('have the verbs in the order of Kubernetes, and status before scale', async () => {
    await own.define(rocket);
    expect((await own.get('/apis/example.com/v1')).body).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'example.com/v1',
      resources: [
        {
          name: 'rockets',
          singularName: 'rocket',
          namespaced: true,
          kind: 'Rocket',
          verbs: VERBS,
          shortNames: ['rk'],
          categories: ['fleet'],
          storageVersionHash: storageVersionHash('example.com', 'v1', 'Rocket'),
        },
        { name: 'rockets/status', singularName: '', namespaced: true, kind: 'Rocket', verbs: PART_VERBS },
        {
          name: 'rockets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: PART_VERBS,
        },
      ],
    });
  });

  it('lose the verbs that write objects while the definition is being deleted', async () => {
    await own.define(definition());
    await own.send('POST', '/apis/example.com/v1/namespaces/default/rockets', {
      apiVersion: 'example.com/v1',
      kind: 'Rocket',
      metadata: { name: 'one', finalizers: ['example.com/wait'] },
    });
    await own.remove('rockets.example.com');
    expect((await own.get('/apis/example.com/v1')).body).toMatchObject({
      resources: [{ name: 'rockets', verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] }],
    });
  });

  it('have the hash of the storage version, but none while that version is not served', async () => {
    await own.define(definition({ versions: [version('v1'), version('v2beta1', { storage: true })] }));
    const hashOf = async (): Promise<unknown> =>
      ((await own.get('/apis/example.com/v1')).body as { resources: Json[] }).resources[0]?.['storageVersionHash'];
    expect(await hashOf()).toBe(storageVersionHash('example.com', 'v2beta1', 'Rocket'));
    await own.change('rockets.example.com', {
      spec: { versions: [version('v1'), version('v2beta1', { storage: true, served: false })] },
    });
    expect(await hashOf()).toBeUndefined();
  });
});

describe('the group of custom kinds', () => {
  it('prefers versions by their names, whichever is stored', async () => {
    await own.define(
      definition({
        versions: ['v1beta1', 'foo1', 'v2', 'v10', 'v3alpha1', 'v11beta2', 'v11alpha2', 'foo10', 'v0'].map((name) =>
          version(name, { storage: name === 'v1beta1' }),
        ),
      }),
    );
    const order = ['v10', 'v2', 'v0', 'v11beta2', 'v1beta1', 'v11alpha2', 'v3alpha1', 'foo1', 'foo10'];
    const versions = order.map((name) => ({ groupVersion: `example.com/${name}`, version: name }));
    const entry = { name: 'example.com', versions, preferredVersion: versions[0] };
    expect((await own.get('/apis/example.com')).body).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...entry });
    expect(((await own.get('/apis')).body as { groups: unknown[] }).groups.at(-1)).toEqual(entry);
  });

  it('exists as long as its definitions', async () => {
    const plain = { status: 404, body: '404 page not found\n' };
    expect(await own.get('/apis/example.com')).toMatchObject(plain);
    await own.define(rocket);
    await own.define(definition({ plural: 'bases', kind: 'Base' }));
    expect(await namesOf('/apis/example.com/v1')).toEqual(['bases', 'rockets', 'rockets/status', 'rockets/scale']);
    expect(await own.get('/apis/example.com/v2')).toMatchObject(plain);
    await own.remove('rockets.example.com');
    expect(await namesOf('/apis/example.com/v1')).toEqual(['bases']);
    await own.remove('bases.example.com');
    expect(await own.get('/apis/example.com/v1')).toMatchObject(plain);
    expect(await own.get('/apis/example.com')).toMatchObject(plain);
  });
});

describe('aggregated discovery', () => {
  it.each(['v2', 'v2beta1'])('contains custom kinds in %s, each with its group and version', async (aggregated) => {
    await own.define(rocket);
    const { body } = await own.get('/apis', { accept: AGGREGATED.replace('v=v2', `v=${aggregated}`) });
    expect((body as { items: Json[] }).items.at(-1)).toEqual({
      metadata: { name: 'example.com', creationTimestamp: null },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'rockets',
              responseKind: { group: 'example.com', version: 'v1', kind: 'Rocket' },
              scope: 'Namespaced',
              singularResource: 'rocket',
              verbs: VERBS,
              shortNames: ['rk'],
              categories: ['fleet'],
              subresources: [
                {
                  subresource: 'status',
                  responseKind: { group: 'example.com', version: 'v1', kind: 'Rocket' },
                  verbs: PART_VERBS,
                },
                {
                  subresource: 'scale',
                  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                  verbs: PART_VERBS,
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('has another ETag after each change of the kinds, and the earlier one again after its reversal', async () => {
    const tagOf = async (): Promise<unknown> => (await own.get('/apis', { accept: AGGREGATED })).headers['etag'];
    const before = await tagOf();
    await own.define(rocket);
    const defined = await tagOf();
    await own.change('rockets.example.com', { spec: { names: { shortNames: ['rk', 'rkt'] } } });
    const renamed = await tagOf();
    expect(new Set([before, defined, renamed]).size).toBe(3);
    await own.remove('rockets.example.com');
    expect(await tagOf()).toBe(before);
    expect((await own.get('/apis', { accept: AGGREGATED, 'if-none-match': String(before) })).status).toBe(304);
  });
});
