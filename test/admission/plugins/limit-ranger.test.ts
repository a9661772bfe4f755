import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PluginWorld } from './support.js';

const container = (resources: object, name = 'c') => ({ name, image: 'i', resources });
const limits = (world: PluginWorld, namespace: string, ...items: object[]) =>
  world.send('POST', `/api/v1/namespaces/${namespace}/limitranges`, {
    metadata: { name: 'l' },
    spec: { limits: items },
  });
const forbidden = (name: string, why: string): string => `403 pods "${name}" is forbidden: ${why}`;

describe('limit ranges', () => {
  let world: PluginWorld;
  beforeAll(async () => {
    world = await PluginWorld.start();
    for (const name of ['defaults', 'bounds', 'ratio', 'whole', 'claims']) await world.namespace(name);
    await limits(world, 'defaults', {
      type: 'Container',
      default: { cpu: '1', memory: '512Mi' },
      defaultRequest: { cpu: '500m', memory: '256Mi' },
    });
    await limits(world, 'bounds', {
      type: 'Container',
      min: { cpu: '100m', memory: '64Mi' },
      max: { cpu: '1', memory: '1Gi' },
      default: { 'ephemeral-storage': '1Gi' },
    });
    await limits(world, 'ratio', { type: 'Container', maxLimitRequestRatio: { cpu: '2' } });
    await limits(world, 'whole', { type: 'Pod', min: { cpu: '1' }, max: { memory: '1Gi' } });
    await limits(world, 'claims', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('set defaults of containers, say so in an annotation, and give their owner nothing', async () => {
    const made = await world.pod(
      'a',
      {
        containers: [container({ requests: { cpu: '2' }, limits: { cpu: '2' } }), container({}, 'd')],
        initContainers: [container({ limits: { memory: '1Gi' } }, 'i')],
      },
      'defaults',
    );
    expect(made.body).toMatchObject({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: memory request for container c; memory limit for container c; cpu, memory request for container d; cpu, memory limit for container d; cpu request for init container i; cpu limit for init container i',
        },
      },
      spec: {
        containers: [
          { resources: { requests: { cpu: '2', memory: '256Mi' }, limits: { cpu: '2', memory: '512Mi' } } },
          { resources: { requests: { cpu: '500m', memory: '256Mi' }, limits: { cpu: '1', memory: '512Mi' } } },
        ],
        initContainers: [{ resources: { limits: { cpu: '1', memory: '1Gi' } } }],
      },
      status: { qosClass: 'Burstable' },
    });
    const { managedFields } = made.body['metadata'] as { readonly managedFields: readonly object[] };
    expect(JSON.stringify(managedFields)).not.toContain('f:annotations');
  });

  test('refuse containers below the minimum and above the maximum, with all reasons', async () => {
    const resources = { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '2', memory: '1Gi' } };
    expect((await world.pod('b', { containers: [container(resources)] }, 'bounds')).text).toBe(
      forbidden(
        'b',
        '[minimum cpu usage per Container is 100m, but request is 50m, maximum cpu usage per Container is 1, but limit is 2]',
      ),
    );
  });

  test('refuse pods that say nothing', async () => {
    expect((await world.pod('b', {}, 'whole')).text).toBe(
      forbidden(
        'b',
        '[minimum cpu usage per Pod is 1.  No request is specified, maximum memory usage per Pod is 1Gi.  No limit is specified]',
      ),
    );
  });

  test('check init containers, too', async () => {
    const spec = {
      initContainers: [container({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }, 'i')],
    };
    expect((await world.pod('b', spec, 'bounds')).text).toBe(
      forbidden('b', 'maximum cpu usage per Container is 1, but limit is 2'),
    );
  });

  test('refuse a ratio of limit to request', async () => {
    const of = (requests: object, limit: object) =>
      world.pod('c', { containers: [container({ requests, limits: limit })] }, 'ratio');
    expect((await of({ cpu: '100m' }, { cpu: '250m' })).text).toBe(
      forbidden('c', 'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000'),
    );
    expect((await of({ cpu: '0' }, { cpu: '1' })).text).toBe(
      forbidden('c', 'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'),
    );
    expect((await of({ cpu: '100m' }, {})).text).toBe(
      forbidden('c', 'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'),
    );
    expect((await of({ cpu: '100m' }, { cpu: '200m' })).text).toBe('201');
  });

  test('count the containers of a pod together, and init containers as they run', async () => {
    const half = { requests: { cpu: '500m' }, limits: { memory: '512Mi' } };
    expect((await world.pod('d', { containers: [container(half), container(half, 'd')] }, 'whole')).text).toBe('201');
    expect((await world.pod('e', { containers: [container(half)] }, 'whole')).text).toBe(
      forbidden('e', 'minimum cpu usage per Pod is 1, but request is 500m'),
    );
    const init = [container({ requests: { cpu: '2' }, limits: { memory: '2Gi' } }, 'i')];
    expect((await world.pod('f', { containers: [container(half)], initContainers: init }, 'whole')).text).toBe(
      forbidden('f', 'maximum memory usage per Pod is 1Gi, but limit is 2Gi'),
    );
  });

  test('bound claims', async () => {
    const claim = (storage: string, namespace = 'claims') =>
      world.send('POST', `/api/v1/namespaces/${namespace}/persistentvolumeclaims`, {
        metadata: { generateName: 'p-' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      });
    expect((await claim('1Mi')).text).toMatch(
      /^403 persistentvolumeclaims "p-\w{5}" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi$/,
    );
    expect((await claim('11Gi')).text).toContain(
      'maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi',
    );
    expect((await claim('5Gi')).text).toBe('201');
  });

  test('apply to a create by server-side apply, and end with their range', async () => {
    const target = '/api/v1/namespaces/whole/pods/applied?fieldManager=me';
    const body = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'applied' } },
      spec: { containers: [container({ requests: { cpu: '1m' }, limits: { memory: '1Mi' } })] },
    };
    const apply = () => world.send('PATCH', target, body, 'admin', 'application/apply-patch+yaml');
    expect((await apply()).text).toBe(forbidden('applied', 'minimum cpu usage per Pod is 1, but request is 1m'));
    await world.send('DELETE', '/api/v1/namespaces/whole/limitranges/l');
    expect((await apply()).text).toBe('201');
  });
});
