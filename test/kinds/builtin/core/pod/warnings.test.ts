import { expect, it } from 'vitest';
import type { PodSpec } from '../../../../../src/kinds/builtin/core/pod/types.js';
import type { Dialect } from '../../../../../src/foundation/dialect/dialect.js';
import { atOnce } from '../../../../../src/foundation/work/work.js';
import { podWarnings } from '../../../../../src/kinds/builtin/core/pod/warnings/warnings.js';
import { kubernetes, orch } from '../../support.js';

const found = (pod: Parameters<typeof podWarnings>[0]): string[] => [...atOnce(podWarnings(pod, undefined))];
const of = (spec: object, annotations: Record<string, string> = {}, dialect: Dialect = kubernetes): string[] =>
  found({ spec: { containers: [{ name: 'c' }], ...spec } as PodSpec, annotations, dialect });
const one = (container: object): string[] => of({ containers: [{ name: 'c', ...container }] });
const volume = (source: object): string[] => of({ volumes: [{ name: 'v', ...source }] });

it.each([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
])('the label %s of nodes is deprecated wherever a pod names it', (key, text) => {
  const matchExpressions = [{ key: 'other' }, { key }];
  expect(
    of({
      nodeSelector: { [key]: 'v' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions } }],
        },
      },
      topologySpreadConstraints: [{ topologyKey: key, labelSelector: {} }],
    }),
  ).toEqual([
    `spec.nodeSelector[${key}]: ${text}`,
    `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].key: ${key} is ${text}`,
    `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key: ${key} is ${text}`,
    `spec.topologySpreadConstraints[0].topologyKey: ${key} is ${text}`,
  ]);
});

it('selectors that are missing select nothing', () => {
  const text = 'a null labelSelector results in matching no pod';
  const terms = {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }],
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
  };
  expect(
    of({
      affinity: { podAffinity: terms, podAntiAffinity: terms },
      topologySpreadConstraints: [{ topologyKey: 'a' }],
    }),
  ).toEqual([
    `spec.topologySpreadConstraints[0].labelSelector: ${text}`,
    ...['podAffinity', 'podAntiAffinity'].flatMap((side) => [
      `spec.affinity.${side}.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: ${text}`,
      `spec.affinity.${side}.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: ${text}`,
    ]),
  ]);
});

