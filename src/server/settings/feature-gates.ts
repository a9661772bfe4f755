/**
 * Feature gates: switches for behaviour that is not stable yet, or that is being removed.
 *
 * @module
 */
import { listedTexts, messageOf } from '../../foundation/index.js';
import { parseBool, parsePairs } from './flag-values.js';

/** Stage of a feature. GA features cannot be disabled; setting a deprecated feature warns. */
export type FeatureStage = 'Alpha' | 'Beta' | 'GA' | 'Deprecated';

/** A feature gate. */
export interface FeatureGate {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly default: boolean;
  /** The part of this project that reads the gate. */
  readonly owner: string;
  /** Kubernetes release in which the gate reached its stage. */
  readonly since: string;
}

/** The gates of this server. */
export const featureGates = [
  { name: 'APIResponseCompression', stage: 'Beta', default: true, owner: 'server/responses', since: '1.16' },
  { name: 'AggregatedDiscoveryEndpoint', stage: 'GA', default: true, owner: 'server/discovery', since: '1.30' },
  {
    name: 'AllowServiceLBStatusOnNonLB',
    stage: 'Deprecated',
    default: false,
    owner: 'resources/core/service',
    since: '1.29',
  },
  { name: 'AnonymousAuthConfigurableEndpoints', stage: 'Alpha', default: false, owner: 'authn', since: '1.31' },
  { name: 'AuthorizeWithSelectors', stage: 'Alpha', default: false, owner: 'authz', since: '1.31' },
  { name: 'ClusterTrustBundle', stage: 'Alpha', default: false, owner: 'resources/certificates', since: '1.27' },
  {
    name: 'ClusterTrustBundleProjection',
    stage: 'Alpha',
    default: false,
    owner: 'resources/certificates',
    since: '1.29',
  },
  { name: 'CoordinatedLeaderElection', stage: 'Alpha', default: false, owner: 'resources/coordination', since: '1.31' },
  { name: 'CrossNamespaceVolumeDataSource', stage: 'Alpha', default: false, owner: 'resources/core', since: '1.26' },
  { name: 'DRAControlPlaneController', stage: 'Alpha', default: false, owner: 'resources/resource', since: '1.26' },
  { name: 'DynamicResourceAllocation', stage: 'Alpha', default: false, owner: 'resources/resource', since: '1.30' },
  { name: 'ElasticIndexedJob', stage: 'GA', default: true, owner: 'resources/batch', since: '1.31' },
  { name: 'HPAScaleToZero', stage: 'Alpha', default: false, owner: 'resources/autoscaling', since: '1.16' },
  { name: 'ImageVolume', stage: 'Alpha', default: false, owner: 'resources/pods', since: '1.31' },
  { name: 'InPlacePodVerticalScaling', stage: 'Alpha', default: false, owner: 'resources/pods', since: '1.27' },
  { name: 'JobBackoffLimitPerIndex', stage: 'Beta', default: true, owner: 'resources/batch', since: '1.29' },
  { name: 'JobManagedBy', stage: 'Alpha', default: false, owner: 'resources/batch', since: '1.30' },
  { name: 'JobPodFailurePolicy', stage: 'GA', default: true, owner: 'resources/batch', since: '1.31' },
  { name: 'JobPodReplacementPolicy', stage: 'Beta', default: true, owner: 'resources/batch', since: '1.29' },
  { name: 'JobSuccessPolicy', stage: 'Beta', default: true, owner: 'resources/batch', since: '1.31' },
  { name: 'LoadBalancerIPMode', stage: 'Beta', default: true, owner: 'resources/core/service', since: '1.30' },
  { name: 'MatchLabelKeysInPodAffinity', stage: 'Beta', default: true, owner: 'resources/pods', since: '1.31' },
  { name: 'MatchLabelKeysInPodTopologySpread', stage: 'Beta', default: true, owner: 'resources/pods', since: '1.27' },
  { name: 'MaxUnavailableStatefulSet', stage: 'Alpha', default: false, owner: 'resources/apps', since: '1.24' },
  { name: 'MultiCIDRServiceAllocator', stage: 'Beta', default: false, owner: 'resources/networking', since: '1.31' },
  {
    name: 'NodeInclusionPolicyInPodTopologySpread',
    stage: 'Beta',
    default: true,
    owner: 'resources/pods',
    since: '1.26',
  },
  { name: 'PDBUnhealthyPodEvictionPolicy', stage: 'GA', default: true, owner: 'resources/policy', since: '1.31' },
  { name: 'PodDeletionCost', stage: 'Beta', default: true, owner: 'resources/pods', since: '1.22' },
  { name: 'PodLifecycleSleepAction', stage: 'Beta', default: true, owner: 'resources/pods', since: '1.30' },
  { name: 'ProcMountType', stage: 'Beta', default: false, owner: 'resources/pods', since: '1.31' },
  { name: 'RecoverVolumeExpansionFailure', stage: 'Alpha', default: false, owner: 'resources/core', since: '1.23' },
  { name: 'RecursiveReadOnlyMounts', stage: 'Beta', default: true, owner: 'resources/pods', since: '1.31' },
  {
    name: 'RelaxedEnvironmentVariableValidation',
    stage: 'Alpha',
    default: false,
    owner: 'resources/pods',
    since: '1.30',
  },
  { name: 'ResourceHealthStatus', stage: 'Alpha', default: false, owner: 'resources/pods', since: '1.31' },
  { name: 'SELinuxMountReadWriteOncePod', stage: 'Beta', default: true, owner: 'resources/storage', since: '1.28' },
  { name: 'ServerSideApply', stage: 'GA', default: true, owner: 'apply', since: '1.22' },
  { name: 'ServiceTrafficDistribution', stage: 'Beta', default: true, owner: 'resources/core/service', since: '1.31' },
  { name: 'SidecarContainers', stage: 'Beta', default: true, owner: 'resources/pods', since: '1.29' },
  { name: 'StatefulSetAutoDeletePVC', stage: 'Beta', default: true, owner: 'resources/apps', since: '1.27' },
  { name: 'StorageVersionAPI', stage: 'Alpha', default: false, owner: 'resources/internal', since: '1.20' },
  {
    name: 'StorageVersionMigrator',
    stage: 'Alpha',
    default: false,
    owner: 'resources/storagemigration',
    since: '1.30',
  },
  { name: 'StructuredAuthenticationConfiguration', stage: 'Beta', default: true, owner: 'authn', since: '1.30' },
  { name: 'StructuredAuthorizationConfiguration', stage: 'Beta', default: true, owner: 'authz', since: '1.30' },
  { name: 'SupplementalGroupsPolicy', stage: 'Alpha', default: false, owner: 'resources/pods', since: '1.31' },
  { name: 'TopologyAwareHints', stage: 'Beta', default: true, owner: 'resources/discovery', since: '1.24' },
  { name: 'UserNamespacesSupport', stage: 'Beta', default: false, owner: 'resources/pods', since: '1.30' },
  {
    name: 'ValidatingAdmissionPolicy',
    stage: 'GA',
    default: true,
    owner: 'resources/admissionregistration',
    since: '1.30',
  },
  { name: 'VolumeAttributesClass', stage: 'Beta', default: false, owner: 'resources/storage', since: '1.31' },
  { name: 'WatchList', stage: 'Alpha', default: false, owner: 'registry/watch', since: '1.27' },
] as const satisfies readonly FeatureGate[];

