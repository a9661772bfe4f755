/**
 * Fields of features that are disabled. A write drops them, unless the old object uses the feature already.
 *
 * @module
 */
import { UNBOUNDED_WORK, type Steps } from '../../../../foundation/index.js';
import type { FeatureSwitches, RequestContext } from '../../../../registry/index.js';
import { allContainers } from './containers.js';
import type { Container, ContainerStatus, PodSpec, PodStatus } from './types.js';

/**
 * A feature of the spec that has a gate. `drop` deletes only fields that exist: deleting one that does not costs more
 * than looking for it.
 */
interface GatedFeature {
  readonly gate: string;
  inUse(old: PodSpec): boolean;
  drop(spec: PodSpec): void;
}

type Lifecycle = NonNullable<Container['lifecycle']>;
type AffinityTerm = NonNullable<
  NonNullable<NonNullable<PodSpec['affinity']>['podAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>[number];

/** Returns all terms of the affinity and anti-affinity to pods. */
function affinityTerms({ affinity }: PodSpec): AffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((side) => [
    ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

const spreads = ({ topologySpreadConstraints = [] }: PodSpec) => topologySpreadConstraints;
const isFilled = (list: readonly unknown[] | undefined): boolean => list !== undefined && list.length > 0;

const DEFAULT_PROC_MOUNT = 'Default';

const HOOKS = ['postStart', 'preStop'] as const;

/** Drops the sleep of a hook, and hooks that have no other action. */
function dropSleep(container: { lifecycle?: Lifecycle | undefined }): void {
  const { lifecycle } = container;
  if (lifecycle === undefined) return;
  for (const hook of HOOKS) {
    const handler = lifecycle[hook];
    if (handler?.sleep === undefined) continue;
    delete handler.sleep;
    const { exec, httpGet, tcpSocket } = handler;
    if (exec === undefined && httpGet === undefined && tcpSocket === undefined) delete lifecycle[hook];
  }
  if (lifecycle.postStart === undefined && lifecycle.preStop === undefined) delete container.lifecycle;
}

/** Drops the volumes of images and their mounts. */
function dropImageVolumes(spec: PodSpec): void {
  if (spec.volumes?.some(({ image }) => image !== undefined) !== true) return;
  const names = new Set(spec.volumes.filter(({ image }) => image !== undefined).map(({ name }) => name));
  spec.volumes = spec.volumes.filter(({ image }) => image === undefined);
  if (spec.volumes.length === 0) delete spec.volumes;
  for (const container of allContainers(spec)) {
    if (container.volumeMounts === undefined) continue;
    container.volumeMounts = container.volumeMounts.filter(({ name }) => !names.has(name));
    if (container.volumeMounts.length === 0) delete container.volumeMounts;
  }
}

const inPlaceResize: GatedFeature = {
  gate: 'InPlacePodVerticalScaling',
  inUse: ({ containers }) => containers.some(({ resizePolicy }) => isFilled(resizePolicy)),
  drop(spec) {
    for (const container of allContainers(spec))
      if (container.resizePolicy !== undefined) delete container.resizePolicy;
  },
};

const supplementalGroupsPolicy: GatedFeature = {
  gate: 'SupplementalGroupsPolicy',
  inUse: ({ securityContext }) => securityContext?.supplementalGroupsPolicy !== undefined,
  drop({ securityContext }) {
    if (securityContext?.supplementalGroupsPolicy !== undefined) delete securityContext.supplementalGroupsPolicy;
  },
};

const dynamicResources: GatedFeature = {
  gate: 'DynamicResourceAllocation',
  inUse: ({ resourceClaims }) => isFilled(resourceClaims),
  drop(spec) {
    for (const { resources } of allContainers(spec)) if (resources?.claims !== undefined) delete resources.claims;
    if (spec.resourceClaims !== undefined) delete spec.resourceClaims;
  },
};

const recursiveReadOnly: GatedFeature = {
  gate: 'RecursiveReadOnlyMounts',
  inUse: (old) =>
    allContainers(old).some(({ volumeMounts = [] }) =>
      volumeMounts.some((mount) => mount.recursiveReadOnly !== undefined),
    ),
  drop(spec) {
    for (const { volumeMounts = [] } of allContainers(spec))
      for (const mount of volumeMounts) if (mount.recursiveReadOnly !== undefined) delete mount.recursiveReadOnly;
  },
};

/** The features with fields in the spec. */
const features: readonly GatedFeature[] = [
  {
    gate: 'UserNamespacesSupport',
    inUse: ({ hostUsers }) => hostUsers !== undefined,
    drop(spec) {
      if (spec.hostUsers !== undefined) delete spec.hostUsers;
    },
  },
  supplementalGroupsPolicy,
  {
    gate: 'ProcMountType',
    inUse: (old) =>
      allContainers(old).some(({ securityContext }) => {
        const { procMount = DEFAULT_PROC_MOUNT } = securityContext ?? {};
        return procMount !== DEFAULT_PROC_MOUNT;
      }),
    drop(spec) {
      for (const { securityContext } of allContainers(spec))
        if (securityContext?.procMount !== undefined) securityContext.procMount = DEFAULT_PROC_MOUNT;
    },
  },
  {
    gate: 'NodeInclusionPolicyInPodTopologySpread',
    inUse: (old) => spreads(old).some(({ nodeTaintsPolicy }) => nodeTaintsPolicy !== undefined),
    drop: (spec) => spreads(spec).forEach((constraint) => delete constraint.nodeTaintsPolicy),
  },
  {
    gate: 'NodeInclusionPolicyInPodTopologySpread',
    inUse: (old) => spreads(old).some(({ nodeAffinityPolicy }) => nodeAffinityPolicy !== undefined),
    drop: (spec) => spreads(spec).forEach((constraint) => delete constraint.nodeAffinityPolicy),
  },
  {
    gate: 'MatchLabelKeysInPodTopologySpread',
    inUse: (old) => spreads(old).some(({ matchLabelKeys }) => isFilled(matchLabelKeys)),
    drop: (spec) => spreads(spec).forEach((constraint) => delete constraint.matchLabelKeys),
  },
  {
    gate: 'MatchLabelKeysInPodAffinity',
    inUse: (old) =>
      affinityTerms(old).some((term) => isFilled(term.matchLabelKeys) || isFilled(term.mismatchLabelKeys)),
    drop(spec) {
      for (const term of affinityTerms(spec)) {
        delete term.matchLabelKeys;
        delete term.mismatchLabelKeys;
      }
    },
  },
  dynamicResources,
  {
    gate: 'ClusterTrustBundleProjection',
    inUse: ({ volumes = [] }) =>
      volumes.some(({ projected }) => projected?.sources?.some((source) => source.clusterTrustBundle !== undefined)),
    drop({ volumes = [] }) {
      for (const { projected } of volumes)
        for (const source of projected?.sources ?? []) delete source.clusterTrustBundle;
    },
  },
  inPlaceResize,
  {
    gate: 'SidecarContainers',
    inUse: ({ initContainers = [] }) => initContainers.some(({ restartPolicy }) => restartPolicy === 'Always'),
    drop: ({ initContainers = [] }) => initContainers.forEach((container) => delete container.restartPolicy),
  },
  recursiveReadOnly,
  {
    gate: 'PodLifecycleSleepAction',
    inUse: (old) =>
      allContainers(old).some(({ lifecycle }) => HOOKS.some((hook) => lifecycle?.[hook]?.sleep !== undefined)),
    drop: (spec) => allContainers(spec).forEach(dropSleep),
  },
  {
    gate: 'ImageVolume',
    inUse: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
    drop: dropImageVolumes,
  },
];

/**
 * Drops the fields of disabled features from the spec of a pod or of a template, in place.
 *
 * @param old the previous spec; undefined for a new object
 */
export function* dropDisabledSpecFields(
  spec: PodSpec,
  old: PodSpec | undefined,
  { featureGates, work = UNBOUNDED_WORK }: Pick<RequestContext, 'featureGates' | 'work'>,
): Steps<void> {
  for (const feature of features) {
    if (featureGates.enabled(feature.gate)) continue;
    if (work.spend(spec.containers.length)) yield;
    if (old === undefined || !feature.inUse(old)) feature.drop(spec);
  }
}

const statusesOf = ({ initContainerStatuses, containerStatuses, ephemeralContainerStatuses }: PodStatus) =>
  [initContainerStatuses, containerStatuses, ephemeralContainerStatuses].flatMap((statuses) => statuses ?? []);

/** Fields of the status of a container, by the feature that they belong to. */
const containerFields: readonly (readonly [
  feature: Pick<GatedFeature, 'gate' | 'inUse'>,
  ...(keyof ContainerStatus)[],
])[] = [
  [inPlaceResize, 'allocatedResources', 'resources'],
  [recursiveReadOnly, 'volumeMounts'],
  [supplementalGroupsPolicy, 'user'],
];

/** Drops the fields of disabled features from a status, in place. */
export function dropDisabledStatusFields(
  status: PodStatus,
  old: { readonly spec?: PodSpec | undefined; readonly status?: PodStatus | undefined },
  gates: FeatureSwitches,
): void {
  const isDropped = ({ gate, inUse }: Pick<GatedFeature, 'gate' | 'inUse'>): boolean =>
    !gates.enabled(gate) && (old.spec === undefined || !inUse(old.spec));
  if (isDropped(inPlaceResize)) delete status.resize;
  if (isDropped(dynamicResources)) delete status.resourceClaimStatuses;
  for (const [feature, ...fields] of containerFields)
    if (isDropped(feature))
      for (const container of statusesOf(status)) for (const field of fields) delete container[field];
  const reportsHealth = statusesOf(old.status ?? {}).some(
    (container) => container.allocatedResourcesStatus !== undefined,
  );
  if (!gates.enabled('ResourceHealthStatus') && !reportsHealth)
    for (const container of statusesOf(status)) delete container.allocatedResourcesStatus;
}
