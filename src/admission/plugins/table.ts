/**
 * The admission plugins of release 1.31, in the order in which they run.
 *
 * @see release 1.31, `AllOrderedPlugins` and `DefaultOffAdmissionPlugins` of pkg/kubeapiserver/options
 * @module
 */

/** A row of {@link admissionPluginTable}. */
export interface ListedPlugin {
  readonly name: string;
  /** Whether a Kubernetes API server runs the plugin unless its flags disable it. */
  readonly onByDefault: boolean;
  /**
   * Why the plugin is off unless it is enabled, although a Kubernetes API server runs it by default. `orch-apiserver
   * serve` runs it.
   */
  readonly offInLibrary?: string | undefined;
  /** Whether the plugin runs, unless it is disabled, on servers with the authorization mode `Node`. */
  readonly withNodeMode?: true | undefined;
}

const on = { onByDefault: true } as const;
const off = { onByDefault: false } as const;

/** All plugins, in the order in which they run. */
export const admissionPluginTable = [
  { name: 'AlwaysAdmit', ...off },
  { name: 'NamespaceAutoProvision', ...off },
  { name: 'NamespaceLifecycle', ...on },
  { name: 'NamespaceExists', ...off },
  { name: 'LimitPodHardAntiAffinityTopology', ...off },
  { name: 'LimitRanger', ...on },
  {
    name: 'ServiceAccount',
    ...on,
    offInLibrary: 'a pod would wait for the account of its namespace, which a controller creates that may not run',
  },
  { name: 'NodeRestriction', ...off, withNodeMode: true },
  {
    name: 'TaintNodesByCondition',
    ...on,
    offInLibrary: 'only the node life cycle controller, which this server does not have, removes the taint',
  },
  { name: 'AlwaysPullImages', ...off },
  { name: 'ImagePolicyWebhook', ...off },
  { name: 'PodSecurity', ...on },
  { name: 'PodNodeSelector', ...off },
  { name: 'Priority', ...on },
  { name: 'DefaultTolerationSeconds', ...on },
  { name: 'PodTolerationRestriction', ...off },
  { name: 'EventRateLimit', ...off },
  { name: 'ExtendedResourceToleration', ...off },
  { name: 'DefaultStorageClass', ...on },
  { name: 'StorageObjectInUseProtection', ...on },
  { name: 'OwnerReferencesPermissionEnforcement', ...off },
  { name: 'PersistentVolumeClaimResize', ...on },
  { name: 'RuntimeClass', ...on },
  { name: 'CertificateApproval', ...on },
  { name: 'CertificateSigning', ...on },
  { name: 'ClusterTrustBundleAttest', ...on },
  { name: 'CertificateSubjectRestriction', ...on },
  { name: 'DefaultIngressClass', ...on },
  { name: 'DenyServiceExternalIPs', ...off },
  { name: 'MutatingAdmissionWebhook', ...on },
  { name: 'ValidatingAdmissionPolicy', ...on },
  { name: 'ValidatingAdmissionWebhook', ...on },
  { name: 'ResourceQuota', ...on },
  { name: 'AlwaysDeny', ...off },
] as const satisfies readonly ListedPlugin[];

/** Name of a plugin. */
export type AdmissionPluginName =
  | 'AlwaysAdmit'
  | 'NamespaceAutoProvision'
  | 'NamespaceLifecycle'
  | 'NamespaceExists'
  | 'LimitPodHardAntiAffinityTopology'
  | 'LimitRanger'
  | 'ServiceAccount'
  | 'NodeRestriction'
  | 'TaintNodesByCondition'
  | 'AlwaysPullImages'
  | 'ImagePolicyWebhook'
  | 'PodSecurity'
  | 'PodNodeSelector'
  | 'Priority'
  | 'DefaultTolerationSeconds'
  | 'PodTolerationRestriction'
  | 'EventRateLimit'
  | 'ExtendedResourceToleration'
  | 'DefaultStorageClass'
  | 'StorageObjectInUseProtection'
  | 'OwnerReferencesPermissionEnforcement'
  | 'PersistentVolumeClaimResize'
  | 'RuntimeClass'
  | 'CertificateApproval'
  | 'CertificateSigning'
  | 'ClusterTrustBundleAttest'
  | 'CertificateSubjectRestriction'
  | 'DefaultIngressClass'
  | 'DenyServiceExternalIPs'
  | 'MutatingAdmissionWebhook'
  | 'ValidatingAdmissionPolicy'
  | 'ValidatingAdmissionWebhook'
  | 'ResourceQuota'
  | 'AlwaysDeny';

const rows: readonly (ListedPlugin & { readonly name: AdmissionPluginName })[] = admissionPluginTable;

/** Names of all plugins, in order. */
export const admissionPluginNames: readonly AdmissionPluginName[] = rows.map(({ name }) => name);

/** Names of the plugins that a Kubernetes API server runs by default. */
export const defaultAdmissionPlugins: readonly AdmissionPluginName[] = rows
  .filter(({ onByDefault }) => onByDefault)
  .map(({ name }) => name);

/**
 * Returns the names of the plugins that run, in no particular order.
 *
 * @param enable plugins to run that are off by default
 * @param disable plugins not to run
 */
export function runningPlugins(
  enable: readonly AdmissionPluginName[] = [],
  disable: readonly AdmissionPluginName[] = [],
): ReadonlySet<AdmissionPluginName> {
  const byDefault = rows
    .filter((row) => row.withNodeMode === true || (row.onByDefault && row.offInLibrary === undefined))
    .map(({ name }) => name);
  return new Set([...byDefault, ...enable].filter((name) => !disable.includes(name)));
}
