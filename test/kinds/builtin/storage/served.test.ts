import { expect, test } from 'vitest';
import { ApiServer } from '../../../../src/apiserver/api-server.js';
import {
  CSIDriver,
  LimitRange,
  PersistentVolumeClaim,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
} from '../../../../src/kinds/builtin/index.js';

test('a driver counts its changes', async () => {
  await using server = new ApiServer();
  const drivers = server.client().resource(CSIDriver);
  const driver = await drivers.create({ metadata: { name: 'csi.example.com' }, spec: {} });
  expect(driver.metadata.generation).toBe(1);
  const changed = await drivers.update({ ...driver, spec: { ...driver.spec, podInfoOnMount: true } });
  expect(changed.metadata.generation).toBe(2);
  const labelled = await drivers.update({ ...changed, metadata: { ...changed.metadata, labels: { a: 'b' } } });
  expect(labelled.metadata.generation).toBe(2);
});

test('a limit range gets a name, and a PUT creates one', async () => {
  await using server = new ApiServer();
  const ranges = server.client().resource(LimitRange).namespace('default');
  expect((await ranges.create({ metadata: {}, spec: { limits: [] } })).metadata.name).toMatch(/^[0-9a-f-]{36}$/);
  await ranges.update({ metadata: { name: 'put' }, spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } });
  expect((await ranges.get('put')).spec?.limits).toEqual([{ type: 'Pod', max: { cpu: '1' } }]);
});

test('the status of an attachment is written by its subresource alone', async () => {
  await using server = new ApiServer();
  const attachments = server.client().resource(VolumeAttachment);
  const spec = { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName: 'disk' } };
  const created = await attachments.create({ metadata: { name: 'a' }, spec, status: { attached: true } });
  expect(created.status).toEqual({ attached: false });
  const attached = await attachments.updateStatus({ ...created, status: { attached: true } });
  expect(attached.status).toEqual({ attached: true });
  await expect(
    attachments.updateStatus({
      ...attached,
      status: { attached: false, attachError: { time: null, message: 'x'.repeat(1025) } },
    }),
  ).rejects.toThrow('status.attachError.message: Too long: must have at most 262144 bytes');
});

test('an attributes class is served in two versions while its feature is enabled', async () => {
  await using server = new ApiServer({
    featureGates: { VolumeAttributesClass: true },
    runtimeConfig: 'storage.orch.io/v1beta1=true,storage.orch.io/v1alpha1=true',
  });
  const client = server.client();
  await client
    .resource(VolumeAttributesClassV1alpha1)
    .create({ metadata: { name: 'fast' }, driverName: 'csi.example.com', parameters: { iops: '9' } });
  const read = await client.resource(VolumeAttributesClass).get('fast');
  expect(read).toMatchObject({ apiVersion: 'storage.orch.io/v1beta1', parameters: { iops: '9' } });
});

test('a claim keeps its data source when a client sends the old field alone', async () => {
  await using server = new ApiServer();
  const claims = server.client().resource(PersistentVolumeClaim).namespace('default');
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    dataSource: { kind: 'PersistentVolumeClaim', name: 'old' },
  };
  const created = await claims.create({ metadata: { name: 'new' }, spec });
  expect(created.spec?.dataSourceRef).toMatchObject({ kind: 'PersistentVolumeClaim', name: 'old' });
  const again = await claims.update({ ...created, metadata: { ...created.metadata, labels: { a: 'b' } } });
  expect(again.spec).toEqual(created.spec);
});
