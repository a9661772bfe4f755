/**
 * The built-in kinds. A name is the definition of a kind and the type of its objects:
 *
 *     import { Deployment } from 'orch-apiserver/kinds';
 *
 *     const web: Deployment = { metadata: { name: 'web' }, spec: … };
 *     await client.resource(Deployment).namespace('default').create(web);
 *
 * The types of what objects contain are here as well (`PodSpec`, `Container`), as JSON has them: times and quantities are
 * strings.
 *
 * A plain name is that of the version that discovery prefers, in the group that discovery lists first. What differs from
 * that is a suffix: the version, for another version (`HorizontalPodAutoscalerV1`); the group and the version, for
 * another group (`EventEventsV1`, of the group of `events`). The namespaces have the types of each version under their
 * own names: `autoscalingV1.HorizontalPodAutoscalerSpec`.
 *
 * Kinds are also made from the definitions of others: custom resource definitions and OpenAPI documents.
 *
 * Importing this module builds no schema: each is made when its kind is first used.
 *
 * @module
 */
export {
  APIService,
  Binding,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ClusterTrustBundle,
  ComponentStatus,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  DeviceClass,
  Endpoints,
  EndpointSlice,
  Event,
  EventEventsV1,
  Eviction,
  FlowSchema,
  FlowSchemaV1beta3,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  Ingress,
  IngressClass,
  IPAddress,
  Job,
  Lease,
  LeaseCandidate,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodSchedulingContext,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationV1beta3,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  Role,
  RoleBinding,
  RuntimeClass,
  Scale,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  StorageVersion,
  StorageVersionMigration,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingV1alpha1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
  builtinResources,
} from '../kinds/index.js';
// The names of the extensions in the schemas of definitions depend on the dialect, so these types are not generated.
export type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinitionCondition,
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
} from '../kinds/index.js';
export type * from '../kinds/types/index.js';
export {
  crdToTypescript,
  resourcesFromCrd,
  resourcesFromOpenApi,
  type DefinitionSource,
  type OpenApiKind,
  type ResourcesFromCrdOptions,
  type ResourcesFromOpenApiOptions,
} from '../kinds/custom/sources/index.js';
