/**
 * The built-in kinds. Importing them builds no schema: each schema is created on first use.
 *
 * @module
 */
import type { ResourceDefinition } from '../registry/definition.js';
import { CustomResourceDefinition } from './apiextensions/custom-resource-definition.js';
import { SelfSubjectReview } from './authentication/self-subject-review.js';
import { TokenRequest } from './authentication/token-request.js';
import { TokenReview } from './authentication/token-review.js';
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from './authorization/reviews.js';
import { CertificateSigningRequest } from './certificates/certificate-signing-request.js';
import { ClusterTrustBundle } from './certificates/cluster-trust-bundle.js';
import { Lease } from './coordination/lease.js';
import { Binding } from './core/binding.js';
import { ConfigMap } from './core/config-map.js';
import { Event } from './core/event/event.js';
import { Namespace } from './core/namespace.js';
import { Node } from './core/node/node.js';
import { Pod } from './core/pod/pod.js';
import { Secret } from './core/secret.js';
import { ServiceAccount } from './core/service-account.js';
import { EventsEvent } from './events/event.js';
import {
  Endpoints,
  LimitRange,
  PersistentVolumeClaim,
  PersistentVolume,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Service,
} from './core/kinds.js';
import { APIService } from './apiregistration/kinds.js';
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './apps/kinds.js';
import { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1 } from './autoscaling/kinds.js';
import { CronJob, Job } from './batch/kinds.js';
import { IngressClass, Ingress, NetworkPolicy, IPAddress, ServiceCIDR } from './networking/kinds.js';
import { PodDisruptionBudget } from './policy/kinds.js';
import { Eviction } from './policy/eviction.js';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
} from './storage/kinds.js';
import {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyBindingV1alpha1,
} from './admissionregistration/kinds.js';
import { PriorityClass } from './scheduling/kinds.js';
import { LeaseCandidate } from './coordination/kinds.js';
import { RuntimeClass } from './node/kinds.js';
import { EndpointSlice } from './discovery/kinds.js';
import {
  DeviceClass,
  PodSchedulingContext,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from './resource/kinds.js';
import {
  FlowSchema,
  PriorityLevelConfiguration,
  FlowSchemaV1beta3,
  PriorityLevelConfigurationV1beta3,
} from './flowcontrol/kinds.js';
import { StorageVersion } from './internal/kinds.js';
import { StorageVersionMigration } from './storagemigration/kinds.js';
import { ClusterRoleBinding, RoleBinding } from './rbac/binding.js';
import { ClusterRole, Role } from './rbac/role.js';

export type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionFields,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceSubresourceScale,
  CustomResourceValidation,
  SelectableField,
  ServiceReference,
  WebhookClientConfig,
  WebhookConversion,
} from './apiextensions/types.js';
export type { CertificateSigningRequestFields, RequestCondition } from './certificates/request-schema.js';
export type { ClusterTrustBundleFields } from './certificates/cluster-trust-bundle.js';
export { beginNamespaceDeletion, isNamespaceFinalized } from './core/namespace.js';
export type { TokenRequestFields } from './authentication/token-request.js';
export type { TokenReviewFields } from './authentication/token-review.js';
export { userInfoJson } from './authentication/user-info.js';
export type {
  SelfSubjectAccessReviewFields,
  SelfSubjectRulesReviewFields,
  SubjectAccessReviewFields,
} from './authorization/schemas.js';
export {
  Binding,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ClusterTrustBundle,
  ConfigMap,
  CustomResourceDefinition,
  Event,
  EventsEvent,
  Lease,
  LocalSubjectAccessReview,
  Namespace,
  Node,
  Pod,
  Role,
  RoleBinding,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  ServiceAccount,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  Endpoints,
  LimitRange,
  PersistentVolumeClaim,
  PersistentVolume,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Service,
  APIService,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  CronJob,
  Job,
  IngressClass,
  Ingress,
  NetworkPolicy,
  IPAddress,
  ServiceCIDR,
  PodDisruptionBudget,
  Eviction,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyBindingV1alpha1,
  PriorityClass,
  LeaseCandidate,
  RuntimeClass,
  EndpointSlice,
  DeviceClass,
  PodSchedulingContext,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  FlowSchema,
  PriorityLevelConfiguration,
  FlowSchemaV1beta3,
  PriorityLevelConfigurationV1beta3,
  StorageVersion,
  StorageVersionMigration,
};

/** All built-in kinds. A hub precedes the kinds that are converted to it. */
export const builtinResources: readonly ResourceDefinition[] = [
  Binding,
  ConfigMap,
  Event,
  Namespace,
  Node,
  Pod,
  Secret,
  ServiceAccount,
  Lease,
  EventsEvent,
  SelfSubjectReview,
  TokenReview,
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  CertificateSigningRequest,
  ClusterTrustBundle,
  ClusterRoleBinding,
  ClusterRole,
  RoleBinding,
  Role,
  CustomResourceDefinition,
  Endpoints,
  LimitRange,
  PersistentVolumeClaim,
  PersistentVolume,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Service,
  APIService,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  CronJob,
  Job,
  IngressClass,
  Ingress,
  NetworkPolicy,
  IPAddress,
  ServiceCIDR,
  PodDisruptionBudget,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyBindingV1alpha1,
  PriorityClass,
  LeaseCandidate,
  RuntimeClass,
  EndpointSlice,
  DeviceClass,
  PodSchedulingContext,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  FlowSchema,
  PriorityLevelConfiguration,
  FlowSchemaV1beta3,
  PriorityLevelConfigurationV1beta3,
  StorageVersion,
  StorageVersionMigration,
];
