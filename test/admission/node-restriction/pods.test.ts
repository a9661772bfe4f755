import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { OwnerReference } from '../../../src/foundation/objects/object.js';
import { kubernetes, orch } from '../../../src/foundation/index.js';
import { objectOf, ownedBy, pluginFor, podOf, type Outcome } from './support.js';

describe.each([orch, kubernetes])('pods in the dialect $name', (dialect) => {
  const { ask } = pluginFor(dialect);
  const pod = (name: string, node: string, mirror: boolean) => podOf(dialect, name, node, { mirror });
  const refused = (name: string, why: string) => `403 pods "${name}" is forbidden: ${why}`;

  describe.each([true, false])('mirrors: %s', (mirror) => {
    describe.each(['mynode', 'othernode', ''])('on node "%s"', (node) => {
      const name = `${mirror ? 'mirror' : 'pod'}-${node}`;
      const object = pod(name, node, mirror);
      const own = node === 'mynode';
      const unless = (mayBe: boolean, why: string): Outcome => (mayBe ? true : refused(name, why));
      const noMirror = `pod does not have "${dialect.labelDomain}/config.mirror" annotation, node "mynode" can only create mirror pods`;

      it('may be created if it is a mirror pod on its own node', async () => {
        const elsewhere = unless(own, 'node "mynode" can only create pods with spec.nodeName set to itself');
        expect(await ask('CREATE', 'pods', { object })).toBe(mirror ? elsewhere : refused(name, noMirror));
      });

      it('may not be updated', async () => {
        expect(await ask('UPDATE', 'pods', { object, oldObject: object })).toBe(
          refused(name, 'unexpected operation "UPDATE", node "mynode" can only create and delete mirror pods'),
        );
      });

      it.each(['in hand', 'looked up'])('may be deleted from its own node: %s', async (how) => {
        const facts = how === 'in hand' ? { oldObject: object } : { name };
        expect(await ask('DELETE', 'pods', facts)).toBe(
          unless(own, 'node "mynode" can only delete pods with spec.nodeName set to itself'),
        );
      });

      it('may have its status updated by its own node, and only with an update', async () => {
        const elsewhere = 'node "mynode" can only update pod status for pods with spec.nodeName set to itself';
        expect(await ask('UPDATE', 'pods/status', { object, oldObject: object })).toBe(unless(own, elsewhere));
        expect(await ask('CREATE', 'pods/status', { object })).toBe(refused(name, 'unexpected operation "CREATE"'));
        expect(await ask('DELETE', 'pods/status', { name })).toBe(refused(name, 'unexpected operation "DELETE"'));
      });

      it('may be evicted from its own node, and evictions can only be created', async () => {
        const eviction = objectOf({ name, namespace: 'ns' });
        const outcome = unless(own, 'node mynode can only evict pods with spec.nodeName set to itself');
        expect(await ask('CREATE', 'pods/eviction', { object: eviction })).toBe(outcome);
        expect(await ask('CREATE', 'pods/eviction', { object: objectOf({}), name }), 'named by the path').toBe(outcome);
        expect(await ask('CREATE', 'pods/eviction', { object: eviction, name: '' }), 'named by the eviction').toBe(
          outcome,
        );
        expect(await ask('UPDATE', 'pods/eviction', { object: eviction, name })).toBe(
          refused(name, 'unexpected operation UPDATE'),
        );
        expect(await ask('DELETE', 'pods/eviction', { name })).toBe(refused(name, 'unexpected operation DELETE'));
      });
    });
  });

  test('a missing pod is not found, with the text of a lookup by kind', async () => {
    const object = objectOf({ name: 'unknown', namespace: 'ns' });
    expect(await ask('DELETE', 'pods', { name: 'unknown' })).toBe('404 pod "unknown" not found');
    expect(await ask('CREATE', 'pods/eviction', { object })).toBe('404 pod "unknown" not found');
    expect(await ask('CREATE', 'pods/eviction', { object: objectOf({}), name: 'pod-mynode', namespace: 'other' })).toBe(
      '404 pod "pod-mynode" not found',
    );
    expect(await ask('CREATE', 'pods/eviction', { object: objectOf({}), name: '' })).toBe(
      '403 pods "Unknown" is forbidden: could not determine pod from request data',
    );
  });

  test('other subresources are denied, for every operation', async () => {
    for (const subresource of ['binding', 'ephemeralcontainers', 'resize']) {
      const why = `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
      expect(await ask('CREATE', `pods/${subresource}`, { name: 'pod-mynode' })).toBe(refused('pod-mynode', why));
      expect(await ask('UPDATE', `pods/${subresource}`, { name: 'pod-mynode' })).toBe(refused('pod-mynode', why));
    }
  });

  test('a pod without a name is shown by its generateName', async () => {
    const unnamed = podOf(dialect, '', 'mynode', { metadata: { generateName: 'web-' } });
    delete unnamed.metadata.name;
    expect(await ask('CREATE', 'pods', { object: unnamed })).toContain('pods "web-" is forbidden: pod does not have');
  });

  describe('the owner of a mirror pod', () => {
    const single = 'node "mynode" can only create pods with a single owner reference set to itself';
    const itself = 'node "mynode" can only create pods with an owner reference set to itself';
    const controller = 'node "mynode" can only create pods with a controller owner reference set to itself';
    const { controller: _, ...noController } = ownedBy('mynode');
    it.each<[string, OwnerReference[] | undefined, true | string]>([
      ['is missing', undefined, itself],
      ['is an empty list', [], itself],
      ['is the node', [ownedBy('mynode')], true],
      ['is the node twice', [ownedBy('mynode'), ownedBy('mynode')], single],
      ['is another node', [ownedBy('othernode')], itself],
      ['has another version', [ownedBy('mynode', { apiVersion: 'v2' })], itself],
      ['has a group', [ownedBy('mynode', { apiVersion: 'apps/v1' })], itself],
      ['has another kind', [ownedBy('mynode', { kind: 'Pod' })], itself],
      ['is not a controller', [noController], controller],
      ['is explicitly not a controller', [ownedBy('mynode', { controller: false })], controller],
      [
        'blocks the deletion of the node',
        [ownedBy('mynode', { blockOwnerDeletion: true })],
        'node "mynode" must not set blockOwnerDeletion on an owner reference',
      ],
      ['explicitly does not block it', [ownedBy('mynode', { blockOwnerDeletion: false })], true],
      [
        'is a previous node of that name',
        [ownedBy('mynode', { uid: 'earlier' })],
        'node mynode UID mismatch: expected earlier got mynode-uid',
      ],
    ])('%s', async (_case, ownerReferences, outcome) => {
      const object = podOf(dialect, 'mirror', 'mynode', { mirror: true });
      if (ownerReferences === undefined) delete object.metadata.ownerReferences;
      else object.metadata.ownerReferences = ownerReferences;
      expect(await ask('CREATE', 'pods', { object })).toBe(outcome === true ? true : refused('mirror', outcome));
    });

    it('is a missing node', async () => {
      const alone = pluginFor(dialect, { findNode: () => undefined });
      expect(await alone.ask('CREATE', 'pods', { object: podOf(dialect, 'mirror', 'mynode', { mirror: true }) })).toBe(
        '404 node "mynode" not found',
      );
    });
  });

  describe('the references of a mirror pod', () => {
    const volume = (source: JsonObject): JsonObject => ({
      volumes: [
        { name: 'plain', emptyDir: {} },
        { name: 'v', ...source },
      ],
    });
    const env = (env: JsonObject, containers = 'containers'): JsonObject => ({
      [containers]: [{ name: 'first' }, { name: 'c', ...env }],
    });
    const projected = (source: JsonObject): JsonObject =>
      volume({ projected: { sources: [{ downwardAPI: {} }, source] } });
    it.each<[what: string | true, spec: JsonObject]>([
      ['a service account', { serviceAccountName: 'robot' }],
      ['a service account', { serviceAccount: 'robot' }],
      ['a service account', { serviceAccountName: 'robot', ...volume({ secret: { secretName: 's' } }) }],
      ['secrets', { imagePullSecrets: [{}, { name: 's' }] }],
      ...['containers', 'initContainers', 'ephemeralContainers'].flatMap<[string, JsonObject]>((containers) => [
        [
          'secrets',
          env(
            {
              env: [
                { name: 'A', value: 'a' },
                { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
              ],
            },
            containers,
          ),
        ],
        ['secrets', env({ envFrom: [{ prefix: 'a' }, { secretRef: { name: 's' } }] }, containers)],
        [
          'configmaps',
          env({ env: [{ name: 'B', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] }, containers),
        ],
        ['configmaps', env({ envFrom: [{ configMapRef: { name: 'c' } }] }, containers)],
      ]),
      ['secrets', volume({ secret: { secretName: 's' } })],
      ['secrets', projected({ secret: { name: 's' } })],
      ['secrets', volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } })],
      ['secrets', volume({ azureFile: { secretName: 's' } })],
      ...['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map<[string, JsonObject]>(
        (source) => ['secrets', volume({ [source]: { secretRef: { name: 's' } } })],
      ),
      ['configmaps', volume({ configMap: { name: 'c' } })],
      ['configmaps', projected({ configMap: { name: 'c' } })],
      ['clustertrustbundles', projected({ clusterTrustBundle: { path: 'ca' } })],
      ['persistentvolumeclaims', volume({ persistentVolumeClaim: { claimName: 'p' } })],
      ['persistentvolumeclaims', volume({ persistentVolumeClaim: {} })],
      [true, volume({ hostPath: { path: '/etc' } })],
      [true, env({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] })],
      // An empty name counts as no reference.
      [true, { serviceAccountName: '', imagePullSecrets: [{ name: '' }], ...volume({ secret: { secretName: '' } }) }],
    ])('%s: %j', async (what, spec) => {
      const object = podOf(dialect, 'mirror', 'mynode', { mirror: true, spec });
      expect(await ask('CREATE', 'pods', { object })).toBe(
        what === true ? true : refused('mirror', `node "mynode" can not create pods that reference ${what}`),
      );
    });
  });

  describe('a status update of a pod on its own node', () => {
    const labelled = (labels?: Record<string, string>) =>
      podOf(dialect, 'pod', 'mynode', labels === undefined ? {} : { metadata: { labels } });
    const A = { a: '1' };
    const AB = { a: '1', b: '2' };
    it.each([
      ['adds labels', A, AB, false],
      ['removes one', AB, A, false],
      ['removes all', A, undefined, false],
      ['adds the first label', undefined, A, false],
      ['changes one', A, { a: '2' }, false],
      ['replaces one', A, { b: '1' }, false],
      ['keeps them', AB, { b: '2', a: '1' }, true],
      ['has none, in an equivalent form', undefined, {}, true],
    ])('%s', async (_case, before, after, mayBe) => {
      const outcome = await ask('UPDATE', 'pods/status', { oldObject: labelled(before), object: labelled(after) });
      expect(outcome).toBe(mayBe ? true : refused('pod', 'node "mynode" cannot update labels through pod status'));
    });

    const claiming = (...resourceClaimStatuses: JsonObject[]) =>
      podOf(dialect, 'pod', 'mynode', { status: { phase: 'Running', resourceClaimStatuses } });
    it.each([
      ['adds a claim', claiming(), claiming({ name: 'gpu', resourceClaimName: 'c' }), false],
      ['removes a claim', claiming({ name: 'gpu' }), claiming(), false],
      [
        'renames a claim',
        claiming({ name: 'gpu', resourceClaimName: 'c' }),
        claiming({ name: 'gpu', resourceClaimName: 'd' }),
        false,
      ],
      [
        'adds a claim without one before',
        claiming({ name: 'gpu' }),
        claiming({ name: 'gpu', resourceClaimName: 'c' }),
        false,
      ],
      [
        'keeps the claims',
        claiming({ name: 'gpu', resourceClaimName: 'c' }),
        claiming({ name: 'gpu', resourceClaimName: 'c' }),
        true,
      ],
      ['has none, in an equivalent form', podOf(dialect, 'pod', 'mynode'), claiming(), true],
    ])('%s', async (_case, oldObject, object, mayBe) => {
      expect(await ask('UPDATE', 'pods/status', { oldObject, object })).toBe(
        mayBe ? true : refused('pod', 'node "mynode" cannot update resource claim statues'),
      );
    });

    it('cannot take over a pod by naming the node', async () => {
      const outcome = await ask('UPDATE', 'pods/status', {
        oldObject: podOf(dialect, 'pod', 'othernode'),
        object: podOf(dialect, 'pod', 'mynode'),
      });
      expect(outcome).toBe(
        refused('pod', 'node "mynode" can only update pod status for pods with spec.nodeName set to itself'),
      );
    });
  });
});
