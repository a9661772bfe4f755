import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PriorityClass,
  RuntimeClass,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
} from '../../../../src/kinds/builtin/index.js';
import { cells, create, freeze, kubernetes, orch, problems, updateProblems, warnings } from '../support.js';

type Cases = readonly (readonly [name: string, manifest: JsonObject, errors: readonly string[]])[];

const SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`;
const QUALIFIED = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;

describe('a StorageClass', () => {
  const sc = (fields: JsonObject = {}): JsonObject => ({
    metadata: { name: 'gold' },
    provisioner: 'example.com/disk',
    ...fields,
  });
  const parameters = Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`k${index}`, '']));

  test.each<Cases[number]>([
    ['a valid one', sc({ allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }] }), []],
    ['no provisioner', sc({ provisioner: '' }), ['provisioner: Required value']],
    ['a wrong provisioner', sc({ provisioner: 'A!' }), [`provisioner: Invalid value: "a!": ${QUALIFIED}`]],
    ['too many parameters', sc({ parameters }), ['parameters: Too long: must have at most 512 bytes']],
    [
      'parameters',
      sc({ parameters: { '': 'a', b: 'x'.repeat(262144) } }),
      [
        'parameters: Invalid value: "": field can not be empty.',
        'parameters: Too long: must have at most 262144 bytes',
      ],
    ],
    [
      'modes',
      sc({ reclaimPolicy: 'Recycle', volumeBindingMode: 'Later' }),
      [
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
    ],
    [
      'topologies',
      sc({
        allowedTopologies: [
          {
            matchLabelExpressions: [
              { key: 'zone', values: [] },
              { key: 'zone', values: ['a', 'a'] },
            ],
          },
          { matchLabelExpressions: [{ key: 'zone', values: ['a'] }] },
        ],
      }),
      [
        'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
        'allowedTopologies[0].matchLabelExpressions[1].values[1]: Duplicate value: "a"',
        'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"',
        'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      ],
    ],
  ])('%s', (_name, manifest, errors) => {
    expect(problems(StorageClass, manifest)).toEqual(errors);
  });

  test('its parameters and modes do not change', () => {
    const old = create(StorageClass, sc({ parameters: { a: '1' } }));
    expect(
      updateProblems(StorageClass, old, {
        parameters: { a: '2' },
        provisioner: 'other',
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      }),
    ).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
  });

  test.each([orch, kubernetes])(
    'warns of deprecated labels, and marks the default, in the dialect $name',
    (dialect) => {
      const domain = dialect.labelDomain;
      const key = `failure-domain.beta.${domain}/zone`;
      const manifest = sc({
        metadata: { name: 'gold', annotations: { [`storageclass.${domain}/is-default-class`]: 'true' } },
        allowedTopologies: [{ matchLabelExpressions: [{ key, values: ['a'] }] }],
      });
      const object = create(StorageClass, manifest, dialect);
      expect(warnings(StorageClass, object, dialect)).toEqual([
        `allowedTopologies[0].matchLabelExpressions[0].key: ${key} is deprecated since v1.17; use "topology.${domain}/zone" instead`,
      ]);
      expect(cells(StorageClass, object)).toMatchObject({
        Name: 'gold (default)',
        Provisioner: 'example.com/disk',
        ReclaimPolicy: 'Delete',
        VolumeBindingMode: 'Immediate',
        AllowVolumeExpansion: false,
      });
    },
  );
});

describe('a VolumeAttributesClass', () => {
  const fast = { metadata: { name: 'fast' }, driverName: 'csi.example.com', parameters: { iops: '9' } };

  test('needs a driver and parameters, which do not change', () => {
    expect(problems(VolumeAttributesClass, { ...fast, driverName: '', parameters: {} })).toEqual([
      'driverName: Required value',
      'parameters: Required value: must contain at least one key/value pair',
    ]);
    expect(
      updateProblems(VolumeAttributesClass, create(VolumeAttributesClass, fast), {
        driverName: 'b',
        parameters: { iops: '1' },
      }),
    ).toEqual([
      'driverName: Forbidden: updates to driverName are forbidden.',
      'parameters: Forbidden: updates to parameters are forbidden.',
    ]);
  });

  test('has the same fields and rules in version v1alpha1', () => {
    const definition: ResourceDefinition = VolumeAttributesClassV1alpha1;
    const object = create(definition, fast);
    expect(problems(VolumeAttributesClassV1alpha1, { ...fast, driverName: '' })).toEqual([
      'driverName: Required value',
    ]);
    expect(definition.conversion?.toHub(object, orch)).toMatchObject(fast);
    expect(cells(VolumeAttributesClassV1alpha1, object)).toMatchObject({ Name: 'fast', DriverName: 'csi.example.com' });
  });
});

describe('a CSIDriver', () => {
  const driver = (spec: JsonObject = {}): JsonObject => ({ metadata: { name: 'csi.example.com' }, spec });

  test('has the defaults of release 1.31', () => {
    expect(create(CSIDriver, driver())['spec']).toEqual({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    });
    expect(
      create(CSIDriver, driver({ seLinuxMount: true }), orch, { SELinuxMountReadWriteOncePod: false })['spec'],
    ).not.toHaveProperty('seLinuxMount');
  });

  test('its policies, modes and token requests', () => {
    expect(
      problems(
        CSIDriver,
        driver({
          fsGroupPolicy: 'Any',
          volumeLifecycleModes: ['Once'],
          tokenRequests: [
            { audience: 'a', expirationSeconds: 599 },
            { audience: 'a' },
            { audience: 'b', expirationSeconds: 4294967297 },
          ],
        }),
      ),
    ).toEqual([
      'spec.fsGroupPolicy: Unsupported value: "Any": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      'spec.volumeLifecycleModes: Unsupported value: "Once": supported values: "Persistent", "Ephemeral"',
    ]);
  });

  test('how volumes are attached does not change', () => {
    const old = create(CSIDriver, driver());
    expect(
      updateProblems(CSIDriver, old, { 'spec.attachRequired': false, 'spec.volumeLifecycleModes': ['Ephemeral'] }),
    ).toEqual([
      'spec.attachedRequired: Invalid value: false: field is immutable',
      'spec.volumeLifecycleModes: Invalid value: []storage.VolumeLifecycleMode{"Ephemeral"}: field is immutable',
    ]);
    expect(updateProblems(CSIDriver, old, { 'spec.podInfoOnMount': true, 'spec.fsGroupPolicy': 'File' })).toEqual([]);
  });

  test('its table row', () => {
    const object = create(CSIDriver, driver({ tokenRequests: [{ audience: 'a' }, { audience: 'b' }] }));
    expect(cells(CSIDriver, object)).toMatchObject({
      AttachRequired: true,
      PodInfoOnMount: false,
      StorageCapacity: false,
      TokenRequests: 'a,b',
      RequiresRepublish: false,
      Modes: 'Persistent',
    });
    expect(cells(CSIDriver, create(CSIDriver, driver()))['TokenRequests']).toBe('<unset>');
  });
});

describe('a CSINode', () => {
  const node = (...drivers: JsonObject[]): JsonObject => ({ metadata: { name: 'n1' }, spec: { drivers } });

  test('its drivers', () => {
    expect(
      problems(
        CSINode,
        node(
          { name: 'a', nodeID: '', allocatable: { count: -1 }, topologyKeys: ['zone', 'zone', '!'] },
          { name: 'a', nodeID: 'x'.repeat(257), topologyKeys: [] },
        ),
      ),
    ).toEqual([
      'spec.drivers[0].nodeID: Required value',
      'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[0]: Duplicate value: "zone"',
      `spec.drivers[0]: Invalid value: "!": ${QUALIFIED}`,
      `spec.drivers[1].nodeID: Invalid value: "${'x'.repeat(257)}": must be 256 characters or less`,
      'spec.drivers[1].name: Duplicate value: "a"',
    ]);
  });

  test('a driver may be added or removed, but not changed', () => {
    const old = create(CSINode, node({ name: 'a', nodeID: '1', topologyKeys: [] }));
    const other = { name: 'b', nodeID: '1', topologyKeys: [] };
    expect(updateProblems(CSINode, old, { 'spec.drivers': [other] })).toEqual([]);
    expect(updateProblems(CSINode, old, { 'spec.drivers': [{ name: 'a', nodeID: '2', topologyKeys: [] }] })[0]).toMatch(
      /^spec\.drivers: Invalid value: .*: field is immutable$/,
    );
    expect(cells(CSINode, old)['Drivers']).toBe(1);
  });
});

describe('a CSIStorageCapacity', () => {
  const capacity = (fields: JsonObject = {}): JsonObject => ({
    metadata: { name: 'c' },
    storageClassName: 'gold',
    ...fields,
  });

  test('its class, topology and amount', () => {
    expect(
      problems(
        CSIStorageCapacity,
        capacity({
          storageClassName: '',
          nodeTopology: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
          capacity: '-1',
        }),
      ),
    ).toEqual([
      'nodeTopology.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
      `storageClassName: Invalid value: "": ${SUBDOMAIN}`,
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  test('what it is a capacity of does not change', () => {
    const old = create(CSIStorageCapacity, capacity({ nodeTopology: { matchLabels: { a: '1' } } }));
    expect(updateProblems(CSIStorageCapacity, old, { capacity: '2Gi' })).toEqual([]);
    expect(
      updateProblems(CSIStorageCapacity, old, { storageClassName: 'iron', 'nodeTopology.matchLabels': { a: '2' } }),
    ).toEqual([
      'nodeTopology: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"2"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
      'storageClassName: Invalid value: "iron": field is immutable',
    ]);
    expect(cells(CSIStorageCapacity, old)).toMatchObject({ StorageClassName: 'gold', Capacity: '<unset>' });
  });
});

describe('a VolumeAttachment', () => {
  const attachment = (spec: JsonObject, status?: JsonObject): JsonObject => ({
    metadata: { name: 'a' },
    spec: { attacher: 'csi.example.com', nodeName: 'n1', ...spec },
    ...(status === undefined ? {} : { status }),
  });
  const disk = { source: { persistentVolumeName: 'disk' } };

  test.each<Cases[number]>([
    ['a valid one', attachment(disk), []],
    [
      'no source',
      attachment({ source: {} }),
      ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
    ],
    [
      'an empty name',
      attachment({ source: { persistentVolumeName: '' } }),
      [
        'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
        `spec.source.persistentVolumeName: Invalid value: "": ${SUBDOMAIN}`,
      ],
    ],
    [
      'a wrong attacher and node',
      attachment({ ...disk, attacher: 'x'.repeat(64), nodeName: 'N' }),
      [`spec.nodeName: Invalid value: "N": ${SUBDOMAIN}`, 'spec.attacher: Too long: must have at most 63 bytes'],
    ],
    [
      'an inline volume',
      attachment({
        source: {
          inlineVolumeSpec: {
            capacity: { storage: '1' },
            accessModes: ['ReadWriteOnce'],
            claimRef: { name: 'a' },
            nodeAffinity: {},
            hostPath: { path: '/a' },
            persistentVolumeReclaimPolicy: 'Delete',
            storageClassName: 'gold',
            volumeMode: 'Block',
          },
        },
      }),
      [
        'spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes',
        'spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
      ],
    ],
  ])('%s', (_name, manifest, errors) => {
    expect(problems(VolumeAttachment, manifest)).toEqual(errors);
  });

  test('starts without a status, and its spec does not change', () => {
    const old = create(VolumeAttachment, attachment(disk, { attached: true }));
    expect(old['status']).toEqual({ attached: false });
    expect(updateProblems(VolumeAttachment, old, { 'spec.nodeName': 'n2' })).toEqual([
      'spec: Invalid value: {"attacher":"csi.example.com","source":{"persistentVolumeName":"disk"},"nodeName":"n2"}: field is immutable',
    ]);
    expect(cells(VolumeAttachment, old)).toMatchObject({
      Attacher: 'csi.example.com',
      PV: 'disk',
      Node: 'n1',
      Attached: false,
    });
  });
});

describe('a PriorityClass', () => {
  const pc = (name: string, fields: JsonObject): JsonObject => ({ metadata: { name }, ...fields });

  test.each<Cases[number]>([
    ['a valid one', pc('high', { value: 1000000000, preemptionPolicy: 'Never' }), []],
    [
      'too high',
      pc('high', { value: 1000000001 }),
      ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ],
    [
      'a policy',
      pc('high', { value: 1, preemptionPolicy: 'Ask' }),
      ['preemptionPolicy: Unsupported value: "Ask": supported values: "PreemptLowerPriority", "Never"'],
    ],
    ['a class of the system', pc('system-node-critical', { value: 2000001000 }), []],
    [
      'a class of the system with another value',
      pc('system-node-critical', { value: 1 }),
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000",
      ],
    ],
    [
      'a class of the system as default',
      pc('system-cluster-critical', { value: 2000000000, globalDefault: true }),
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: globalDefault of system-cluster-critical PriorityClass must be false",
      ],
    ],
    [
      'a reserved name',
      pc('system-x', { value: 1 }),
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
      ],
    ],
  ])('%s', (_name, manifest, errors) => {
    expect(problems(PriorityClass, manifest)).toEqual(errors);
  });

  test('preempts by default, and its value and policy do not change', () => {
    const old = create(PriorityClass, pc('high', { value: 5 }));
    expect(old).toMatchObject({ metadata: { generation: 1 }, preemptionPolicy: 'PreemptLowerPriority' });
    expect(updateProblems(PriorityClass, old, { value: 6, preemptionPolicy: 'Never', globalDefault: true })).toEqual([
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]);
    expect(cells(PriorityClass, old)).toMatchObject({ Value: 5, 'Global-Default': false });
  });
});

describe('a RuntimeClass', () => {
  const rc = (fields: JsonObject = {}): JsonObject => ({ metadata: { name: 'gvisor' }, handler: 'runsc', ...fields });

  test('its handler, overhead and scheduling', () => {
    expect(
      problems(
        RuntimeClass,
        rc({
          handler: 'Run.sc',
          overhead: { podFixed: { pods: '1' } },
          scheduling: { nodeSelector: { 'a!': '1' }, tolerations: [{ key: 'a', operator: 'Near' }] },
        }),
      ),
    ).toEqual([
      `handler: Invalid value: "Run.sc": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      'overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
      `scheduling.nodeSelector: Invalid value: "a!": ${QUALIFIED}`,
      'scheduling.tolerations[0].operator: Unsupported value: "Near": supported values: "Equal", "Exists"',
    ]);
  });

  test('its handler does not change', () => {
    const old = create(RuntimeClass, rc());
    expect(updateProblems(RuntimeClass, old, { handler: 'kata' })).toEqual([
      'handler: Invalid value: "kata": field is immutable',
    ]);
    expect(cells(RuntimeClass, old)['Handler']).toBe('runsc');
  });

  test('warns of deprecated labels', () => {
    const object = freeze(
      create(RuntimeClass, rc({ scheduling: { nodeSelector: { 'beta.orch.io/arch': 'x' } } })) as StoredObject,
    );
    expect(warnings(RuntimeClass, object)).toEqual([
      'scheduling.nodeSelector: deprecated since v1.14; use "orch.io/arch" instead',
    ]);
  });
});
