import { describe, expect, test } from 'vitest';
import { PluginWorld, type Answer, type PodSpec } from './support.js';

const enable = ['ServiceAccount'] as const;
const account = (world: PluginWorld, name: string, more: object = {}, annotations = {}) =>
  world.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name, annotations }, ...more });
const specOf = ({ body }: Answer): PodSpec => body['spec'] as unknown as PodSpec;
const PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

describe('pods run as service accounts', () => {
  test('and get their token, once in each container', async () => {
    await using world = await PluginWorld.start({ enable });
    const spec = specOf(
      await world.pod('a', {
        initContainers: [{ name: 'i', image: 'i' }],
        containers: [
          { name: 'c', image: 'i' },
          { name: 'own', image: 'i', volumeMounts: [{ name: 'v', mountPath: PATH }] },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      }),
    );
    expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    const name = spec.volumes?.[1]?.name ?? '';
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(spec.volumes?.[1]).toEqual({
      name,
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
            },
          },
        ],
        defaultMode: 420,
      },
    });
    const mount = { name, readOnly: true, mountPath: PATH };
    expect(
      [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(({ volumeMounts }) => volumeMounts),
    ).toEqual([[mount], [mount], [{ name: 'v', mountPath: PATH }]]);
  });

  test('unless the pod or the account does not want it', async () => {
    await using world = await PluginWorld.start({ enable });
    await account(world, 'quiet', { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'pull' }] });
    expect(specOf(await world.pod('a', { serviceAccountName: 'quiet' }))).toMatchObject({
      imagePullSecrets: [{ name: 'pull' }],
    });
    const quiet = specOf(await world.pod('b', { serviceAccountName: 'quiet', imagePullSecrets: [{ name: 'own' }] }));
    expect(quiet.volumes).toBeUndefined();
    expect(quiet.imagePullSecrets).toEqual([{ name: 'own' }]);
    const wanted = specOf(await world.pod('c', { serviceAccountName: 'quiet', automountServiceAccountToken: true }));
    expect(wanted.volumes).toHaveLength(1);
    expect(specOf(await world.pod('d', { automountServiceAccountToken: false })).volumes).toBeUndefined();
  });

  test('which must exist', async () => {
    await using world = await PluginWorld.start({ enable });
    expect((await world.pod('a', { serviceAccountName: 'none' })).text).toBe(
      '403 pods "a" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    );
  });

  test('and wait for the account of a new namespace, a second at most', async () => {
    await using world = await PluginWorld.start({ enable }, { controllers: { disable: ['serviceaccount'] } });
    await world.send('POST', '/api/v1/namespaces', { metadata: { name: 'new' } });
    const waiting = world.pod('a', {}, 'new');
    await world.test.clock.advance(900);
    await world.send('POST', '/api/v1/namespaces/new/serviceaccounts', { metadata: { name: 'default' } });
    expect((await waiting).text).toBe('201');
    await world.send('DELETE', '/api/v1/namespaces/new/serviceaccounts/default');
    const late = world.pod('b', {}, 'new');
    await world.test.clock.advance(1000);
    expect((await late).text).toBe(
      '403 pods "b" is forbidden: error looking up service account new/default: serviceaccount "default" not found',
    );
  });

  test('except mirror pods, which use nothing of the API', async () => {
    await using world = await PluginWorld.start({ enable });
    const mirror = (name: string, spec: object) =>
      world.send('POST', '/api/v1/namespaces/default/pods', {
        metadata: { name, annotations: { 'kubernetes.io/config.mirror': 'x' } },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], ...spec },
      });
    expect(specOf(await mirror('a', {})).serviceAccountName).toBeUndefined();
    expect((await mirror('b', { serviceAccountName: 'default' })).text).toBe(
      '403 pods "b" is forbidden: a mirror pod may not reference service accounts',
    );
    expect((await mirror('c', { volumes: [{ name: 'v', secret: { secretName: 's' } }] })).text).toBe(
      '403 pods "c" is forbidden: a mirror pod may not reference secrets',
    );
    const sources = [{ serviceAccountToken: { path: 'token' } }];
    expect((await mirror('d', { volumes: [{ name: 'v', projected: { sources } }] })).text).toBe(
      '403 pods "d" is forbidden: a mirror pod may not use ServiceAccountToken volume projections',
    );
  });

  test('and use only the secrets that their account names, where it says so', async () => {
    await using world = await PluginWorld.start({ enable });
    await account(
      world,
      'strict',
      { secrets: [{ name: 'mine' }] },
      { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    );
    const serviceAccountName = 'strict';
    const env = (name: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }];
    const end = 'is not allowed because service account strict does not reference that';
    const of = async (name: string, spec: Partial<PodSpec>) =>
      (await world.pod(name, { serviceAccountName, ...spec })).text;
    expect(await of('a', { volumes: [{ name: 'v', secret: { secretName: 'other' } }] })).toBe(
      `403 pods "a" is forbidden: volume with secret.secretName="other" ${end} secret`,
    );
    expect(await of('b', { containers: [{ name: 'c', image: 'i', env: env('other') }] })).toBe(
      `403 pods "b" is forbidden: container c with envVar E referencing secret.secretName="other" ${end} secret`,
    );
    expect(await of('c', { imagePullSecrets: [{ name: 'other' }] })).toBe(
      `403 pods "c" is forbidden: imagePullSecrets[0].name="other" ${end} imagePullSecret`,
    );
    expect(await of('d', { containers: [{ name: 'c', image: 'i', env: env('mine') }] })).toBe('201');
    const debug = { name: 'debug', image: 'i', env: env('other') };
    const patched = await world.send(
      'PATCH',
      '/api/v1/namespaces/default/pods/d/ephemeralcontainers',
      { spec: { ephemeralContainers: [debug] } },
      'admin',
      'application/strategic-merge-patch+json',
    );
    expect(patched.text).toBe(
      `403 pods "d" is forbidden: ephemeral container debug with envVar E referencing secret.secretName="other" ${end} secret`,
    );
  });
});
