import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { PersistentVolume } from '../../../../src/kinds/builtin/index.js';
import { cells, changed, contextOf, create, freeze, kubernetes, orch, problems, updateProblems } from '../support.js';

const base: JsonObject = {
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
  hostPath: { path: '/data' },
};

/** A volume with changed fields of the spec; undefined removes a field. */
const volume = (spec: Record<string, unknown> = {}, metadata: JsonObject = {}): JsonObject =>
  ({ metadata: { name: 'disk', ...metadata }, spec: { ...base, ...spec } }) as JsonObject;

const without = (source: JsonObject): JsonObject => volume({ hostPath: undefined, ...source });

describe('a PersistentVolume', () => {
  test('has the defaults of release 1.31 and starts as pending', () => {
    const { spec, status } = create(PersistentVolume, volume()) as StoredObject & { spec: object; status: object };
    expect(spec).toEqual({
      ...base,
      hostPath: { path: '/data', type: '' },
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    });
    expect(status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: '2024-05-01T12:00:00Z' });
  });

  test('a valid one has no errors', () => {
    expect(problems(PersistentVolume, volume())).toEqual([]);
  });

  test.each<readonly [name: string, manifest: JsonObject, errors: readonly string[]]>([
    [
      'no spec',
      { spec: {} },
      [
        'spec.accessModes: Required value',
        'spec.capacity: Required value',
        'spec.capacity: Unsupported value: core.ResourceList(nil): supported values: "storage"',
        'spec: Required value: must specify a volume type',
      ],
    ],
    [
      'an unknown access mode',
      volume({ accessModes: ['Never'] }),
      [
        'spec.accessModes: Unsupported value: "Never": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
    ],
    [
      'a mode for one pod beside others',
      volume({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
      ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
    ],
    [
      'an empty capacity',
      volume({ capacity: { storage: '0' } }),
      ['spec.capacity[storage]: Invalid value: "0": must be greater than 0'],
    ],
    [
      'a negative capacity',
      volume({ capacity: { storage: '-1' } }),
      [
        'spec.capacity[storage]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.capacity[storage]: Invalid value: "-1": must be greater than 0',
      ],
    ],
    [
      'another capacity',
      volume({ capacity: { storage: '1Gi', cpu: '1' } }),
      [
        'spec.capacity: Unsupported value: core.ResourceList{"cpu":resource.Quantity{i:resource.int64Amount{value:1, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}, "storage":resource.Quantity{i:resource.int64Amount{value:1073741824, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1Gi", Format:"BinarySI"}}: supported values: "storage"',
      ],
    ],
    [
      'an unknown policy',
      volume({ persistentVolumeReclaimPolicy: 'Shred' }),
      [
        'spec.persistentVolumeReclaimPolicy: Unsupported value: "Shred": supported values: "Delete", "Recycle", "Retain"',
      ],
    ],
    [
      'a recycled root',
      volume({ hostPath: { path: '/a/..' }, persistentVolumeReclaimPolicy: 'Recycle' }),
      [
        `spec.hostPath.path: Invalid value: "/a/..": must not contain '..'`,
        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
      ],
    ],
    [
      'two sources',
      volume({ nfs: { server: '', path: '' } }),
      ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'a second CephFS source',
      volume({ cephfs: { monitors: [] } }),
      ['spec.cephFS: Forbidden: may not specify more than 1 volume type'],
    ],
    ['a second FlexVolume source', volume({ flexVolume: { driver: '' } }), ['spec.flexVolume.driver: Required value']],
    [
      'a wrong class',
      volume({ storageClassName: 'A' }),
      [
        `spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    [
      'an unknown mode',
      volume({ volumeMode: 'Tape' }),
      ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
    ],
    [
      'an empty affinity',
      volume({ nodeAffinity: {} }),
      ['spec.nodeAffinity.required: Required value: must specify required node constraints'],
    ],
    [
      'terms of an affinity',
      volume({
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'In' },
                  { key: '', operator: 'Near' },
                ],
              },
              { matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a', 'b'] }] },
            ],
          },
        },
      }),
      [
        "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].operator: Invalid value: "Near": not a valid selector operator',
        'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "": name part must be non-empty',
        `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        "spec.nodeAffinity.required.nodeSelectorTerms[1].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        'spec.nodeAffinity.required.nodeSelectorTerms[1].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
      ],
    ],
  ])('%s', (_name, manifest, errors) => {
    expect(problems(PersistentVolume, manifest)).toEqual(errors);
  });

  test.each<readonly [name: string, source: JsonObject, errors: readonly string[]]>([
    ['hostPath', { path: '', type: 'Pipe' }, ['spec.hostPath.path: Required value']],
    [
      'hostPath',
      { path: '/a', type: 'Pipe' },
      [
        'spec.hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      'gcePersistentDisk',
      { pdName: '', partition: 256 },
      [
        'spec.persistentDisk.pdName: Required value',
        'spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
      ],
    ],
    [
      'awsElasticBlockStore',
      { volumeID: '', partition: -1 },
      [
        'spec.awsElasticBlockStore.volumeID: Required value',
        'spec.awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive',
      ],
    ],
    [
      'glusterfs',
      { endpoints: '', path: '', endpointsNamespace: '' },
      [
        'spec.glusterfs.endpoints: Required value',
        'spec.glusterfs.path: Required value',
        'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
      ],
    ],
    ['flocker', {}, ['spec.flocker: Required value: one of datasetName and datasetUUID is required']],
    [
      'flocker',
      { datasetName: 'a/b', datasetUUID: 'c' },
      [
        'spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        `spec.flocker.datasetName: Invalid value: "a/b": must not contain '/'`,
      ],
    ],
    [
      'nfs',
      { server: '', path: 'a' },
      ['spec.nfs.server: Required value', 'spec.nfs.path: Invalid value: "a": must be an absolute path'],
    ],
    ['rbd', { monitors: [], image: '' }, ['spec.rbd.monitors: Required value', 'spec.rbd.image: Required value']],
    [
      'quobyte',
      { registry: 'a:1,b', volume: '' },
      [
        'spec.quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
        'spec.quobyte.volume: Required value',
      ],
    ],
    [
      'quobyte',
      { registry: 'a', tenant: 'x'.repeat(65), volume: 'v' },
      ['spec.quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters'],
    ],
    ['cephfs', { monitors: [] }, ['spec.cephfs.monitors: Required value']],
    [
      'iscsi',
      { targetPortal: '', iqn: 'abc', lun: 256, chapAuthSession: true, initiatorName: 'iqn.x' },
      [
        'spec.iscsi.targetPortal: Required value',
        'spec.iscsi.iqn: Invalid value: "abc": must be valid format',
        'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
        'spec.iscsi.secretRef: Required value',
        'spec.iscsi.initiatorname: Invalid value: "iqn.x": must be valid format',
      ],
    ],
    [
      'iscsi',
      {
        targetPortal: 'p'.repeat(64),
        iqn: 'iqn.2015-02.example.com:init',
        lun: 0,
        initiatorName: 'eui.0123456789abcdef',
      },
      [
        `spec.iscsi.targetportal: Invalid value: "${'p'.repeat(64)}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
      ],
    ],
    // The forms are those of the release, which are looser than the RFC.
    ['iscsi', { targetPortal: 'p', iqn: 'iqn.2015-02.Example.com:init', lun: 0 }, []],
    ['iscsi', { targetPortal: 'p', iqn: 'eui.0123456789abcdeg', lun: 0 }, []],
    [
      'iscsi',
      { targetPortal: 'p', iqn: 'naa.0123456789abcdef', lun: 0 },
      ['spec.iscsi.iqn: Invalid value: "naa.0123456789abcdef": must be valid format'],
    ],
    [
      'cinder',
      { volumeID: '', secretRef: {} },
      [
        'spec.cinder.volumeID: Required value',
        'spec.cinder.secretRef.name: Required value',
        'spec.cinder.secretRef.namespace: Required value',
      ],
    ],
    ['fc', {}, ['spec.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both']],
    [
      'fc',
      { targetWWNs: ['a'], wwids: ['b'] },
      [
        'spec.fc.targetWWNs: Invalid value: []string{"a"}: targetWWNs and wwids can not be specified simultaneously',
        'spec.fc.lun: Required value: lun is required if targetWWNs is specified',
      ],
    ],
    [
      'azureFile',
      { secretName: '', shareName: '', secretNamespace: '' },
      [
        'spec.azureFile.secretName: Required value',
        'spec.azureFile.shareName: Required value',
        'spec.azureFile.secretNamespace: Required value',
      ],
    ],
    ['vsphereVolume', { volumePath: '' }, ['spec.vsphereVolume.volumePath: Required value']],
    ['photonPersistentDisk', { pdID: '' }, ['spec.photonPersistentDisk.pdID: Required value']],
    ['portworxVolume', { volumeID: '' }, ['spec.portworxVolume.volumeID: Required value']],
    [
      'azureDisk',
      { diskName: '', diskURI: 'x', kind: 'Managed', cachingMode: 'Some' },
      [
        'spec.azureDisk.diskName: Required value',
        'spec.azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"',
        'spec.azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
      ],
    ],
    [
      'scaleIO',
      { gateway: '', system: '', secretRef: {} },
      [
        'spec.scaleIO.gateway: Required value',
        'spec.scaleIO.system: Required value',
        'spec.scaleIO.volumeName: Required value',
      ],
    ],
    [
      'local',
      { path: '' },
      ['spec.local.path: Required value', 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    [
      'storageos',
      { secretRef: {} },
      [
        'spec.storageos.volumeName: Required value',
        'spec.storageos.secretRef.name: Required value',
        'spec.storageos.secretRef.namespace: Required value',
      ],
    ],
    [
      'csi',
      { driver: '', volumeHandle: '', nodeStageSecretRef: {}, nodePublishSecretRef: { name: 'a' } },
      [
        'spec.csi.driver: Required value',
        `spec.csi.driver: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
        'spec.csi.volumeHandle: Required value',
        'spec.csi.nodePublishSecretRef.namespace: Required value',
      ],
    ],
  ])('its source %s: %j', (name, source, errors) => {
    expect(problems(PersistentVolume, without({ [name]: source }))).toEqual(errors);
  });

  test.each([
    [orch, 'a.orch.io/x', 'orch.io and orch.io'],
    [kubernetes, 'k8s.io/x', 'kubernetes.io and k8s.io'],
  ])('reserves keys of FlexVolume options, in the dialect $name', (dialect, key, words) => {
    const manifest = without({ flexVolume: { driver: 'd', options: { [key]: '1', 'example.com/x': '2' } } });
    expect(problems(PersistentVolume, manifest, dialect)).toEqual([
      `spec.flexVolume.options[${key}]: Invalid value: "${key}": ${words} namespaces are reserved`,
    ]);
  });

  test('loses its attributes class while the feature is disabled', () => {
    expect(create(PersistentVolume, volume({ volumeAttributesClassName: 'fast' }))['spec']).not.toHaveProperty(
      'volumeAttributesClassName',
    );
  });

  test('with attributes classes enabled, the class must be named and the volume be of CSI', () => {
    const context = contextOf(orch, { VolumeAttributesClass: true });
    const object = { ...create(PersistentVolume, volume()), spec: { ...base, volumeAttributesClassName: '' } };
    expect(atOnce(PersistentVolume.strategy?.validate?.(freeze(object) as StoredObject, context))?.map(String)).toEqual(
      [
        'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
        'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
      ],
    );
  });

  test('its source and mode do not change', () => {
    const old = create(PersistentVolume, volume());
    expect(
      updateProblems(PersistentVolume, old, { 'spec.hostPath.path': '/other', 'spec.volumeMode': 'Block' }),
    ).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n' +
        '  core.PersistentVolumeSource{\n' +
        '- \thostPath: {"path":"/data","type":""},\n' +
        '+ \thostPath: {"path":"/other","type":""},\n' +
        '  }\n',
      'volumeMode: Invalid value: "Block": field is immutable',
    ]);
    expect(updateProblems(PersistentVolume, old, { 'spec.capacity.storage': '2Gi' })).toEqual([]);
  });

  test('the secret for expansion can be added to a CSI volume, but not changed', () => {
    const csi = { driver: 'd.example.com', volumeHandle: '1' };
    const secret = { name: 'a', namespace: 'b' };
    const old = create(PersistentVolume, without({ csi }));
    expect(updateProblems(PersistentVolume, old, { 'spec.csi.controllerExpandSecretRef': secret })).toEqual([]);
    const later = create(PersistentVolume, without({ csi: { ...csi, controllerExpandSecretRef: secret } }));
    expect(updateProblems(PersistentVolume, later, { 'spec.csi.controllerExpandSecretRef.name': 'c' })).toHaveLength(1);
  });

  test('the affinity is set once; a beta label may be replaced by its current name', () => {
    const affinity = (key: string): JsonObject => ({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
    });
    const old = create(PersistentVolume, volume({ nodeAffinity: affinity('failure-domain.beta.orch.io/zone') }));
    const change = (key: string) => updateProblems(PersistentVolume, old, { 'spec.nodeAffinity': affinity(key) });
    expect(change('topology.orch.io/zone')).toEqual([]);
    expect(change('topology.orch.io/region')[0]).toContain('nodeAffinity: Invalid value: ');
    expect(
      updateProblems(PersistentVolume, create(PersistentVolume, volume()), { 'spec.nodeAffinity': affinity('a') }),
    ).toEqual([]);
  });

  test('a change of the phase is timed, unless the client does it', () => {
    const status = PersistentVolume.subresources?.['status'];
    if (status === undefined || !('strategy' in status)) throw new Error('no status');
    const old = {
      ...create(PersistentVolume, volume()),
      status: { phase: 'Pending', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' },
    };
    const write = (change: JsonObject): unknown => {
      const object = changed(old, { status: { ...old.status, ...change } });
      atOnce(status.strategy.prepareForUpdate(object, old, contextOf()));
      return (object as unknown as { status: JsonObject }).status['lastPhaseTransitionTime'];
    };
    expect(write({ phase: 'Bound' })).toBe('2024-05-01T12:00:00Z');
    expect(write({ message: 'x' })).toBe('2020-01-01T00:00:00Z');
    expect(write({ phase: 'Bound', lastPhaseTransitionTime: '2021-01-01T00:00:00Z' })).toBe('2021-01-01T00:00:00Z');
  });

  test.each([orch, kubernetes])('warns of deprecated settings, in the dialect $name', (dialect) => {
    const domain = dialect.labelDomain;
    const manifest = volume(
      {
        persistentVolumeReclaimPolicy: 'Recycle',
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: `beta.${domain}/os`, operator: 'Exists' }] }] },
        },
      },
      { annotations: { [`volume.beta.${domain}/storage-class`]: 'gold' } },
    );
    const object = create(PersistentVolume, manifest, dialect);
    expect(atOnce(PersistentVolume.strategy?.warnings?.(object, undefined, contextOf(dialect)))).toEqual([
      `metadata.annotations[volume.beta.${domain}/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead`,
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.${domain}/os is deprecated since v1.14; use "${domain}/os" instead`,
    ]);
    expect(cells(PersistentVolume, object)['StorageClass']).toBe('gold');
  });

  test('its table row', () => {
    const object = create(
      PersistentVolume,
      volume({
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        claimRef: { namespace: 'shop', name: 'data' },
        storageClassName: 'gold',
      }),
    );
    expect(cells(PersistentVolume, object)).toMatchObject({
      Name: 'disk',
      Capacity: '1Gi',
      'Access Modes': 'RWO,RWX',
      'Reclaim Policy': 'Retain',
      Status: 'Pending',
      Claim: 'shop/data',
      StorageClass: 'gold',
      VolumeAttributesClass: '<unset>',
      Reason: '',
      VolumeMode: 'Filesystem',
    });
    const deleted = freeze({ ...object, metadata: { ...object.metadata, deletionTimestamp: '2024-05-01T11:00:00Z' } });
    expect(cells(PersistentVolume, deleted)['Status']).toBe('Terminating');
  });
});