it.each([
  ['critical-pod', 'scheduler.alpha', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['sysctls', 'security.alpha', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['unsafe-sysctls', 'security.alpha', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['pod', 'seccomp.security.alpha', 'non-functional in v1.27+; use the "seccompProfile" field instead'],
  ['c', 'container.seccomp.security.alpha', 'non-functional in v1.27+; use the "seccompProfile" field instead'],
])('the annotation %s of %s has no effect, in the domain of each dialect', (name, prefix, text) => {
  for (const dialect of [kubernetes, orch]) {
    const key = `${prefix}.${dialect.labelDomain}/${name}`;
    expect(of({}, { [key]: 'v' }, dialect)).toEqual([`metadata.annotations[${key}]: ${text}`]);
  }
});

it('annotations with profiles are fine beside the fields', () => {
  const annotations = {
    'seccomp.security.alpha.kubernetes.io/pod': 'v',
    'container.seccomp.security.alpha.kubernetes.io/c': 'v',
  };
  const securityContext = { seccompProfile: { type: 'Unconfined' } };
  expect(of({ securityContext, containers: [{ name: 'c', securityContext }] }, annotations)).toEqual([]);
});

it('an annotation with an AppArmor profile is deprecated in templates', () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/c';
  const template = (spec: object): string[] =>
    found({
      path: 'template',
      spec: { containers: [{ name: 'c' }], ...spec } as PodSpec,
      annotations: { [key]: 'v' },
      dialect: kubernetes,
    });
  expect(template({})).toEqual([
    `template.metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
  ]);
  expect(template({ securityContext: { appArmorProfile: { type: 'Unconfined' } } })).toEqual([]);
  expect(of({}, { [key]: 'v' })).toEqual([]);
});

it.each([
  ['photonPersistentDisk', 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo: deprecated in v1.11'],
  ['scaleIO', 'scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker: deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd: deprecated in v1.28, non-functional in v1.31+'],
])('volumes of the type %s are deprecated', (type, text) => {
  expect(volume({ [type]: {} })).toEqual([`spec.volumes[0].${text}`]);
});

it('files of projected volumes collide with tokens', () => {
  const items = [{ key: 'k', path: 'token' }];
  expect(
    volume({
      projected: {
        sources: [
          { serviceAccountToken: { path: 'token' } },
          { configMap: { items } },
          { secret: { items } },
          { downwardAPI: { items } },
          { clusterTrustBundle: { path: 'token' } },
        ],
      },
    }),
  ).toEqual(
    ['configMap[0]', 'secrets[0]', 'downwardAPI[0]', 'ClusterTrustBundle'].map(
      (source) => `spec.volumes[0].projected.sources.${source}: has duplicated path with ServiceAccountToken "token"`,
    ),
  );
  expect(volume({ projected: { sources: [{ configMap: { items } }] } })).toEqual([]);
});

it('amounts of bytes are whole', () => {
  const text = (amount: string): string => `fractional byte value "${amount}" is invalid, must be an integer`;
  expect(
    one({ resources: { limits: { memory: '1500m', cpu: '1500m' }, requests: { 'ephemeral-storage': '100m' } } }),
  ).toEqual([
    `spec.containers[0].resources.limits[memory]: ${text('1500m')}`,
    `spec.containers[0].resources.requests[ephemeral-storage]: ${text('100m')}`,
  ]);
  expect(of({ overhead: { memory: '1.5' } })).toEqual([`spec.overhead[memory]: ${text('1500m')}`]);
  expect(one({ resources: { limits: { memory: '1000m' }, requests: { memory: '1Mi' } } })).toEqual([]);
  const resources = { requests: { storage: '0.5' }, limits: { storage: '1' } };
  expect(volume({ ephemeral: { volumeClaimTemplate: { spec: { resources } } } })).toEqual([
    `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: ${text('500m')}`,
  ]);
});

it('variables hide earlier ones, unless they refer to them', () => {
  const hides = 'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply';
  expect(
    one({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    }),
  ).toEqual([hides]);
  expect(
    one({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A)' },
      ],
    }),
  ).toEqual([hides]);
  expect(
    one({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A),2' },
      ],
    }),
  ).toEqual([]);
  expect(one({ env: [{ name: 'A' }, { name: 'A', valueFrom: {} }] })).toEqual([hides]);
});

it('ports interfere with others of the pod', () => {
  const port = { containerPort: 80, protocol: 'TCP' };
  const ports = (...all: object[]): string[] => one({ ports: all });
  const first = 'spec.containers[0].ports[0]';
  const second = 'spec.containers[0].ports[1]';
  expect(ports(port, port)).toEqual([`${second}: duplicate port definition with ${first}`]);
  expect(ports(port, { ...port, protocol: 'UDP' })).toEqual([]);
  expect(ports(port, { ...port, hostPort: 1 })).toEqual([`${second}: overlapping port definition with ${first}`]);
  expect(ports({ ...port, hostPort: 1 }, { ...port, hostPort: 2 })).toEqual([]);
  expect(ports({ ...port, hostPort: 1 }, { ...port, hostPort: 1, hostIP: '1.2.3.4' })).toEqual([
    `${second}: dangerously ambiguous port definition with ${first}`,
  ]);
  expect(ports({ ...port, name: 'n', hostIP: '1.2.3.4' })).toEqual([
    `${first}: hostIP set without hostPort: {Name:n HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}`,
  ]);
  expect(of({ initContainers: [{ name: 'i', ports: [port] }], containers: [{ name: 'c', ports: [port] }] })).toEqual([
    `${first}: duplicate port definition with spec.initContainers[0].ports[0]`,
  ]);
});

it('names and addresses are given once', () => {
  expect(of({ hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] })).toEqual([
    'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
  ]);
  expect(of({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] })).toEqual([
    'spec.imagePullSecrets[1].name: duplicate name "a"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
  ]);
});

it('a negative grace period is one second', () => {
  expect(of({ terminationGracePeriodSeconds: -1 })).toEqual([
    'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  ]);
});
