/**
 * The checks that the level `restricted` adds to those of `baseline`.
 *
 * @see release 1.31, the module pod-security-admission
 * @module
 */
import type { coreV1 } from '../../../kinds/index.js';
import { seccompProfile } from './baseline.js';
import {
  containersOf,
  containersText,
  distinct,
  namesWhere,
  quoted,
  settersText,
  word,
  type Check,
  type CheckPod,
} from './check.js';

/** Skips a check of Linux features for pods of Windows, which the API has checked to have none of them. */
const exceptWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

const allowPrivilegeEscalation: CheckPod = (pod) => {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: CheckPod = (pod) => {
  const missing = namesWhere(
    pod,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((one) => one !== 'NET_BIND_SERVICE');
    return added.length === 0 ? [] : [{ name, added }];
  });
  const details = [
    ...(missing.length === 0 ? [] : [`${containersText(missing)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(bad.length === 0
      ? []
      : [
          `${containersText(bad.map(({ name }) => name))} must not include ${quoted(distinct(bad.flatMap(({ added }) => added)))} in securityContext.capabilities.add`,
        ]),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const ALLOWED_VOLUMES: readonly string[] = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'],
];

const KNOWN_VOLUMES: readonly string[] = [
  ...['hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs', 'rbd'],
  ...['flexVolume', 'cinder', 'cephfs', 'flocker', 'fc', 'azureFile', 'vsphereVolume', 'quobyte', 'azureDisk'],
  ...['portworxVolume', 'photonPersistentDisk', 'scaleIO', 'storageos'],
];

/** Returns the type of a volume that is not allowed; undefined for an allowed one. */
function restrictedType(volume: coreV1.Volume): string | undefined {
  const types = Object.entries(volume).flatMap(([type, source]) => (source === undefined ? [] : [type]));
  if (types.some((type) => ALLOWED_VOLUMES.includes(type))) return undefined;
  return KNOWN_VOLUMES.find((type) => types.includes(type)) ?? 'unknown';
}

const restrictedVolumes: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).flatMap((volume) => {
    const type = restrictedType(volume);
    return type === undefined ? [] : [{ name: volume.name, type }];
  });
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map(({ type }) => type));
  return {
    reason: 'restricted volume types',
    detail: `${word('volume', 'volumes', bad.length)} ${quoted(bad.map(({ name }) => name))} ${word('uses', 'use', bad.length)} ${word('restricted volume type', 'restricted volume types', types.length)} ${quoted(types)}`,
  };
};

const runAsNonRoot: CheckPod = (pod) => {
  const reason = 'runAsNonRoot != true';
  const own = pod.spec.securityContext?.runAsNonRoot;
  const explicit = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (own === false || explicit.length > 0)
    return {
      reason,
      detail: `${settersText(own === false, explicit)} must not set securityContext.runAsNonRoot=false`,
    };
  const implicit = namesWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (own === true || implicit.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(implicit)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: CheckPod = (pod) => {
  const isPodBad = pod.spec.securityContext?.runAsUser === 0;
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPodBad && bad.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${settersText(isPodBad, bad)} must not set runAsUser=0` };
};

const requiredSeccompProfile: CheckPod = (pod) => {
  const explicit = seccompProfile(pod);
  if (explicit !== undefined) return explicit;
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const implicit = namesWhere(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (implicit.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${containersText(implicit)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

/** The checks, in the order of their violations in messages. */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { minor: 8, check: allowPrivilegeEscalation },
      { minor: 25, check: exceptWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      { minor: 22, check: capabilities, replaces: 'capabilities_baseline' },
      { minor: 25, check: exceptWindows(capabilities), replaces: 'capabilities_baseline' },
    ],
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    versions: [{ minor: 0, check: restrictedVolumes, replaces: 'hostPathVolumes' }],
  },
  { id: 'runAsNonRoot', level: 'restricted', versions: [{ minor: 0, check: runAsNonRoot }] },
  { id: 'runAsUser', level: 'restricted', versions: [{ minor: 23, check: runAsUser }] },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    versions: [
      { minor: 19, check: requiredSeccompProfile, replaces: 'seccompProfile_baseline' },
      { minor: 25, check: exceptWindows(requiredSeccompProfile), replaces: 'seccompProfile_baseline' },
    ],
  },
];
