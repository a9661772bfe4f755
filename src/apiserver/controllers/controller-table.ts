import {
  clusterRoleAggregation,
  namespaceController,
  serviceAccountController,
  type Controller,
  type ControllerHost,
  type EventRecorder,
  type RecordingHost,
  type ServedKinds,
} from '../../controllers/index.js';
import {
  importAdvertisedService,
  importApiServiceAvailability,
  importApiServiceRegistration,
  importApproving,
  importBootstrapSigner,
  importCleaner,
  importConsumer,
  importController,
  importCronJob,
  importCustomResourceDefinitionsController,
  importDaemonset,
  importDeployment,
  importDisruption,
  importEndpoint,
  importEndpointSlice,
  importExtensionAuthentication,
  importHorizontal,
  importIdentityLease,
  importJob,
  importMirroring,
  importPodGc,
  importProducer,
  importPvcProtection,
  importPvProtection,
  importReplicaset,
  importReplicationController,
  importResourceQuotaController,
  importRootCaCertPublisher,
  importServiceAccountToken,
  importSigning,
  importStatefulset,
  importTokenCleaner,
  importTrustBundlePublisher,
  importTtlAfterFinished,
  importValidatingAdmissionPolicyStatus,
} from '../../controllers/late.js';
import {
  APIService,
  CertificateSigningRequest,
  ClusterRole,
  ClusterTrustBundle,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Endpoints,
  EndpointSlice,
  FlowSchema,
  FlowSchemaV1beta3,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  Job,
  Lease,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationV1beta3,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
} from '../../kinds/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import { controllerNames, type ControllerName } from './controller-names.js';
import { kindsOf, type ControllerOptions } from './controller-options.js';

/** Default of {@link ControllerSettings.terminatedPodThreshold}, as in Kubernetes. */
const TERMINATED_POD_THRESHOLD = 12_500;

/** The parts that the factories of the controllers use. */
export interface ControllerParts extends ControllerHost {
  readonly kinds: ServedKinds;
  readonly options: ControllerOptions;
  /** Returns the recorder of the events of all controllers. The first call creates and starts it. */
  readonly recorder: () => Promise<EventRecorder>;
  /** When the controllers started, in milliseconds since the epoch. A deferred controller may start later. */
  readonly startedMs: number;
}

/** A controller before its start. */
interface ControllerEntry {
  /** Creates the controller, or returns undefined when it has nothing to do on this server. */
  create(parts: ControllerParts): Controller | undefined | Promise<Controller | undefined>;
  /**
   * Kinds that the controller works for: it starts with their first object, so that a server without such objects does
   * not pay for it. Absent: it starts with the server.
   */
  readonly needs?: readonly ResourceDefinition[] | undefined;
  /** Whether it starts with the first listener of the server. Default false. */
  readonly needsListener?: boolean | undefined;
  /**
   * Servers that run it although no option names it: `always` (default) all, `in-tests` those of `startTestServer`,
   * `by-name` none.
   */
  readonly runs?: 'always' | 'in-tests' | 'by-name' | undefined;
}

/** The kinds that configure API Priority and Fairness, in all versions. */
const FLOW_CONTROL_KINDS: readonly ResourceDefinition[] = [
  FlowSchema,
  FlowSchemaV1beta3,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationV1beta3,
];