/** Name of a gate of this server. */
export type FeatureGateName =
  | 'APIResponseCompression'
  | 'AggregatedDiscoveryEndpoint'
  | 'AllowServiceLBStatusOnNonLB'
  | 'AnonymousAuthConfigurableEndpoints'
  | 'AuthorizeWithSelectors'
  | 'ClusterTrustBundle'
  | 'ClusterTrustBundleProjection'
  | 'CoordinatedLeaderElection'
  | 'CrossNamespaceVolumeDataSource'
  | 'DRAControlPlaneController'
  | 'DynamicResourceAllocation'
  | 'ElasticIndexedJob'
  | 'HPAScaleToZero'
  | 'ImageVolume'
  | 'InPlacePodVerticalScaling'
  | 'JobBackoffLimitPerIndex'
  | 'JobManagedBy'
  | 'JobPodFailurePolicy'
  | 'JobPodReplacementPolicy'
  | 'JobSuccessPolicy'
  | 'LoadBalancerIPMode'
  | 'MatchLabelKeysInPodAffinity'
  | 'MatchLabelKeysInPodTopologySpread'
  | 'MaxUnavailableStatefulSet'
  | 'MultiCIDRServiceAllocator'
  | 'NodeInclusionPolicyInPodTopologySpread'
  | 'PDBUnhealthyPodEvictionPolicy'
  | 'PodDeletionCost'
  | 'PodLifecycleSleepAction'
  | 'ProcMountType'
  | 'RecoverVolumeExpansionFailure'
  | 'RecursiveReadOnlyMounts'
  | 'RelaxedEnvironmentVariableValidation'
  | 'ResourceHealthStatus'
  | 'SELinuxMountReadWriteOncePod'
  | 'ServerSideApply'
  | 'ServiceTrafficDistribution'
  | 'SidecarContainers'
  | 'StatefulSetAutoDeletePVC'
  | 'StorageVersionAPI'
  | 'StorageVersionMigrator'
  | 'StructuredAuthenticationConfiguration'
  | 'StructuredAuthorizationConfiguration'
  | 'SupplementalGroupsPolicy'
  | 'TopologyAwareHints'
  | 'UserNamespacesSupport'
  | 'ValidatingAdmissionPolicy'
  | 'VolumeAttributesClass'
  | 'WatchList';

