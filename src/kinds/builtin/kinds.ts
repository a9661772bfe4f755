/**
 * The built-in kinds, by their names. A version that is not the preferred one has its version as a suffix.
 *
 * @module
 */
export { CustomResourceDefinition } from './apiextensions/custom-resource-definition.js';
export {
  SelfSubjectReview,
  SelfSubjectReviewV1beta1,
  SelfSubjectReviewV1alpha1,
} from './authentication/self-subject-review.js';
export { TokenRequest } from './authentication/token-request.js';
export { TokenReview } from './authentication/token-review.js';
export {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from './authorization/reviews.js';
export { CertificateSigningRequest } from './certificates/certificate-signing-request.js';
export { ClusterTrustBundle } from './certificates/cluster-trust-bundle.js';
export { Lease } from './coordination/lease.js';
export { Binding } from './core/binding.js';
export { ConfigMap } from './core/config-map.js';
export { Event } from './core/event/event.js';
export { Namespace } from './core/namespace.js';
export { Node } from './core/node/node.js';
export { Pod } from './core/pod/pod.js';
export { Secret } from './core/secret.js';
export { ServiceAccount } from './core/service-account.js';
export { EventEventsV1 } from './events/event.js';
export {
  ComponentStatus,
  Endpoints,
  LimitRange,
  PersistentVolumeClaim,
  PersistentVolume,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Service,
} from './core/kinds.js';
export { APIService } from './apiregistration/kinds.js';
export { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './apps/kinds.js';
export { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1 } from './autoscaling/kinds.js';
export { CronJob, Job } from './batch/kinds.js';
export { IngressClass, Ingress, NetworkPolicy, IPAddress, ServiceCIDR } from './networking/kinds.js';
export { PodDisruptionBudget } from './policy/kinds.js';
export { Eviction } from './policy/eviction.js';
export {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
} from './storage/kinds.js';
export {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyBindingV1alpha1,
} from './admissionregistration/kinds.js';
export { PriorityClass } from './scheduling/kinds.js';
export { LeaseCandidate } from './coordination/kinds.js';
export { RuntimeClass } from './node/kinds.js';
export { EndpointSlice } from './discovery/kinds.js';
export {
  DeviceClass,
  PodSchedulingContext,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from './resource/kinds.js';
export {
  FlowSchema,
  PriorityLevelConfiguration,
  FlowSchemaV1beta3,
  PriorityLevelConfigurationV1beta3,
} from './flowcontrol/kinds.js';
export { StorageVersion } from './internal/kinds.js';
export { StorageVersionMigration } from './storagemigration/kinds.js';
export { ClusterRoleBinding, RoleBinding } from './rbac/binding.js';
export { ClusterRole, Role } from './rbac/role.js';
