/**
 * The door of the kinds: the built-in ones, their types, and those that users define. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export {
  AdmissionExpressions,
  type ExpressionScope,
  type ResultType,
} from './builtin/admissionregistration/admission-expressions.js';
export {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingV1alpha1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingWebhookConfiguration,
} from './builtin/admissionregistration/kinds.js';
export { approvalState, isProtectedGroup } from './builtin/apiextensions/approval.js';
export { hasCondition, withCondition } from './builtin/apiextensions/conditions.js';
export { CustomResourceDefinition } from './builtin/apiextensions/custom-resource-definition.js';
export { cleanupFinalizer } from './builtin/apiextensions/strategy.js';
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
} from './builtin/apiextensions/types.js';
export { APIService } from './builtin/apiregistration/kinds.js';
export { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './builtin/apps/kinds.js';
export {
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
} from './builtin/authentication/self-subject-review.js';
export { TokenRequest, type TokenRequestFields } from './builtin/authentication/token-request.js';
export { TokenReview, type TokenReviewFields } from './builtin/authentication/token-review.js';
export { userInfoJson } from './builtin/authentication/user-info.js';
export {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  type SelfSubjectAccessReviewFields,
  type SelfSubjectRulesReviewFields,
  type SubjectAccessReviewFields,
} from './builtin/authorization/reviews.js';
export { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1 } from './builtin/autoscaling/kinds.js';
export { Scale } from './builtin/autoscaling/scale.js';
export { CronJob, Job } from './builtin/batch/kinds.js';
export type { StoredKind } from './builtin/behaviour.js';
export { CertificateSigningRequest } from './builtin/certificates/certificate-signing-request.js';
export { ClusterTrustBundle, type ClusterTrustBundleFields } from './builtin/certificates/cluster-trust-bundle.js';
export { certificatesIn } from './builtin/certificates/issued-certificate.js';
export type { CertificateSigningRequestFields } from './builtin/certificates/request-fields.js';
export { LeaseCandidate } from './builtin/coordination/kinds.js';
export { Lease } from './builtin/coordination/lease.js';
export { Binding } from './builtin/core/binding.js';
export { ConfigMap } from './builtin/core/config-map.js';
export { sortSubsets } from './builtin/core/endpoints/subsets.js';
export { Event } from './builtin/core/event/event.js';
export {
  ComponentStatus,
  Endpoints,
  LimitRange,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Service,
} from './builtin/core/kinds.js';
export { Namespace } from './builtin/core/namespace.js';
export { Node } from './builtin/core/node/node.js';
export { isPodReady, withPodCondition } from './builtin/core/pod/conditions.js';
export { allContainers } from './builtin/core/pod/containers.js';
export { Pod } from './builtin/core/pod/pod.js';
export { qosClass } from './builtin/core/pod/qos.js';
export type { PodSpec, StoredPod } from './builtin/core/pod/types.js';
export { mirrorAnnotation } from './builtin/core/pod/validate/validate-annotations.js';
export { validateTolerations } from './builtin/core/pod/validate/validate-tolerations.js';
export { Secret } from './builtin/core/secret.js';
export { ServiceAccount } from './builtin/core/service-account.js';
export {
  DEFAULT_NETWORK,
  DEFAULT_NODE_PORTS,
  parseClusterIPRanges,
  parseNodePortRange,
} from './builtin/core/service/allocation/ranges.js';
export { endpointAddresses, NoServiceAddress, servicePortName } from './builtin/core/service/endpoint-addresses.js';
export type { ServiceObject } from './builtin/core/service/types.js';
export { EndpointSlice } from './builtin/discovery/kinds.js';
export { EventEventsV1 } from './builtin/events/event.js';
export {
  autoUpdateAnnotation,
  isAbandoned,
  maintainedFlowSchemas,
  maintainedPriorityLevels,
  PRODUCER,
  revised,
  type MaintainedObject,
  type MaintainedSpecs,
} from './builtin/flowcontrol/bootstrap.js';
export {
  FlowSchema,
  FlowSchemaV1beta3,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationV1beta3,
} from './builtin/flowcontrol/kinds.js';
export { CATCH_ALL, EXEMPT, mandatoryFlowSchemas, mandatoryPriorityLevels } from './builtin/flowcontrol/mandatory.js';
export { builtinResources } from './builtin/index.js';
export { StorageVersion } from './builtin/internal/kinds.js';
export { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from './builtin/networking/kinds.js';
export { RuntimeClass } from './builtin/node/kinds.js';
export { Eviction } from './builtin/policy/eviction.js';
export { PodDisruptionBudget } from './builtin/policy/kinds.js';
export { ClusterRoleBinding, RoleBinding } from './builtin/rbac/binding.js';
export { ClusterRole, Role } from './builtin/rbac/role.js';
export {
  DeviceClass,
  PodSchedulingContext,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from './builtin/resource/kinds.js';
export { PriorityClass } from './builtin/scheduling/kinds.js';
export { SYSTEM_CRITICAL_PRIORITY } from './builtin/scheduling/system-classes.js';
export { loadExpressions } from './builtin/shared/expressions.js';
export { familyOfOctets, ipFamily, ipOctets, ipText, type IpFamily } from './builtin/shared/network/ip-address.js';
export { addressAt, hostBits, parseNetwork } from './builtin/shared/network/ip-network.js';
export { once } from './builtin/shared/once.js';
export { isExtendedResource } from './builtin/shared/resource-names.js';
export { signerNameErrors } from './builtin/shared/signer-name.js';
export { NOT_NEGATIVE, POSITIVE } from './builtin/shared/validate.js';
export { storageClassAnnotation, storageClassOf } from './builtin/shared/volume-class.js';
export {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
} from './builtin/storage/kinds.js';
export { StorageVersionMigration } from './builtin/storagemigration/kinds.js';
export { scaleSubresource } from './custom/scale.js';
export type { CustomScale } from './custom/source.js';
export { requireReviewType, reviewIn, reviewMember, reviewString, unmarshalText } from './custom/returned-review.js';
export {
  definitionObject,
  nameOfDefinition,
  readDefinitions,
  type WrittenDefinition,
} from './custom/sources/checked-definition.js';
export {
  DEFINITION_KIND,
  definitionApiVersion,
  dialectOfDefinition,
  inDialect,
} from './custom/sources/definition-dialect.js';
export {
  isText,
  readDocuments,
  textDocuments,
  type DefinitionSource,
  type SourceDocument,
} from './custom/sources/documents.js';
export { establishmentProblem } from './custom/sources/establishment.js';
export { resourcesFromCrd } from './custom/sources/resources-from-crd.js';
export { crdToTypescript } from './custom/sources/typescript.js';
export { callConversion, FUNCTION_TIMEOUT_MS, type ConversionFunction } from './custom/call-conversion.js';
export type { ConverterTools } from './custom/webhook-converter.js';
export { enabledBetas, groupOrder } from './facts/groups.js';
export { addAmounts, amountOf, countOf, negated, readAmounts, sumOf, type Amounts } from './quota/amounts.js';
export { QuotaCharges } from './quota/charges.js';
export { claimEvaluator } from './quota/claims.js';
export {
  isCounted,
  requirementsOf,
  type MeasuredObject,
  type QuotaEvaluator,
  type ScopedQuota,
  type ScopeRequirement,
} from './quota/evaluator.js';
export { QuotaLedger } from './quota/ledger.js';
export { countedKind, objectCounts } from './quota/object-counts.js';
export { podLimits, podRequests } from './quota/pod-resources.js';
export { podEvaluator } from './quota/pods.js';
export { serviceEvaluator } from './quota/services.js';
export { LateServiceAllocation, type ServiceOptions } from './services/service-allocation.js';
export { serviceResolver } from './services/service-resolver.js';
export { ensureSystemNamespaces } from './system/system-namespaces.js';
export { ensureSystemPriorityClasses } from './system/system-priority-classes.js';
export type * as admissionregistrationV1 from './types/admissionregistration-v1.js';
export type * as appsV1 from './types/apps-v1.js';
export type * as autoscalingV1 from './types/autoscaling-v1.js';
export type * as autoscalingV2 from './types/autoscaling-v2.js';
export type * as batchV1 from './types/batch-v1.js';
export type * as coreV1 from './types/core-v1.js';
export type * as discoveryV1 from './types/discovery-v1.js';
export type * as flowcontrolV1 from './types/flowcontrol-v1.js';
export type { LabelSelector } from './types/meta-v1.js';
export type * as metaV1 from './types/meta-v1.js';
export type * as policyV1 from './types/policy-v1.js';
