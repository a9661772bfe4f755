import { expect, it } from 'vitest';
import { NodeGraph } from '../../../../src/security/authz/node/index.js';
import { ApiServer, orch, Pod } from '../../../../src/entries/index.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';

it('the fields read from a pod are those of a stored pod', async () => {
  await using server = new ApiServer({ featureGates: { DynamicResourceAllocation: true } });
  const refers = (name: string) => ({ secretRef: { name } });
  const stored = await server
    .client()
    .resource(Pod)
    .namespace('default')
    .create({
      metadata: { name: 'pod' },
      spec: {
        nodeName: 'node1',
        serviceAccountName: 'default',
        imagePullSecrets: [{ name: 'pull' }],
        containers: [
          {
            name: 'main',
            image: 'x',
            env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }],
            envFrom: [refers('env-from'), { configMapRef: { name: 'config' } }],
          },
        ],
        resourceClaims: [{ name: 'r', resourceClaimName: 'resource-claim' }],
        volumes: [
          { name: 'a', secret: { secretName: 'secret' } },
          {
            name: 'b',
            projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] },
          },
          { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
          {
            name: 'd',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
          { name: 'e', azureFile: { secretName: 'azure', shareName: 's' } },
          { name: 'f', cephfs: { monitors: ['m'], ...refers('cephfs') } },
          { name: 'g', cinder: { volumeID: 'v', ...refers('cinder') } },
          { name: 'h', csi: { driver: 'driver.example.com', nodePublishSecretRef: { name: 'csi' } } },
          { name: 'i', flexVolume: { driver: 'x/y', ...refers('flex') } },
          {
            name: 'j',
            iscsi: { targetPortal: '1.2.3.4:3260', iqn: 'iqn.2001-04.com.example:storage', lun: 0, ...refers('iscsi') },
          },
          { name: 'k', rbd: { monitors: ['m'], image: 'i', ...refers('rbd') } },
          { name: 'l', scaleIO: { gateway: 'g', system: 's', volumeName: 'v', ...refers('scaleio') } },
          { name: 'm', storageos: { volumeName: 'v', ...refers('storageos') } },
        ],
      },
    });

  const graph = new NodeGraph(orch);
  graph.podChanged(JSON.parse(JSON.stringify(stored)) as JsonObject, { namespace: 'default', name: 'pod' });
  const secrets = [
    'pull',
    'env',
    'env-from',
    'secret',
    'projected',
    'azure',
    'cephfs',
    'cinder',
    'csi',
    'flex',
    'iscsi',
    'rbd',
    'scaleio',
    'storageos',
  ];
  expect(secrets.filter((name) => !graph.isNeeded('node1', 'secrets', 'default', name))).toEqual([]);
  expect(['config', 'projected'].filter((name) => !graph.isNeeded('node1', 'configmaps', 'default', name))).toEqual([]);
  expect(
    ['claim', 'pod-d'].filter((name) => !graph.isNeeded('node1', 'persistentvolumeclaims', 'default', name)),
  ).toEqual([]);
  expect(graph.isNeeded('node1', 'serviceaccounts', 'default', 'default')).toBe(true);
  expect(graph.isNeeded('node1', 'resourceclaims', 'default', 'resource-claim')).toBe(true);
});
