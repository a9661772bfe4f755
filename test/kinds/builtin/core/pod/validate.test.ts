import { atOnce } from '../../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/foundation/json/json.js';
import { Pod } from '../../../../../src/kinds/builtin/index.js';
import {
  changed,
  context,
  create,
  freeze,
  orch,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
  type Changes,
  type Gates,
} from '../../support.js';
import { manifest } from './manifest.js';

await Pod.prepare?.();

const c = (fields: JsonObject = {}): JsonObject => ({ name: 'c', image: 'i', ...fields });
/** The errors of a pod with one container, or with these fields instead. */
const spec = (fields: JsonObject, gates: Gates = {}): string[] =>
  problems(Pod, { metadata: { name: 'p', namespace: 'n' }, spec: { containers: [c()], ...fields } }, orch, gates);
const one = (fields: JsonObject): string[] => spec({ containers: [c(fields)] });

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

it('a valid pod has no errors, even frozen', () => {
  expect(problems(Pod, manifest)).toEqual([]);
});

describe('containers', () => {
  it.each<[string, JsonObject, string[]]>([
    ['none', { containers: [] }, ['spec.containers: Required value']],
    ['no name', { containers: [{ image: 'i' }] }, ['spec.containers[0].name: Required value']],
    ['an invalid name', { containers: [c({ name: 'A' })] }, [`spec.containers[0].name: Invalid value: "A": ${LABEL}`]],
    ['no image', { containers: [{ name: 'c' }] }, ['spec.containers[0].image: Required value']],
    [
      'space around the image',
      { containers: [c({ image: ' i' })] },
      ['spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace'],
    ],
    ['a duplicate name', { containers: [c(), c()] }, ['spec.containers[1].name: Duplicate value: "c"']],
    ['the name of an init container', { initContainers: [c()] }, ['spec.initContainers[0].name: Duplicate value: "c"']],
    [
      'an unknown pull policy',
      { containers: [c({ imagePullPolicy: 'Sometimes' })] },
      [
        'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      'an unknown message policy',
      { containers: [c({ terminationMessagePolicy: 'X' })] },
      [
        'spec.containers[0].terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
      ],
    ],
    [
      'a restart policy',
      { containers: [c({ restartPolicy: 'Always' })] },
      ['spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers'],
    ],
    [
      'a restart policy of an init container',
      { initContainers: [c({ name: 'i', restartPolicy: 'Never' })] },
      ['spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      'a probe of an init container',
      { initContainers: [c({ name: 'i', livenessProbe: { exec: { command: ['a'] } } })] },
      [
        'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'a sidecar with a probe',
      { initContainers: [c({ name: 'i', restartPolicy: 'Always', livenessProbe: { exec: { command: ['a'] } } })] },
      [],
    ],
    [
      'ephemeral containers',
      { ephemeralContainers: [c({ name: 'e' })] },
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'forbidden fields of an ephemeral container',
      { ephemeralContainers: [c({ name: 'e', targetContainerName: 'x', ports: [{ containerPort: 1 }] })] },
      [
        'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
  ])('%s', (_name, fields, expected) => expect(spec(fields)).toEqual(expected));
});

describe('ports', () => {
  it.each<[string, JsonObject[], string[]]>([
    ['no number', [{ name: 'http' }], ['spec.containers[0].ports[0].containerPort: Required value']],
    [
      'out of range',
      [{ containerPort: 65536 }],
      ['spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive'],
    ],
    [
      'a name that is too long',
      [{ containerPort: 1, name: 'abcdefghijklmnop' }],
      ['spec.containers[0].ports[0].name: Invalid value: "abcdefghijklmnop": must be no more than 15 characters'],
    ],
    [
      'a name without a letter',
      [{ containerPort: 1, name: '80' }],
      ['spec.containers[0].ports[0].name: Invalid value: "80": must contain at least one letter (a-z)'],
    ],
    [
      'a duplicate name',
      [
        { containerPort: 1, name: 'a' },
        { containerPort: 2, name: 'a' },
      ],
      ['spec.containers[0].ports[1].name: Duplicate value: "a"'],
    ],
    [
      'a duplicate host port',
      [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 2, hostPort: 9 },
      ],
      ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//9"'],
    ],
    [
      'a protocol',
      [{ containerPort: 1, protocol: 'ICMP' }],
      ['spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
    ],
  ])('%s', (_name, ports, expected) => expect(one({ ports })).toEqual(expected));

  it('host ports in the host network', () => {
    expect(spec({ hostNetwork: true, containers: [c({ ports: [{ containerPort: 80, hostPort: 81 }] })] })).toEqual([
      'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
    ]);
  });
});

describe('environment', () => {
  const NAME =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
  const at = 'spec.containers[0].env[0]';
  it.each<[string, JsonObject, string[]]>([
    ['no name', {}, [`${at}.name: Required value`]],
    ['an invalid name', { name: '1A' }, [`${at}.name: Invalid value: "1A": ${NAME}`]],
    [
      'no source',
      { name: 'A', valueFrom: {} },
      [
        `${at}.valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
      ],
    ],
    [
      'a value and a source',
      { name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      [`${at}.valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
    ],
    [
      'two sources',
      { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' }, fieldRef: { fieldPath: 'metadata.name' } } },
      [`${at}.valueFrom: Invalid value: "": may not have more than one field specified at a time`],
    ],
    [
      'no key',
      { name: 'A', valueFrom: { configMapKeyRef: { name: 's' } } },
      [`${at}.valueFrom.configMapKeyRef.key: Required value`],
    ],
    [
      'a field that does not exist',
      { name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } },
      [
        `${at}.valueFrom.fieldRef.fieldPath: Invalid value: "spec.nope": error converting fieldPath: field label not supported: spec.nope`,
      ],
    ],
    [
      'a field that variables cannot reference',
      { name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
      [
        expect.stringMatching(
          /^spec\.containers\[0\]\.env\[0\]\.valueFrom\.fieldRef\.fieldPath: Unsupported value: "status\.phase": supported values: "metadata\.name", /,
        ),
      ],
    ],
    ['one annotation', { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['a.b/c']" } } }, []],
    [
      'an amount',
      { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } },
      [
        expect.stringContaining(
          'resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory"',
        ),
      ],
    ],
  ])('%s', (_name, variable, expected) => expect(one({ env: [variable] })).toEqual(expected));

  it('from whole objects', () => {
    expect(one({ envFrom: [{}, { secretRef: {} }] })).toEqual([
      'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      'spec.containers[0].envFrom[1].secretRef.name: Required value',
    ]);
  });
});

describe('volumes', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'two sources',
      { name: 'v', emptyDir: {}, hostPath: { path: '/' } },
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    ['an invalid name', { name: 'V', emptyDir: {} }, [`spec.volumes[0].name: Invalid value: "V": ${LABEL}`]],
    [
      'a mode',
      { name: 'v', secret: { secretName: 's', defaultMode: 512 } },
      [
        'spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      ],
    ],
    [
      'no claim',
      { name: 'v', persistentVolumeClaim: {} },
      ['spec.volumes[0].persistentVolumeClaim.claimName: Required value'],
    ],
    [
      'a path with ..',
      { name: 'v', configMap: { name: 'm', items: [{ key: 'k', path: '../x' }] } },
      ['spec.volumes[0].configMap.items[0].path: Invalid value: "../x": must not contain \'..\''],
    ],
    [
      'a path that starts with dots',
      { name: 'v', configMap: { name: 'm', items: [{ key: 'k', path: '..x' }] } },
      ['spec.volumes[0].configMap.items[0].path: Invalid value: "..x": must not start with \'..\''],
    ],
    [
      'an absolute path',
      { name: 'v', configMap: { name: 'm', items: [{ key: 'k', path: '/x' }] } },
      ['spec.volumes[0].configMap.items[0].path: Invalid value: "/x": must be a relative path'],
    ],
    [
      'an unknown host path type',
      { name: 'v', hostPath: { path: '/x', type: 'Y' } },
      [
        'spec.volumes[0].hostPath.type: Unsupported value: "Y": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      'a token that expires too soon',
      { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 599 } }] } },
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      ],
    ],
    [
      'two sources in one projection',
      { name: 'v', projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'm' } }] } },
      ['spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source'],
    ],
    [
      'the same file from two projections',
      {
        name: 'v',
        projected: {
          sources: [
            { serviceAccountToken: { path: 't' } },
            { secret: { name: 's', items: [{ key: 'k', path: 't' }] } },
          ],
        },
      },
      ['spec.volumes[0].projected: Invalid value: "s": conflicting duplicate paths'],
    ],
    [
      'trust bundles with invalid names',
      {
        name: 'v',
        projected: {
          sources: [
            { clusterTrustBundle: { name: 'a_b', path: 'a' } },
            { clusterTrustBundle: { name: 'example.com:s:c', path: 'b' } },
            { clusterTrustBundle: { name: ':c', path: 'c' } },
            { clusterTrustBundle: { signerName: 'example', path: 'd' } },
          ],
        },
      },
      [
        expect.stringMatching(
          /^spec\.volumes\[0\]\.projected\.sources\[0\]\.clusterTrustBundle\.name: Invalid value: "a_b": not a valid clustertrustbundlename: a lowercase RFC 1123 subdomain/,
        ),
        'spec.volumes[0].projected.sources[2].clusterTrustBundle.name: Invalid value: ":c": not a valid clustertrustbundlename: ClusterTrustBundle without signer name must not have ":" in its name',
        'spec.volumes[0].projected.sources[3].clusterTrustBundle.signerName: Invalid value: "example": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    ],
    [
      'a trust bundle without a name',
      { name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'ca' } }] } },
      [
        'spec.volumes[0].projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified',
      ],
    ],
  ])('%s', (_name, volume, expected) =>
    expect(spec({ serviceAccountName: 'a', volumes: [volume] }, { ClusterTrustBundleProjection: true })).toEqual(
      expected,
    ),
  );

  it('are mounted by name', () => {
    const mounts = (volumeMounts: JsonObject[]) =>
      spec({ volumes: [{ name: 'v', emptyDir: {} }], containers: [c({ volumeMounts })] });
    expect(mounts([{ name: 'w', mountPath: '/a' }])).toEqual([
      'spec.containers[0].volumeMounts[0].name: Not found: "w"',
    ]);
    expect(
      mounts([
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/a' },
      ]),
    ).toEqual(['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique']);
    expect(mounts([{ name: 'v' }])).toEqual(['spec.containers[0].volumeMounts[0].mountPath: Required value']);
    expect(mounts([{ name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' }])).toEqual([
      'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
    ]);
    expect(mounts([{ name: 'v', mountPath: '/a', subPath: '../b' }])).toEqual([
      'spec.containers[0].volumeMounts.subPath: Invalid value: "../b": must not contain \'..\'',
    ]);
  });
});