/** Gates that set all gates of a stage that are not set by name. */
const STAGE_GATES: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'Alpha'],
  ['AllBeta', 'Beta'],
]);

/** Enabled and disabled features. Immutable. */
export class FeatureGates {
  readonly #enabled: ReadonlyMap<string, boolean>;
  /** Warnings for the operator about the gates that were set, in Kubernetes' words. */
  readonly warnings: readonly string[];

  private constructor(enabled: ReadonlyMap<string, boolean>, warnings: readonly string[]) {
    this.#enabled = enabled;
    this.warnings = warnings;
  }

  /**
   * Parses the flag `--feature-gates`: `Name=true,Other=false`. The last value of a gate wins.
   *
   * @throws Error in Kubernetes' words for an unknown gate, a missing or invalid value, or changes of locked gates
   */
  static parse(text: string, known: readonly FeatureGate[] = featureGates): FeatureGates {
    const values = new Map<string, boolean>();
    for (const { key, value } of parsePairs(text)) {
      if (value === undefined) throw new Error(`missing bool value for ${key}`);
      try {
        values.set(key, parseBool(value));
      } catch (error) {
        throw new Error(`invalid value of ${key}=${value}, err: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }
    return FeatureGates.#resolve([...values], known);
  }

  /**
   * Reads the values of an object: `{ WatchList: true, AllBeta: false }`.
   *
   * @throws Error in Kubernetes' words for an unknown gate or changes of locked gates
   */
  static from(values: Readonly<Record<string, boolean>>, known: readonly FeatureGate[] = featureGates): FeatureGates {
    return FeatureGates.#resolve(Object.entries(values), known);
  }

  static #resolve(
    given: readonly (readonly [name: string, value: boolean])[],
    known: readonly FeatureGate[],
  ): FeatureGates {
    const byName = new Map(known.map((gate) => [gate.name, gate]));
    const enabled = new Map(known.map((gate) => [gate.name, gate.default]));
    const warnings: string[] = [];
    for (const [name, value] of given) {
      const stage = STAGE_GATES.get(name);
      if (stage === undefined) continue;
      for (const gate of known) if (gate.stage === stage) enabled.set(gate.name, value);
    }
    const problems: string[] = [];
    for (const [name, value] of given) {
      if (STAGE_GATES.has(name)) continue;
      const gate = byName.get(name);
      if (gate === undefined) {
        problems.push(`unrecognized feature gate: ${name}`);
        break;
      }
      if (gate.stage === 'GA' && value !== gate.default) {
        problems.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${gate.default}`);
        continue;
      }
      if (gate.stage === 'GA')
        warnings.push(`Setting GA feature gate ${name}=${value}. It will be removed in a future release.`);
      if (gate.stage === 'Deprecated')
        warnings.push(`Setting deprecated feature gate ${name}=${value}. It will be removed in a future release.`);
      enabled.set(name, value);
    }
    if (problems.length > 0) throw new Error(listedTexts(problems));
    return new FeatureGates(enabled, warnings);
  }

  /** Returns whether a feature is enabled. An unknown gate is disabled. */
  enabled(name: FeatureGateName): boolean {
    return this.#enabled.get(name) ?? false;
  }

  /** Returns every gate with its value, sorted by name. */
  entries(): [name: string, enabled: boolean][] {
    return [...this.#enabled].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
