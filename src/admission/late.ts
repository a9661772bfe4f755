/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importConfiguration = () => import('./configuration/index.js');
export const importNodeRestriction = () => import('./node-restriction/index.js');
export const importAntiAffinity = () => import('./plugins/anti-affinity.js');
export const importEventRateLimit = () => import('./plugins/events/event-rate-limit.js');
export const importExternalIps = () => import('./plugins/external-ips.js');
export const importImagePolicy = () => import('./plugins/images/image-policy.js');
export const importPullImages = () => import('./plugins/images/pull-images.js');
export const importNamespaces = () => import('./plugins/namespaces.js');
export const importOwnerReferences = () => import('./plugins/owner-references.js');
export const importPodNodeSelector = () => import('./plugins/pod-node-selector.js');
export const importPodSecurity = () => import('./plugins/pod-security/index.js');
export const importPriority = () => import('./plugins/priority.js');
export const importLimitRanger = () => import('./plugins/quota/limit-ranger.js');
export const importResourceQuota = () => import('./plugins/quota/resource-quota.js');
export const importRuntimeClass = () => import('./plugins/runtime-class.js');
export const importAccountLookup = () => import('./plugins/service-account/account-lookup.js');
export const importServiceAccount = () => import('./plugins/service-account/service-account.js');
export const importDefaultTolerations = () => import('./plugins/tolerations/default-tolerations.js');
export const importExtendedResourceToleration = () => import('./plugins/tolerations/extended-resource-toleration.js');
export const importTaintNodes = () => import('./plugins/tolerations/taint-nodes.js');
export const importTolerationRestriction = () => import('./plugins/tolerations/toleration-restriction.js');
export const importClaimResize = () => import('./plugins/volumes/claim-resize.js');
export const importDefaultIngressClass = () => import('./plugins/volumes/default-ingress-class.js');
export const importDefaultStorageClass = () => import('./plugins/volumes/default-storage-class.js');
export const importStorageProtection = () => import('./plugins/volumes/storage-protection.js');
export const importPolicy = () => import('./policy/index.js');
export const importParamAccess = () => import('./policy/param-access.js');
export const importWebhook = () => import('./webhook/index.js');
