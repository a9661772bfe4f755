import { expect } from 'vitest';
import type { V1ConfigMap, V1Lease } from '@kubernetes/client-node';
import type { Case } from './cases.js';

interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly name?: string; readonly kind?: string };
}

/** The ApiException of a request that must fail. */
async function failure(
  library: Parameters<Case['run']>[0]['library'],
  promise: Promise<unknown>,
): Promise<{ code: number; status: StatusBody }> {
  const outcome: unknown = await promise.then(
    (value) => new Error(`did not fail, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(outcome instanceof library.ApiException)) throw outcome;
  const { code, body } = outcome as { code: number; body: unknown };
  return { code, status: (typeof body === 'string' ? JSON.parse(body) : body) as StatusBody };
}

const names = (list: { items: { metadata?: { name?: string } }[] }): (string | undefined)[] =>
  list.items.map((item) => item.metadata?.name);

const namespace = 'default';

/** Requests with one answer. */
export const requestCases: readonly Case[] = [
  {
    name: 'create, read, replace and delete',
    async run({ core }) {
      const made = await core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: 'a', labels: { app: 'web' } }, data: { text: 'Grüße, 世界' } },
      });
      expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { text: 'Grüße, 世界' } });
      expect(made.metadata?.creationTimestamp).toEqual(new Date('2024-01-01T00:00:00Z'));
      const read = await core.readNamespacedConfigMap({ namespace, name: 'a' });
      expect(read).toEqual(made);
      const replaced = await core.replaceNamespacedConfigMap({
        namespace,
        name: 'a',
        body: { ...read, data: { text: 'new' } },
      });
      expect([replaced.data, replaced.metadata?.uid]).toEqual([{ text: 'new' }, made.metadata?.uid]);
      expect(await core.deleteNamespacedConfigMap({ namespace, name: 'a' })).toMatchObject({
        kind: 'Status',
        status: 'Success',
      });
      expect(names(await core.listNamespacedConfigMap({ namespace }))).toEqual([]);
    },
  },
  {
    name: 'times of a Lease are returned as sent',
    async run({ library, kubeConfig }) {
      const api = kubeConfig.makeApiClient(library.CoordinationV1Api);
      const made = await api.createNamespacedLease({
        namespace,
        body: {
          metadata: { name: 'l' },
          spec: {
            holderIdentity: 'me',
            leaseDurationSeconds: 15,
            renewTime: new library.V1MicroTime('2024-01-01T00:00:00.123Z'),
          },
        },
      });
      // A time is read as a Date, or as text by some versions.
      expect(new Date(made.spec?.renewTime ?? 0).toISOString()).toBe('2024-01-01T00:00:00.123Z');
      const replaced = await api.replaceNamespacedLease({ namespace, name: 'l', body: made });
      expect(replaced.metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
    },
  },
  {
    name: 'list by pages',
    async run({ core }) {
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        await core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
      const pages: unknown[] = [];
      let _continue: string | undefined;
      do {
        const page = await core.listNamespacedConfigMap({
          namespace,
          limit: 2,
          ...(_continue === undefined ? {} : { _continue }),
        });
        pages.push([names(page), page.metadata?.remainingItemCount]);
        _continue = page.metadata?._continue;
      } while (_continue !== undefined && _continue !== '');
      expect(pages).toEqual([
        [['a', 'b'], 3],
        [['c', 'd'], 1],
        [['e'], undefined],
      ]);
    },
  },
  {
    name: 'list by labels and by fields',
    async run({ core }) {
      for (const [name, app] of [
        ['a', 'web'],
        ['b', 'db'],
        ['c', 'web'],
      ] as const)
        await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { app } } } });
      expect(names(await core.listNamespacedConfigMap({ namespace, labelSelector: 'app in (web, cache)' }))).toEqual([
        'a',
        'c',
      ]);
      expect(
        names(
          await core.listConfigMapForAllNamespaces({ fieldSelector: 'metadata.name=b,metadata.namespace=default' }),
        ),
      ).toEqual(['b']);
      await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'app=web' });
      expect(names(await core.listNamespacedConfigMap({ namespace }))).toEqual(['b']);
    },
  },
  {
    name: 'a list of megabytes arrives complete',
    async run({ core, reached }) {
      const { ConfigMap } = await import('../../../src/entries/index.js');
      const kind = reached.test.client.resource(ConfigMap).namespace(namespace);
      for (let at = 0; at < 40; at += 1)
        await kind.create({ metadata: { name: `big-${at}` }, data: { text: `${'ä'.repeat(25_000)}${at}` } });
      const list = await core.listNamespacedConfigMap({ namespace });
      expect(list.items.map((item) => (item.data?.['text'] ?? '').length).sort()).toEqual([
        ...Array<number>(10).fill(25_001),
        ...Array<number>(30).fill(25_002),
      ]);
    },
  },
  {
    name: 'failures are ApiExceptions that carry the Status',
    async run({ library, core }) {
      const missing = await failure(library, core.readNamespacedConfigMap({ namespace, name: 'none' }));
      expect(missing).toMatchObject({
        code: 404,
        status: {
          reason: 'NotFound',
          message: 'configmaps "none" not found',
          details: { name: 'none', kind: 'configmaps' },
        },
      });
      const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } });
      expect(
        await failure(library, core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } })),
      ).toMatchObject({ code: 409, status: { reason: 'AlreadyExists' } });
      await core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...made, data: { x: '1' } } });
      expect(
        await failure(
          library,
          core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...made, data: { x: '2' } } }),
        ),
      ).toMatchObject({ code: 409, status: { reason: 'Conflict' } });
      expect(
        await failure(library, core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'A_' } } })),
      ).toMatchObject({ code: 422, status: { reason: 'Invalid' } });
    },
  },
  {
    name: 'users: a wrong token is 401, a missing right 403',
    async run({ library, reached }) {
      const stranger = reached.kubeConfigOf('wrong').makeApiClient(library.CoreV1Api);
      expect(await failure(library, stranger.listNamespace())).toMatchObject({ code: 401 });
      const reader = reached.kubeConfigOf('reader').makeApiClient(library.CoreV1Api);
      const message =
        'namespaces is forbidden: User "reader" cannot list resource "namespaces" in API group "" at the cluster scope';
      expect(await failure(library, reader.listNamespace())).toMatchObject({
        code: 403,
        status: { reason: 'Forbidden', message },
      });
    },
  },
  {
    name: 'options of a delete: preconditions, dry run, finalizers',
    async run({ library, core }) {
      const made = await core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: 'a', finalizers: ['example.com/hold'] } },
      });
      const wrong = core.deleteNamespacedConfigMap({ namespace, name: 'a', body: { preconditions: { uid: 'other' } } });
      expect(await failure(library, wrong)).toMatchObject({ code: 409, status: { reason: 'Conflict' } });
      await core.deleteNamespacedConfigMap({ namespace, name: 'a', dryRun: 'All' });
      expect(
        (await core.readNamespacedConfigMap({ namespace, name: 'a' })).metadata?.deletionTimestamp,
      ).toBeUndefined();
      await core.deleteNamespacedConfigMap({
        namespace,
        name: 'a',
        propagationPolicy: 'Background',
        body: { preconditions: { uid: made.metadata?.uid ?? '' } },
      });
      const ending = await core.readNamespacedConfigMap({ namespace, name: 'a' });
      expect(ending.metadata?.deletionTimestamp).toEqual(new Date('2024-01-01T00:00:00Z'));
      await core.replaceNamespacedConfigMap({
        namespace,
        name: 'a',
        body: { ...ending, metadata: { ...ending.metadata, finalizers: [] } },
      });
      expect(await failure(library, core.readNamespacedConfigMap({ namespace, name: 'a' }))).toMatchObject({
        code: 404,
      });
    },
  },
  {
    name: 'dry run, field manager and field validation of a write',
    async run({ library, core, kubeConfig }) {
      const dry = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } }, dryRun: 'All' });
      expect(dry.metadata?.uid).toBeDefined();
      expect(await failure(library, core.readNamespacedConfigMap({ namespace, name: 'a' }))).toMatchObject({
        code: 404,
      });
      const made = await core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: 'a' }, data: { x: '1' } },
        fieldManager: 'operator',
      });
      expect(made.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(['operator']);
      const where = { group: 'shop.example', version: 'v1', plural: 'widgets', namespace };
      const strict = kubeConfig.makeApiClient(library.CustomObjectsApi).createNamespacedCustomObject({
        ...where,
        body: { metadata: { name: 'w' }, spec: { color: 'red', colour: 'red' } },
        fieldValidation: 'Strict',
      });
      expect(await failure(library, strict)).toMatchObject({
        code: 400,
        status: { message: expect.stringContaining('strict decoding error: unknown field "spec.colour"') as string },
      });
    },
  },
  {
    name: 'patches of every type, and server-side apply',
    async run({ library, core, kubeConfig }) {
      const { PatchStrategy, setHeaderOptions } = library;
      const as = (type: string): ReturnType<typeof setHeaderOptions> => setHeaderOptions('Content-Type', type);
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' }, data: { x: '1', y: '1' } } });
      const target = { namespace, name: 'a' };
      const json = await core.patchNamespacedConfigMap(
        { ...target, body: [{ op: 'replace', path: '/data/x', value: '2' }] },
        as(PatchStrategy.JsonPatch),
      );
      expect(json.data).toEqual({ x: '2', y: '1' });
      const merged = await core.patchNamespacedConfigMap(
        { ...target, body: { data: { y: null, z: '1' } } },
        as(PatchStrategy.MergePatch),
      );
      expect(merged.data).toEqual({ x: '2', z: '1' });
      const strategic = await core.patchNamespacedConfigMap(
        { ...target, body: { metadata: { labels: { a: 'b' } } } },
        as(PatchStrategy.StrategicMergePatch),
      );
      expect(strategic.metadata?.labels).toEqual({ a: 'b' });
      const objects = library.KubernetesObjectApi.makeApiClient(kubeConfig);
      const intent: V1ConfigMap = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'b', namespace },
        data: { x: '1' },
      };
      const applied = await objects.patch(
        intent,
        undefined,
        undefined,
        'operator',
        true,
        PatchStrategy.ServerSideApply,
      );
      expect([
        applied.data,
        applied.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation]),
      ]).toEqual([{ x: '1' }, [['operator', 'Apply']]]);
      const other = objects.patch(
        { ...intent, data: { x: '2' } },
        undefined,
        undefined,
        'other',
        false,
        PatchStrategy.ServerSideApply,
      );
      expect(await failure(library, other)).toMatchObject({
        code: 409,
        status: { reason: 'Conflict', message: expect.stringContaining('conflict with "operator"') as string },
      });
    },
  },
  {
    name: 'a Pod: its defaults, and its status by the subresource',
    async run({ core }) {
      const pod = await core.createNamespacedPod({
        namespace,
        body: {
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '100m' } } }] },
        },
      });
      expect(pod).toMatchObject({
        spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' },
        status: { phase: 'Pending', qosClass: 'Burstable' },
      });
      const running = await core.replaceNamespacedPodStatus({
        namespace,
        name: 'p',
        body: { ...pod, status: { ...pod.status, phase: 'Running' } },
      });
      expect(running.status?.phase).toBe('Running');
      expect((await core.readNamespacedPodStatus({ namespace, name: 'p' })).status?.phase).toBe('Running');
    },
  },
  {
    name: 'KubernetesObjectApi: any kind, by discovery',
    async run({ library, kubeConfig }) {
      const objects = library.KubernetesObjectApi.makeApiClient(kubeConfig);
      const made = await objects.create<V1Lease>({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
      });
      expect(made.metadata?.namespace).toBe('default');
      expect(
        (
          await objects.read({
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { name: 'l', namespace },
          })
        ).metadata?.uid,
      ).toBe(made.metadata?.uid);
      const replaced = await objects.replace({ ...made, metadata: { ...made.metadata, labels: { a: 'b' } } });
      expect(replaced.metadata?.labels).toEqual({ a: 'b' });
      expect(names(await objects.list('coordination.k8s.io/v1', 'Lease', namespace))).toEqual(['l']);
      expect(
        await objects.delete({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'l', namespace },
        }),
      ).toMatchObject({ status: 'Success' });
      await expect(objects.create({ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'x' } })).rejects.toThrow(
        'Unrecognized API version and kind: v1 Nothing',
      );
    },
  },
  {
    name: 'CustomObjectsApi: a custom kind, with its status',
    async run({ library, kubeConfig }) {
      const custom = kubeConfig.makeApiClient(library.CustomObjectsApi);
      const where = { group: 'shop.example', version: 'v1', plural: 'widgets', namespace };
      const made = (await custom.createNamespacedCustomObject({
        ...where,
        body: { metadata: { name: 'w' }, spec: { color: 'red' } },
      })) as { spec: object };
      expect(made.spec).toEqual({ color: 'red', size: 1 });
      const ready: unknown = await custom.replaceNamespacedCustomObjectStatus({
        ...where,
        name: 'w',
        body: { ...made, status: { phase: 'Ready' } },
      });
      expect(ready).toMatchObject({ status: { phase: 'Ready', ready: false } });
      expect(await custom.listNamespacedCustomObject({ ...where, fieldSelector: 'spec.color=red' })).toMatchObject({
        kind: 'WidgetList',
        items: [{ metadata: { name: 'w' } }],
      });
      expect(
        (
          await failure(
            library,
            custom.createNamespacedCustomObject({
              ...where,
              body: { metadata: { name: 'x' }, spec: { color: 'pink' } },
            }),
          )
        ).code,
      ).toBe(422);
    },
  },
  {
    name: 'version, groups and health',
    async run({ library, kubeConfig }) {
      expect(await kubeConfig.makeApiClient(library.VersionApi).getCode()).toMatchObject({ major: '1' });
      const groups = await kubeConfig.makeApiClient(library.ApisApi).getAPIVersions();
      expect(groups.groups.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['coordination.k8s.io', 'shop.example']),
      );
      const health = new library.Health(kubeConfig);
      expect(await health.readyz({})).toBe(true);
      expect(await health.livez({})).toBe(true);
    },
  },
];