/** The controllers. Those that many servers do not need are loaded on first use. */
export const controllerTable: Readonly<Record<ControllerName, ControllerEntry>> = {
  namespace: {
    create: (parts) =>
      namespaceController({
        ...hostOf(parts),
        kinds: parts.kinds,
        deletionDelayMs: parts.options.namespaceDeletionDelayMs ?? 0,
        ordered: parts.options.orderedNamespaceDeletion === true,
      }),
  },
  'apiserver-identity-lease': {
    needsListener: true,
    create: async (parts) => {
      const { listeners } = parts.options;
      if (listeners === undefined || !serves(parts, Lease)) return undefined;
      const { identityLeaseController } = await importIdentityLease();
      return identityLeaseController({ ...hostOf(parts), listeners });
    },
  },
  'apiserver-service': {
    needsListener: true,
    create: async (parts) => {
      const { listeners } = parts.options;
      const kinds = [Service, Endpoints, EndpointSlice, Lease];
      if (listeners === undefined || !kinds.every((kind) => serves(parts, kind))) return undefined;
      const { advertisedServiceController } = await importAdvertisedService();
      return advertisedServiceController({ ...hostOf(parts), listeners });
    },
  },
  'garbage-collector': {
    create: async (parts) => {
      const { garbageCollector } = await importController();
      return garbageCollector({
        ...hostOf(parts),
        kinds: parts.kinds,
        crossNamespaceOwners: parts.options.crossNamespaceOwners ?? 'absent',
      });
    },
  },
  serviceaccount: {
    create: (parts) => serviceAccountController(hostOf(parts)),
  },
  'root-ca-cert-publisher': {
    create: async (parts) => {
      const { rootCertificateAuthority: certificateAuthority } = parts.options;
      if (certificateAuthority === undefined) return undefined;
      const { rootCaPublisher } = await importRootCaCertPublisher();
      return rootCaPublisher({ ...hostOf(parts), certificateAuthority });
    },
  },
  'clusterrole-aggregation': {
    needs: [ClusterRole],
    create: (parts) => clusterRoleAggregation(hostOf(parts)),
  },
  csrapproving: {
    needs: [CertificateSigningRequest],
    create: async (parts) => {
      const { requestApprover } = await importApproving();
      return requestApprover(hostOf(parts));
    },
  },
  csrsigning: {
    needs: [CertificateSigningRequest],
    create: async (parts) => {
      const { signingAuthorities: authorities } = parts.options;
      if (authorities === undefined) return undefined;
      const { requestSigner } = await importSigning();
      return requestSigner({ ...hostOf(parts), authorities });
    },
  },
  csrcleaner: {
    needs: [CertificateSigningRequest],
    create: async (parts) => {
      const { requestCleaner } = await importCleaner();
      return requestCleaner({ ...hostOf(parts), startedMs: parts.startedMs });
    },
  },
  'apiserver-serving-clustertrustbundle-publisher': {
    create: async (parts) => {
      const { rootCertificateAuthority: certificateAuthority, dialect } = parts.options;
      if (certificateAuthority === undefined || !serves(parts, ClusterTrustBundle)) return undefined;
      const { trustBundlePublisher } = await importTrustBundlePublisher();
      return trustBundlePublisher({
        ...hostOf(parts),
        signerName: dialect.apiServerServingSigner,
        certificateAuthority,
      });
    },
  },
  tokencleaner: {
    runs: 'by-name',
    create: async (parts) => {
      const { tokenCleaner } = await importTokenCleaner();
      return tokenCleaner(hostOf(parts));
    },
  },
  bootstrapsigner: {
    runs: 'by-name',
    create: async (parts) => {
      const { bootstrapSigner } = await importBootstrapSigner();
      return bootstrapSigner(hostOf(parts));
    },
  },
  customresourcedefinition: {
    needs: [CustomResourceDefinition],
    create: async (parts) => {
      const { customKinds: host } = parts.options;
      if (host === undefined) return undefined;
      const { definitionController } = await importCustomResourceDefinitionsController();
      return definitionController({ ...hostOf(parts), kinds: parts.kinds, host });
    },
  },
  replicaset: {
    needs: [ReplicaSet],
    runs: 'in-tests',
    create: async (parts) => {
      const { replicaSetController } = await importReplicaset();
      return replicaSetController(await recordingHost(parts));
    },
  },
  deployment: {
    needs: [Deployment],
    runs: 'in-tests',
    create: async (parts) => {
      const { deploymentController } = await importDeployment();
      return deploymentController(await recordingHost(parts));
    },
  },
  statefulset: {
    needs: [StatefulSet],
    runs: 'in-tests',
    create: async (parts) => {
      const { statefulSetController } = await importStatefulset();
      return statefulSetController(await recordingHost(parts));
    },
  },
  endpoint: {
    needs: [Service],
    runs: 'in-tests',
    create: async (parts) => {
      const { endpointController } = await importEndpoint();
      return endpointController({ ...(await recordingHost(parts)), startedMs: parts.startedMs });
    },
  },
  endpointslice: {
    needs: [Service],
    runs: 'in-tests',
    create: async (parts) => {
      const { endpointSliceController } = await importEndpointSlice();
      return endpointSliceController({ ...(await recordingHost(parts)), startedMs: parts.startedMs });
    },
  },
  endpointslicemirroring: {
    needs: [Endpoints],
    runs: 'in-tests',
    create: async (parts) => {
      const { endpointSliceMirroringController } = await importMirroring();
      return endpointSliceMirroringController({ ...(await recordingHost(parts)), startedMs: parts.startedMs });
    },
  },
  disruption: {
    needs: [PodDisruptionBudget],
    runs: 'in-tests',
    create: async (parts) => {
      const { disruptionController } = await importDisruption();
      return disruptionController({ ...(await recordingHost(parts)), kinds: parts.kinds });
    },
  },
  daemonset: {
    needs: [DaemonSet],
    runs: 'in-tests',
    create: async (parts) => {
      const { daemonSetController } = await importDaemonset();
      return daemonSetController(await recordingHost(parts));
    },
  },
  replicationcontroller: {
    needs: [ReplicationController],
    runs: 'in-tests',
    create: async (parts) => {
      const { replicationControllerController } = await importReplicationController();
      return replicationControllerController(await recordingHost(parts));
    },
  },
  job: {
    needs: [Job],
    runs: 'in-tests',
    create: async (parts) => {
      const { jobController } = await importJob();
      return jobController(await recordingHost(parts));
    },
  },
  cronjob: {
    needs: [CronJob],
    runs: 'in-tests',
    create: async (parts) => {
      const { cronJobController } = await importCronJob();
      return cronJobController(await recordingHost(parts));
    },
  },
  'ttl-after-finished': {
    needs: [Job],
    runs: 'in-tests',
    create: async (parts) => {
      const { ttlAfterFinishedController } = await importTtlAfterFinished();
      return ttlAfterFinishedController(hostOf(parts));
    },
  },
  podgc: {
    needs: [Pod],
    runs: 'in-tests',
    create: async (parts) => {
      const { podGarbageCollector } = await importPodGc();
      const { terminatedPodThreshold = TERMINATED_POD_THRESHOLD } = parts.options;
      return podGarbageCollector({ ...hostOf(parts), terminatedPodThreshold });
    },
  },
  horizontalpodautoscaling: {
    needs: [HorizontalPodAutoscaler, HorizontalPodAutoscalerV1],
    runs: 'in-tests',
    create: async (parts) => {
      if (!serves(parts, HorizontalPodAutoscaler)) return undefined;
      const { horizontalAutoscaler } = await importHorizontal();
      return horizontalAutoscaler({ ...(await recordingHost(parts)), kinds: parts.kinds });
    },
  },
  'serviceaccount-token': {
    needs: [Secret],
    runs: 'in-tests',
    create: async (parts) => {
      const { signLegacyToken: sign, rootCertificateAuthority: certificateAuthority } = parts.options;
      if (sign === undefined) return undefined;
      const { serviceAccountTokenController } = await importServiceAccountToken();
      return serviceAccountTokenController({
        ...hostOf(parts),
        sign,
        certificateAuthority,
      });
    },
  },
  resourcequota: {
    needs: [ResourceQuota],
    create: async (parts) => {
      const { resourceQuotaController } = await importResourceQuotaController();
      return resourceQuotaController({
        ...hostOf(parts),
        kinds: parts.kinds,
        charges: parts.options.quotaCharges,
      });
    },
  },
  'pv-protection': {
    needs: [PersistentVolume],
    create: async (parts) => {
      const { volumeProtection } = await importPvProtection();
      return volumeProtection(hostOf(parts));
    },
  },
  'pvc-protection': {
    needs: [PersistentVolumeClaim],
    create: async (parts) => {
      const { claimProtection } = await importPvcProtection();
      return claimProtection(hostOf(parts));
    },
  },
  'validatingadmissionpolicy-status': {
    needs: [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyV1beta1, ValidatingAdmissionPolicyV1alpha1],
    create: async (parts) => {
      const { featureGates } = parts.options;
      if (featureGates === undefined || !serves(parts, ValidatingAdmissionPolicy)) return undefined;
      const { policyStatusController } = await importValidatingAdmissionPolicyStatus();
      return policyStatusController({ ...hostOf(parts), featureGates, kinds: parts.kinds });
    },
  },
  'priority-and-fairness-config-producer': {
    needs: FLOW_CONTROL_KINDS,
    create: async (parts) => {
      if (!hasFlowControl(parts)) return undefined;
      const { flowControlProducer } = await importProducer();
      return flowControlProducer(hostOf(parts));
    },
  },
  'priority-and-fairness-config-consumer': {
    needs: FLOW_CONTROL_KINDS,
    create: async (parts) => {
      if (!hasFlowControl(parts)) return undefined;
      const { flowControlConsumer } = await importConsumer();
      return flowControlConsumer(hostOf(parts));
    },
  },
  'apiservice-availability': {
    needs: [APIService],
    create: async (parts) => {
      const { apiServiceChecks: checks } = parts.options;
      if (checks === undefined || ![Service, Endpoints].every((kind) => serves(parts, kind))) return undefined;
      const { apiServiceAvailability } = await importApiServiceAvailability();
      return apiServiceAvailability({ ...hostOf(parts), checks });
    },
  },
  'apiservice-registration': {
    needs: [APIService],
    create: async (parts) => {
      const { apiServiceRegistration } = await importApiServiceRegistration();
      return apiServiceRegistration({ ...hostOf(parts), kinds: parts.kinds });
    },
  },
  'extension-apiserver-authentication': {
    needs: [APIService],
    create: async (parts) => {
      const { extensionTrust: trust } = parts.options;
      if (trust === undefined || !serves(parts, ConfigMap)) return undefined;
      const { extensionAuthentication } = await importExtensionAuthentication();
      return extensionAuthentication({ ...hostOf(parts), trust });
    },
  },
};