describe('resources', () => {
  const at = 'spec.containers[0].resources';
  it.each<[string, JsonObject, string[]]>([
    [
      'a request above its limit',
      { limits: { cpu: '1' }, requests: { cpu: '2' } },
      [`${at}.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
    ],
    ['a request equal to its limit in another unit', { limits: { memory: '1Gi' }, requests: { memory: '1024Mi' } }, []],
    [
      'a negative amount',
      { limits: { cpu: '-1' }, requests: { cpu: '-1' } },
      [
        `${at}.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
        `${at}.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
      ],
    ],
    [
      'a name without a domain',
      { limits: { gpu: '1' } },
      expect.arrayContaining([
        `${at}.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified`,
        `${at}.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers`,
      ]) as string[],
    ],
    [
      'a device without a limit',
      { requests: { 'example.com/gpu': '1' } },
      [`${at}.limits: Required value: Limit must be set for non overcommitable resources`],
    ],
    [
      'a fraction of a device',
      { limits: { 'example.com/gpu': '500m' } },
      [
        `${at}.limits[example.com/gpu]: Invalid value: "500m": must be an integer`,
        `${at}.requests[example.com/gpu]: Invalid value: "500m": must be an integer`,
      ],
    ],
    ['huge pages only', { limits: { 'hugepages-2Mi': '2Mi' } }, [`${at}: Forbidden: HugePages require cpu or memory`]],
  ])('%s', (_name, resources, expected) => expect(one({ resources })).toEqual(expected));
});

describe('probes and hooks', () => {
  const at = 'spec.containers[0]';
  it.each<[string, JsonObject, string[]]>([
    ['no handler', { livenessProbe: {} }, [`${at}.livenessProbe: Required value: must specify a handler type`]],
    [
      'two handlers',
      { livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } },
      [`${at}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`],
    ],
    ['no command', { readinessProbe: { exec: {} } }, [`${at}.readinessProbe.exec.command: Required value`]],
    [
      'an invalid port',
      { readinessProbe: { tcpSocket: { port: 0 } } },
      [`${at}.readinessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
    ],
    [
      'a scheme',
      { readinessProbe: { httpGet: { port: 1, scheme: 'FTP' } } },
      [`${at}.readinessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`],
    ],
    [
      'a negative delay',
      { startupProbe: { exec: { command: ['a'] }, initialDelaySeconds: -1 } },
      [`${at}.startupProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'a success threshold of two for a liveness probe',
      { livenessProbe: { exec: { command: ['a'] }, successThreshold: 2 } },
      [`${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
    ],
    [
      'a grace period for a readiness probe',
      { readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 1 } },
      [`${at}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`],
    ],
    [
      'a sleep beyond the grace period',
      { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
      [
        `${at}.lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and less than terminationGracePeriodSeconds (30)`,
      ],
    ],
  ])('%s', (_name, fields, expected) => expect(one(fields)).toEqual(expected));
});

describe('other fields of the spec', () => {
  it.each<[JsonObject, string[]]>([
    [
      { restartPolicy: 'X' },
      ['spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      { dnsPolicy: 'X' },
      [
        'spec.dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      ],
    ],
    [{ dnsPolicy: 'None' }, ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None']],
    [
      { dnsConfig: { nameservers: ['1.2.3'] } },
      [
        'spec.dnsConfig.nameservers[0]: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      { activeDeadlineSeconds: 0 },
      ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
    [{ hostname: 'A' }, [`spec.hostname: Invalid value: "A": ${LABEL}`]],
    [
      { tolerations: [{ operator: 'Equal' }] },
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      { tolerations: [{ key: 'a', effect: 'X' }] },
      [
        'spec.tolerations[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      { tolerations: [{ key: 'a', tolerationSeconds: 1 }] },
      ['spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set'],
    ],
    [
      { securityContext: { runAsUser: -1 } },
      ['spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ],
    [{ schedulingGates: [{ name: 'a' }, { name: 'a' }] }, ['spec.schedulingGates[1]: Duplicate value: "a"']],
    [
      { schedulingGates: [{ name: 'a' }], nodeName: 'n' },
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }] },
      ['spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than 0'],
    ],
    [
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    ],
    [
      { preemptionPolicy: 'X' },
      ['spec.preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"'],
    ],
  ])('%j', (fields, expected) => expect(spec(fields)).toEqual(expected));
});

describe('updates', () => {
  const old = create(Pod, {
    metadata: { name: 'p', namespace: 'n' },
    spec: {
      ...manifest.spec,
      nodeName: 'a',
      activeDeadlineSeconds: 60,
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
    },
  });

  it.each<[string, Changes, (string | RegExp)[]]>([
    ['nothing', {}, []],
    ['an image', { 'spec.containers.0.image': 'new', 'spec.initContainers.0.image': 'new' }, []],
    ['an earlier deadline', { 'spec.activeDeadlineSeconds': 30 }, []],
    [
      'a later deadline',
      { 'spec.activeDeadlineSeconds': 90 },
      ['spec.activeDeadlineSeconds: Invalid value: 90: must be less than or equal to previous value'],
    ],
    [
      'a removed deadline',
      { 'spec.activeDeadlineSeconds': undefined },
      ['spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value'],
    ],
    [
      'an added toleration, and a longer one',
      {
        'spec.tolerations': [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }, { key: 'l' }],
      },
      [],
    ],
    [
      'a removed toleration',
      { 'spec.tolerations': [] },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'an added container',
      {
        'spec.containers.1': {
          name: 'd',
          image: 'd',
          imagePullPolicy: 'Always',
          terminationMessagePolicy: 'File',
        },
      },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'an added gate',
      { 'spec.schedulingGates': [{ name: 'x' }] },
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'"],
    ],
    [
      'the node',
      { 'spec.nodeName': 'b' },
      [
        /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,`spec\.initContainers\[\*\]\.image`,`spec\.activeDeadlineSeconds`,`spec\.tolerations` \(only additions to existing tolerations\),`spec\.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)\n  core\.PodSpec\{\n- \tnodeName: "a",\n\+ \tnodeName: "b",\n {2}\}\n$/,
      ],
    ],
    ['the status', { status: { phase: 'Failed' } }, []],
  ])('of %s', (_name, change, expected) => {
    expect(updateProblems(Pod, old, change)).toEqual(
      expected.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
    );
  });

  it('of the status keep the spec, the class and the owners', () => {
    const status = subresourceStrategy(Pod, 'status');
    const object = changed(old, { spec: {}, status: { phase: 'Running' }, 'metadata.ownerReferences': [] });
    atOnce(status.prepareForUpdate(object, old, context));
    expect(object).toMatchObject({ spec: { nodeName: 'a' }, status: { phase: 'Running', qosClass: 'Burstable' } });
    expect(object.metadata).not.toHaveProperty('ownerReferences');
    expect(texts(status?.validateUpdate?.(freeze(object) as typeof old, old, context))).toEqual([]);
  });

  it('of the status cannot restart terminated containers', () => {
    const status = subresourceStrategy(Pod, 'status');
    const before = freeze(
      changed(old, {
        'spec.restartPolicy': 'Never',
        'status.containerStatuses': [{ name: 'web', state: { terminated: { exitCode: 1 } } }],
      }),
    ) as typeof old;
    const after = freeze(
      changed(before, {
        'status.containerStatuses': [{ name: 'web', state: { running: {} } }],
        'status.qosClass': 'BestEffort',
      }),
    ) as typeof old;
    expect(texts(status?.validateUpdate?.(after, before, context))).toEqual([
      'status.qosClass: Invalid value: "BestEffort": field is immutable',
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
  });

  it('of ephemeral containers can only add', () => {
    const ephemeral = subresourceStrategy(Pod, 'ephemeralcontainers');
    const added = changed(old, {
      'spec.ephemeralContainers': [
        { name: 'e', image: 'busybox', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
      ],
      'spec.nodeName': 'z',
      'metadata.labels': { x: 'y' },
    });
    atOnce(ephemeral.prepareForUpdate(added, old, context));
    expect(added).toMatchObject({
      spec: { nodeName: 'a', ephemeralContainers: [{ name: 'e' }] },
      metadata: { resourceVersion: '7' },
    });
    expect(added.metadata.labels).toBeUndefined();
    const before = freeze(added) as typeof old;
    expect(texts(ephemeral.validateUpdate?.(before, old, context))).toEqual([]);
    expect(texts(ephemeral.validateUpdate?.(old, before, context))).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
    ]);
  });
});

describe('deletion', () => {
  const grace = (specFields: JsonObject, statusFields: JsonObject, requested?: number) =>
    Pod.strategy?.gracePeriodSeconds?.(
      freeze({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {},
        spec: { containers: [], ...specFields },
        status: statusFields,
      }),
      requested,
    );
  it.each<[JsonObject, JsonObject, number | undefined, number]>([
    [{ nodeName: 'n', terminationGracePeriodSeconds: 10 }, {}, undefined, 10],
    [{ nodeName: 'n', terminationGracePeriodSeconds: 10 }, {}, 3, 3],
    [{ nodeName: 'n' }, {}, undefined, 30],
    [{ nodeName: 'n' }, {}, -5, 1],
    [{}, {}, 3, 0],
    [{ nodeName: 'n' }, { phase: 'Succeeded' }, 3, 0],
    [{ nodeName: 'n' }, { phase: 'Failed' }, undefined, 0],
  ])('of %j with %j and %s requested waits %i', (specFields, status, requested, expected) => {
    expect(grace(specFields, status, requested)).toBe(expected);
  });
});

it('warns of names that are no DNS labels, on creation only', () => {
  const pod = create(Pod, { ...manifest, metadata: { name: 'a.b', namespace: 'n' } });
  expect(atOnce(Pod.strategy?.warnings?.(pod, undefined, context))).toEqual([
    expect.stringMatching(/^metadata\.name: this is used in the Pod's hostname, .*\[must not contain dots\]$/),
  ]);
  expect(atOnce(Pod.strategy?.warnings?.(pod, pod, context))).toEqual([]);
});
