import { atOnce } from '../../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/foundation/json/json.js';
import { Pod } from '../../../../../src/kinds/builtin/index.js';
import {
  changed,
  contextOf,
  create,
  freeze,
  kubernetes,
  problems,
  subresourceStrategy,
  texts,
  type Gates,
} from '../../support.js';

await Pod.prepare?.();

const c = (fields: JsonObject = {}): JsonObject => ({ name: 'c', image: 'i', ...fields });
const pod = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', namespace: 'n', annotations },
  spec: { serviceAccountName: 'a', containers: [c()], ...spec },
});
const spec = (fields: JsonObject, gates: Gates = {}): string[] => problems(Pod, pod(fields), kubernetes, gates);
const one = (fields: JsonObject, gates: Gates = {}): string[] => spec({ containers: [c(fields)] }, gates);
const volume = (source: JsonObject, gates: Gates = {}): string[] =>
  spec({ volumes: [{ name: 'v', ...source }] }, gates);

describe('volumes of vendors', () => {
  const at = (rest: string): string => `spec.volumes[0].${rest}`;
  it.each<[JsonObject, string[]]>([
    [
      { gcePersistentDisk: { pdName: '', partition: 256 } },
      [
        at('persistentDisk.pdName: Required value'),
        at('persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive'),
      ],
    ],
    [
      { awsElasticBlockStore: { volumeID: '', partition: -1 } },
      [
        at('awsElasticBlockStore.volumeID: Required value'),
        at('awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive'),
      ],
    ],
    [
      { iscsi: { targetPortal: '', iqn: '', lun: 256, chapAuthSession: true } },
      [
        at('iscsi.targetPortal: Required value'),
        at('iscsi.iqn: Required value'),
        at('iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive'),
        at('iscsi.secretRef: Required value'),
      ],
    ],
    [
      { iscsi: { targetPortal: '1.2.3.4', iqn: 'x', lun: 0 } },
      [at('iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa')],
    ],
    [
      { iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.x', lun: 0, initiatorName: 'eui.x' } },
      [
        at('iscsi.iqn: Invalid value: "iqn.x": must be valid format'),
        at('iscsi.initiatorname: Invalid value: "eui.x": must be valid format'),
      ],
    ],
    [
      {
        iscsi: {
          targetPortal: '1'.repeat(63),
          iqn: 'iqn.2015-02.example.com:test',
          lun: 0,
          initiatorName: 'iqn.2015-02.example.com:init',
        },
      },
      [
        at(
          'name: Invalid value: "v": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
        ),
      ],
    ],
    [{ fc: {} }, [at('fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both')]],
    [
      { fc: { targetWWNs: ['a'], wwids: ['b'] } },
      [
        at('fc.targetWWNs: Invalid value: []string{"a"}: targetWWNs and wwids can not be specified simultaneously'),
        at('fc.lun: Required value: lun is required if targetWWNs is specified'),
      ],
    ],
    [{ flocker: {} }, [at('flocker: Required value: one of datasetName and datasetUUID is required')]],
    [{ flocker: { datasetName: 'a/b' } }, [at('flocker.datasetName: Invalid value: "a/b": must not contain \'/\'')]],
    [
      { quobyte: { registry: 'host', volume: '' } },
      [
        at('quobyte.registry: Invalid value: "host": must be a host:port pair or multiple pairs separated by commas'),
        at('quobyte.volume: Required value'),
      ],
    ],
    [{ quobyte: { registry: 'a:1,[::1]:2', volume: 'v' } }, []],
    [
      { quobyte: { registry: 'a:1,b:[2', volume: 'v' } },
      [
        at(
          'quobyte.registry: Invalid value: "a:1,b:[2": must be a host:port pair or multiple pairs separated by commas',
        ),
      ],
    ],
    [
      { flexVolume: { driver: '', options: { 'kubernetes.io/a': 'b', 'x.k8s.io': 'c', 'example.com/d': 'e' } } },
      [
        at('flexVolume.driver: Required value'),
        at(
          'flexVolume.options[kubernetes.io/a]: Invalid value: "kubernetes.io/a": kubernetes.io and k8s.io namespaces are reserved',
        ),
        at('flexVolume.options[x.k8s.io]: Invalid value: "x.k8s.io": kubernetes.io and k8s.io namespaces are reserved'),
      ],
    ],
    [
      { azureDisk: { diskName: 'd', diskURI: 'blob:', cachingMode: 'X', kind: 'Shared' } },
      [
        at('azureDisk.cachingMode: Unsupported value: "X": supported values: "None", "ReadOnly", "ReadWrite"'),
        at(
          'azureDisk.diskURI: Unsupported value: "blob:": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
        ),
      ],
    ],
    [
      { azureFile: { secretName: '', shareName: '' } },
      [at('azureFile.secretName: Required value'), at('azureFile.shareName: Required value')],
    ],
    [
      { storageos: { volumeName: 'A', secretRef: { name: '' } } },
      [
        expect.stringContaining(at('storageos.volumeName: Invalid value: "A": a lowercase RFC 1123 label')) as string,
        at('storageos.secretRef.name: Required value'),
      ],
    ],
    [{ rbd: { monitors: [], image: '' } }, [at('rbd.monitors: Required value'), at('rbd.image: Required value')]],
    [{ cephfs: { monitors: [] } }, [at('cephfs.monitors: Required value')]],
    [
      { cinder: { volumeID: '', secretRef: { name: '' } } },
      [at('cinder.volumeID: Required value'), at('cinder.secretRef.name: Required value')],
    ],
    [
      { scaleIO: { gateway: '', system: 's', secretRef: { name: 'x' } } },
      [at('scaleIO.gateway: Required value'), at('scaleIO.volumeName: Required value')],
    ],
    [{ vsphereVolume: { volumePath: '' } }, [at('vsphereVolume.volumePath: Required value')]],
    [
      { emptyDir: {}, downwardAPI: {}, cephfs: { monitors: ['m'] } },
      [
        at('cephFS: Forbidden: may not specify more than 1 volume type'),
        at('downwarAPI: Forbidden: may not specify more than 1 volume type'),
      ],
    ],
    [
      { gitRepo: { repository: 'r', directory: '/a' } },
      [at('gitRepo.directory: Invalid value: "/a": must be a relative path')],
    ],
  ])('%j', (source, expected) => expect(volume(source)).toEqual(expected));

  it('of an image are dropped, unless the feature is on', () => {
    const fields = {
      volumes: [{ name: 'v', image: { reference: '' } }],
      containers: [c({ volumeMounts: [{ name: 'v', mountPath: '/m', subPath: 'x' }] })],
    };
    expect(create(Pod, pod(fields), kubernetes)).toMatchObject({ spec: { containers: [{ name: 'c', image: 'i' }] } });
    expect(spec(fields)).toEqual([]);
    expect(spec(fields, { ImageVolume: true })).toEqual([
      'spec.volumes[0].image.reference: Required value',
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ]);
    expect(spec({ ...fields, volumes: [{ name: 'v', image: { reference: 'r' } }] }, { ImageVolume: true })).toEqual([
      'spec.containers[0].volumeMounts[0].subPath: Invalid value: "x": not allowed in image volume sources',
    ]);
  });

  it('with a claim of their own have a valid name, and are not claimed again', () => {
    const template = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    expect(
      spec({
        volumes: [
          { name: 'a', ephemeral: { volumeClaimTemplate: template } },
          { name: 'b', persistentVolumeClaim: { claimName: 'p-a' } },
        ],
      }),
    ).toEqual([
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-a": must not reference a PVC that gets created for an ephemeral volume',
    ]);
    expect(
      volume({ ephemeral: { volumeClaimTemplate: { ...template, metadata: { name: 'x', labels: { a: 'b' } } } } }),
    ).toEqual([
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set for an ephemeral volume',
    ]);
  });

  it('of a token need an account', () => {
    const token = { projected: { sources: [{ serviceAccountToken: { path: '' } }] } };
    expect(
      problems(Pod, {
        metadata: { name: 'p', namespace: 'n' },
        spec: { containers: [c()], volumes: [{ name: 'v', ...token }] },
      }),
    ).toEqual([
      'spec.volumes[0].projected.path: Required value',
      'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    ]);
  });
});

describe('containers', () => {
  it.each<[JsonObject, string[]]>([
    [
      { resources: { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } } },
      [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    ],
    [{ resources: { limits: { 'hugepages-2Mi': '4Mi', cpu: '1' } } }, []],
    [
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } }] },
      [
        'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    ],
    [
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'requests.memory', divisor: '2Ki' } } }] },
      [
        'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      ],
    ],
    [{ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'requests.memory', divisor: '1Mi' } } }] }, []],
    [{ securityContext: { procMount: 'Unmasked' } }, []],
    [
      { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '../x' } } },
      [
        'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "../x": must not contain \'..\'',
      ],
    ],
    [
      { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: ' x' } } },
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace',
      ],
    ],
    [
      { securityContext: { appArmorProfile: { type: 'Other' } } },
      [
        'spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "Other": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
    [
      { securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c', gmsaCredentialSpec: '' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      ],
    ],
    [
      { securityContext: { windowsOptions: { runAsUserName: 'DOMAIN\\..' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "DOMAIN\\\\..": runAsUserName\'s User cannot contain only periods or spaces',
      ],
    ],
  ])('%j', (fields, expected) => expect(one(fields)).toEqual(expected));

  it('cannot unmask the processes of the node, once that feature is on', () => {
    const fields = { securityContext: { procMount: 'Unmasked' } };
    expect(one(fields, { ProcMountType: true })).toEqual([
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ]);
    const own = { hostUsers: false, containers: [c(fields)] };
    expect(spec(own, { ProcMountType: true, UserNamespacesSupport: true })).toEqual([]);
  });

  it('may have relaxed names of variables, once that feature is on', () => {
    const fields = { env: [{ name: '1 a:b' }] };
    expect(one(fields)[0]).toContain('a valid environment variable name must consist of alphabetic characters');
    expect(one(fields, { RelaxedEnvironmentVariableValidation: true })).toEqual([]);
    expect(one({ env: [{ name: 'a=b' }] }, { RelaxedEnvironmentVariableValidation: true })).toEqual([
      'spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
    ]);
  });

  it('refer to the claims of their pod', () => {
    const fields = {
      resourceClaims: [{ name: 'a', resourceClaimName: 'x' }, { name: 'b' }, { name: 'a', resourceClaimName: 'X_' }],
      containers: [c({ resources: { claims: [{ name: 'a' }, { name: 'a' }, { name: 'c' }] } })],
    };
    expect(spec(fields)).toEqual([]);
    expect(spec(fields, { DynamicResourceAllocation: true })).toEqual([
      'spec.resourceClaims[1]: Invalid value: {"name":"b"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      'spec.resourceClaims[2].name: Duplicate value: "a"',
      expect.stringContaining(
        'spec.resourceClaims[2].resourceClaimName: Invalid value: "X_": a lowercase RFC 1123 subdomain',
      ),
      'spec.containers[0].resources.claims[1]: Duplicate value: "a"',
      'spec.containers[0].resources.claims[2]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b',
    ]);
  });

  it('say what happens when they are resized, once that feature is on', () => {
    const resizePolicy = [
      { resourceName: 'cpu', restartPolicy: 'NotRequired' },
      { resourceName: 'cpu', restartPolicy: 'Sometimes' },
    ];
    expect(one({ resizePolicy })).toEqual([]);
    expect(one({ resizePolicy }, { InPlacePodVerticalScaling: true })).toEqual([
      'spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"',
      'spec.containers[0].resizePolicy: Unsupported value: "Sometimes": supported values: "NotRequired", "RestartContainer"',
    ]);
  });
});

describe('the spec', () => {
  const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
  it.each<[JsonObject, string[]]>([
    [
      {
        securityContext: {
          sysctls: [
            { name: 'net.a', value: '1' },
            { name: 'net/a', value: '1' },
            { name: 'A', value: '' },
            { name: 'net.a', value: '2' },
          ],
        },
      },
      [
        'spec.securityContext.sysctls[2].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'.replaceAll(
          '\\\\',
          '\\',
        ),
        'spec.securityContext.sysctls[3].name: Duplicate value: "net.a"',
      ],
    ],
    [
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net/ipv4.conf', value: '1' }] } },
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "net/ipv4.conf": may not be specified when \'hostNetwork\' is true',
      ],
    ],
    [
      { hostIPC: true, securityContext: { sysctls: [{ name: 'kernel.shmmax', value: '1' }] } },
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "kernel.shmmax": may not be specified when \'hostIPC\' is true',
      ],
    ],
    [
      { securityContext: { fsGroupChangePolicy: 'X' } },
      [
        'spec.securityContext.fsGroupChangePolicy: Unsupported value: "X": supported values: "Always", "OnRootMismatch"',
      ],
    ],
    [{ os: { name: 'plan9' } }, ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"']],
    [{ os: { name: '' } }, ['spec.os.name: Required value: cannot be empty']],
    [
      { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
      ['spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod'],
    ],
    [
      {
        os: { name: 'windows' },
        hostPID: true,
        securityContext: { fsGroup: 1 },
        containers: [c({ securityContext: { privileged: false } })],
      },
      [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      {
        securityContext: { windowsOptions: { hostProcess: true } },
        containers: [c(), c({ name: 'd', securityContext: { windowsOptions: { hostProcess: false } } })],
      },
      [
        'spec.containers[1].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
        'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
        'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      ],
    ],
    [
      { overhead: { 'a/b/c': '1', memory: '-1' } },
      [
        expect.stringContaining('spec.overhead.limits[a/b/c]: Invalid value: "a/b/c"') as string,
        'spec.overhead.limits[a/b/c]: Invalid value: "a/b/c": doesn\'t follow extended resource name standard',
        'spec.overhead.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
    [
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            nodeTaintsPolicy: 'X',
            matchLabelKeys: ['a', 'b'],
            labelSelector: { matchLabels: { a: 'c d' } },
          },
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['a'] },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "X": supported values: "Honor", "Ignore"',
        'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
        expect.stringContaining(
          'spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value: "c d"',
        ) as string,
        'spec.topologySpreadConstraints[1].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      ],
    ],
    [
      {
        affinity: {
          podAffinity: {
            [REQUIRED]: [
              {
                topologyKey: 'zone',
                namespaces: ['N'],
                matchLabelKeys: ['a'],
                mismatchLabelKeys: ['a'],
                labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
              },
              { topologyKey: 'zone', matchLabelKeys: ['b'] },
            ],
          },
        },
      },
      [
        `spec.affinity.podAffinity.${REQUIRED}[0].labelSelector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator`,
        expect.stringContaining(
          `spec.affinity.podAffinity.${REQUIRED}[0].namespace: Invalid value: "N": a lowercase RFC 1123 label`,
        ) as string,
        `spec.affinity.podAffinity.${REQUIRED}[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys`,
        `spec.affinity.podAffinity.${REQUIRED}[1].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
      ],
    ],
    [
      {
        affinity: {
          nodeAffinity: {
            [REQUIRED]: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['A_'] }] }],
            },
          },
        },
      },
      [
        expect.stringContaining(
          `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchFields[0].values[0]: Invalid value: "A_": a lowercase RFC 1123 subdomain`,
        ) as string,
      ],
    ],
    [
      { dnsPolicy: 'None', dnsConfig: { searches: ['A_'] } },
      ['spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None'],
    ],
  ])('%j', (fields, expected) => expect(spec(fields)).toEqual(expected));

  it('cannot share namespaces of the node with users of its own', () => {
    const fields = { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true };
    expect(spec(fields)).toEqual([]);
    expect(spec(fields, { UserNamespacesSupport: true })).toEqual([
      'spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false',
      'spec.HostPID: Forbidden: when `pod.Spec.HostUsers` is false',
      'spec.HostIPC: Forbidden: when `pod.Spec.HostUsers` is false',
    ]);
  });
});

describe('annotations', () => {
  const annotated = (annotations: JsonObject, fields: JsonObject = {}): string[] =>
    problems(Pod, pod(fields, annotations), kubernetes);
  const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
  const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';

  it.each<[JsonObject, JsonObject, string[]]>([
    [
      { 'kubernetes.io/config.mirror': 'x' },
      {},
      [
        'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      ],
    ],
    [
      { 'controller.kubernetes.io/pod-deletion-cost': '+1' },
      {},
      [
        'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      ],
    ],
    [{ 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' }, {}, []],
    [{ [SECCOMP]: 'x' }, {}, [`metadata.annotations.${SECCOMP}: Invalid value: "x": must be a valid seccomp profile`]],
    [
      { [SECCOMP]: 'localhost//x' },
      {},
      [`metadata.annotations.${SECCOMP}: Invalid value: "/x": must be a relative path`],
    ],
    [
      { [SECCOMP]: 'unconfined' },
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      ['spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match'],
    ],
    [
      { [APP_ARMOR]: 'localhost/a' },
      { containers: [c({ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'b' } } })] },
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match',
      ],
    ],
    [
      { 'container.apparmor.security.beta.kubernetes.io/other': 'x' },
      {},
      [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "other": container not found',
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "x": invalid AppArmor profile name: "x"',
      ],
    ],
  ])('%j', (annotations, fields, expected) => expect(annotated(annotations, fields)).toEqual(expected));

  it('with AppArmor profiles and fields are kept in step', () => {
    const profile = { type: 'Localhost', localhostProfile: 'a' };
    const fromField = create(
      Pod,
      pod({ containers: [c({ securityContext: { appArmorProfile: profile } })] }),
      kubernetes,
    );
    expect(fromField.metadata.annotations).toEqual({ [APP_ARMOR]: 'localhost/a' });
    const fromAnnotation = create(Pod, pod({}, { [APP_ARMOR]: 'localhost/a' }), kubernetes);
    expect(fromAnnotation).toMatchObject({ spec: { containers: [{ securityContext: { appArmorProfile: profile } }] } });
    const ofPod = create(Pod, pod({ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }), kubernetes);
    expect(ofPod.metadata.annotations).toEqual({ [APP_ARMOR]: 'runtime/default' });
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'added',
      {},
      { [APP_ARMOR]: 'unconfined' },
      [`metadata.annotations[${APP_ARMOR}]: Forbidden: may not add AppArmor annotations`],
    ],
    [
      'changed',
      { 'kubernetes.io/config.mirror': 'a' },
      { 'kubernetes.io/config.mirror': 'b' },
      ['metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation'],
    ],
    ['of any other meaning', { a: '1' }, { a: '2', b: '1' }, []],
  ])('that are %s', (_, before, after, expected) => {
    const old = create(Pod, pod({ nodeName: 'n' }, before), kubernetes);
    const object = changed(old, { 'metadata.annotations': after });
    const context = contextOf(kubernetes);
    atOnce(Pod.strategy?.prepareForUpdate?.(object, old as never, context));
    expect(texts(Pod.strategy?.validateUpdate?.(freeze(object) as never, old as never, context))).toEqual(expected);
  });
});

describe('a value that older releases allowed', () => {
  const update = (before: JsonObject, change: JsonObject): string[] => {
    const old = create(Pod, pod(before), kubernetes);
    const object = changed(old, change as never);
    const context = contextOf(kubernetes);
    atOnce(Pod.strategy?.prepareForUpdate?.(object, old as never, context));
    return texts(Pod.strategy?.validateUpdate?.(freeze(object) as never, old as never, context));
  };
  it.each<[string, JsonObject]>([
    ['parts of huge pages', { containers: [c({ resources: { limits: { 'hugepages-2Mi': '1Mi', cpu: '1' } } })] }],
    [
      'a selector of a constraint',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { a: '-' } },
          },
        ],
      },
    ],
    [
      'kernel parameters of the node',
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a', value: '1' }] } },
    ],
    [
      'a token outside of its volume',
      {
        volumes: [
          { name: 'v', projected: { sources: [{ serviceAccountToken: { path: '../x', expirationSeconds: 600 } }] } },
        ],
      },
    ],
    ['a relaxed name of a variable', { containers: [c({ env: [{ name: '1 2' }] })] }],
  ])('stays: %s', (_, fields) => {
    expect(spec(fields)).not.toEqual([]);
    expect(update(fields, { 'spec.containers.0.image': 'new' })).toEqual([]);
  });
});

describe('a pod with scheduling gates', () => {
  const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
  const term = (...keys: string[]): JsonObject => ({
    matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })),
  });
  const affinity = (...terms: JsonObject[]): JsonObject => ({
    nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: terms } },
  });
  const update = (before: JsonObject, change: JsonObject): string[] => {
    const old = create(Pod, pod({ schedulingGates: [{ name: 'example.com/g' }], ...before }), kubernetes);
    const object = changed(old, change as never);
    return texts(Pod.strategy?.validateUpdate?.(freeze(object) as never, old as never, contextOf(kubernetes)));
  };

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['may get a selector of nodes', {}, { 'spec.nodeSelector': { a: 'b' } }, []],
    [
      'may not change a selector of nodes',
      { nodeSelector: { a: 'b' } },
      { 'spec.nodeSelector': { a: 'c' } },
      [
        'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    ['may get an affinity to nodes', {}, { 'spec.affinity': affinity(term('a')) }, []],
    [
      'may get further requirements',
      { affinity: affinity(term('a')) },
      { 'spec.affinity': affinity(term('a', 'b')) },
      [],
    ],
    [
      'may not lose a requirement',
      { affinity: affinity(term('a', 'b')) },
      { 'spec.affinity': affinity(term('a')) },
      [
        `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0]: Invalid value: {"matchExpressions":[{"key":"a","operator":"Exists"}]}: only additions are allowed (no mutations or deletions)`,
      ],
    ],
    [
      'may not get a further term',
      { affinity: affinity(term('a')) },
      { 'spec.affinity': affinity(term('a'), term('b')) },
      [expect.stringContaining(`spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms: Invalid value`) as string],
    ],
    [
      'may not get an affinity to pods',
      {},
      { 'spec.affinity': { podAffinity: {} } },
      [expect.stringContaining('spec: Forbidden: pod updates may not change fields other than') as string],
    ],
  ])('%s', (_, before, change, expected) => expect(update(before, change)).toEqual(expected));
});

describe('a status', () => {
  const status = (before: JsonObject, after: JsonObject, fields: JsonObject = {}, gates: Gates = {}): string[] => {
    const old = freeze(
      changed(create(Pod, pod(fields), kubernetes, gates), { status: { qosClass: 'BestEffort', ...before } }),
    );
    const object = changed(old as never, { status: after });
    const strategy = subresourceStrategy(Pod, 'status');
    const context = contextOf(kubernetes, gates);
    atOnce(strategy.prepareForUpdate(object, old as never, context));
    return texts(strategy.validateUpdate?.(freeze(object) as never, old as never, context));
  };
  const terminated = (exitCode: number): JsonObject => ({ name: 'i', state: { terminated: { exitCode } } });
  const running: JsonObject = { name: 'i', state: { running: {} } };

  it.each<[string, JsonObject, JsonObject, JsonObject, string[]]>([
    [
      'with a condition of an invalid type',
      {},
      { conditions: [{ type: 'a b', status: 'True' }] },
      {},
      [expect.stringContaining('metadata.conditions[0].Type: Invalid value: "a b"') as string],
    ],
    [
      'with an init container that starts again',
      { initContainerStatuses: [terminated(0)] },
      { initContainerStatuses: [running] },
      { restartPolicy: 'Never', initContainers: [c({ name: 'i' })] },
      ['status.initContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    [
      'with a sidecar that starts again',
      { initContainerStatuses: [terminated(0)] },
      { initContainerStatuses: [running] },
      { restartPolicy: 'Never', initContainers: [c({ name: 'i', restartPolicy: 'Always' })] },
      [],
    ],
    [
      'with an ephemeral container that starts again',
      { ephemeralContainerStatuses: [terminated(1)] },
      { ephemeralContainerStatuses: [running] },
      {},
      [],
    ],
    [
      'with two equal addresses',
      {},
      { podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] },
      {},
      [
        'status.podIPs: Invalid value: [{"ip":"1.1.1.1"},{"ip":"1.1.1.1"}]: may specify no more than one IP for each IP family',
        'status.podIPs[1]: Duplicate value: {"ip":"1.1.1.1"}',
      ],
    ],
    [
      'with another first address of the node',
      {},
      { hostIP: '1.1.1.1', hostIPs: [{ ip: '2.2.2.2' }] },
      {},
      ['status.hostIPs[0].ip: Invalid value: "2.2.2.2": must be equal to `hostIP`'],
    ],
  ])('%s', (name, before, after, fields, expected) => {
    const found = status(before, after, fields);
    if (name.includes('ephemeral'))
      expect(found).toEqual([
        'status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
      ]);
    else expect(found).toEqual(expected);
  });

  it('has no fields of disabled features', () => {
    const old = create(Pod, pod({}), kubernetes);
    const sent = {
      resize: 'Proposed',
      containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' }, user: { linux: { uid: -1, gid: 0 } } }],
    };
    const written = (gates: Gates): unknown => {
      const object = changed(old, { status: sent });
      atOnce(subresourceStrategy(Pod, 'status').prepareForUpdate(object, old as never, contextOf(kubernetes, gates)));
      return (object as JsonObject)['status'];
    };
    expect(written({})).toMatchObject({ containerStatuses: [{ name: 'c' }], qosClass: 'BestEffort' });
    expect(JSON.stringify(written({}))).not.toMatch(/resize|allocated|user/);
    expect(written({ InPlacePodVerticalScaling: true })).toMatchObject({ resize: 'Proposed' });
    expect(status({}, sent, {}, { SupplementalGroupsPolicy: true })).toEqual([
      'status.containerStatuses[0].linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ]);
  });

  it('of claims names the claims of the pod', () => {
    const gates = { DynamicResourceAllocation: true };
    const fields = { resourceClaims: [{ name: 'a', resourceClaimName: 'x' }] };
    expect(status({}, { resourceClaimStatuses: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }, fields, gates)).toEqual(
      [
        'status.resourceClaimStatuses[1].name: Invalid value: "b": must match the name of an entry in `spec.resourceClaims`',
        'status.resourceClaimStatuses[2].name: Duplicate value: "a"',
      ],
    );
  });
});

it('a mirror pod gets no ephemeral containers', () => {
  const old = create(Pod, pod({ nodeName: 'n' }, { 'kubernetes.io/config.mirror': 'x' }), kubernetes);
  const object = changed(old, { 'spec.ephemeralContainers': [{ name: 'd', image: 'd' }] });
  const strategy = subresourceStrategy(Pod, 'ephemeralcontainers');
  atOnce(strategy.prepareForUpdate(object, old as never, contextOf(kubernetes)));
  expect(texts(strategy.validateUpdate?.(freeze(object) as never, old as never, contextOf(kubernetes)))).toEqual([
    'Forbidden: static pods do not support ephemeral containers',
  ]);
});