/** The controllers that start with the first listener of the server. */
export const apiServerListeners: readonly ControllerName[] = controllerNames.filter(
  (name) => controllerTable[name].needsListener === true,
);

/** Controllers that start with the first request, or listener, that needs them. */
export const deferredControllers: readonly ControllerName[] = controllerNames.filter(
  (name) =>
    name === 'garbage-collector' ||
    controllerTable[name].needs !== undefined ||
    controllerTable[name].needsListener === true,
);

/** Returns the part of the server that all controllers share. */
const hostOf = ({ client, clock, dialect, informers, onError }: ControllerParts): ControllerHost => ({
  client,
  clock,
  dialect,
  informers,
  onError,
});

/** {@link hostOf}, for controllers that record events. */
const recordingHost = async (parts: ControllerParts): Promise<RecordingHost> => ({
  ...hostOf(parts),
  recorder: await parts.recorder(),
});

const serves = ({ options }: ControllerParts, definition: ResourceDefinition): boolean =>
  kindsOf(options).definitions().includes(definition);

const hasFlowControl = (parts: ControllerParts): boolean =>
  parts.options.fairness === true && serves(parts, FlowSchema) && serves(parts, PriorityLevelConfiguration);

/** Controllers that run only when they are enabled by name. */
export const controllersOffByDefault: readonly ControllerName[] = controllerNames.filter(
  (name) => (controllerTable[name].runs ?? 'always') !== 'always',
);

/** Controllers that a server of a test runs by default besides those of every server. */
export const controllersOfTests: readonly ControllerName[] = controllerNames.filter(
  (name) => controllerTable[name].runs === 'in-tests',
);

/** Controllers that start with the first object of certain kinds, by these kinds. */
export function controllersByNeed(): Map<ResourceDefinition, ControllerName[]> {
  const byNeed = new Map<ResourceDefinition, ControllerName[]>();
  for (const name of controllerNames)
    for (const definition of controllerTable[name].needs ?? [])
      byNeed.set(definition, [...(byNeed.get(definition) ?? []), name]);
  return byNeed;
}
