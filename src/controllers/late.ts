/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importValidatingAdmissionPolicyStatus = () => import('./admission/validating-admission-policy-status.js');
export const importAdvertisedService = () => import('./api-server/advertised-service.js');
export const importIdentityLease = () => import('./api-server/identity-lease.js');
export const importApiServiceAvailability = () => import('./api-services/availability.js');
export const importLocalVersions = () => import('./api-services/local-versions.js');
export const importExtensionAuthentication = () => import('./api-services/extension-authentication.js');
export const importApiServiceRegistration = () => import('./api-services/registration.js');
export const importHorizontal = () => import('./autoscaling/horizontal.js');
export const importBootstrapSigner = () => import('./bootstrap/bootstrap-signer.js');
export const importTokenCleaner = () => import('./bootstrap/token-cleaner.js');
export const importApproving = () => import('./certificates/approving.js');
export const importCleaner = () => import('./certificates/cleaner.js');
export const importRootCaCertPublisher = () => import('./certificates/root-ca-cert-publisher.js');
export const importSigning = () => import('./certificates/signing.js');
export const importTrustBundlePublisher = () => import('./certificates/trust-bundle-publisher.js');
export const importCustomResourceDefinitionsController = () => import('./custom-resource-definitions/controller.js');
export const importDisruption = () => import('./disruption/disruption.js');
export const importEndpointSlice = () => import('./endpoints/endpoint-slice.js');
export const importEndpoint = () => import('./endpoints/endpoint.js');
export const importMirroring = () => import('./endpoints/mirroring.js');
export const importConsumer = () => import('./flow-control/consumer.js');
export const importProducer = () => import('./flow-control/producer.js');
export const importController = () => import('./garbage-collector/controller.js');
export const importCronJob = () => import('./jobs/cron-job/cron-job.js');
export const importJob = () => import('./jobs/job/job.js');
export const importTtlAfterFinished = () => import('./jobs/ttl-after-finished.js');
export const importPodGc = () => import('./pod-gc/pod-gc.js');
export const importResourceQuotaController = () => import('./resource-quota/controller.js');
export const importLeaderElection = () => import('./runtime/election/leader-election.js');
export const importEventRecorder = () => import('./runtime/event-recorder.js');
export const importServiceAccountToken = () => import('./service-accounts/service-account-token.js');
export const importPvProtection = () => import('./volumes/pv-protection.js');
export const importPvcProtection = () => import('./volumes/pvc-protection.js');
export const importDaemonset = () => import('./workloads/daemon-set/daemonset.js');
export const importDeployment = () => import('./workloads/deployment/deployment.js');
export const importReplicaset = () => import('./workloads/replicaset/replicaset.js');
export const importReplicationController = () => import('./workloads/replicaset/replication-controller.js');
export const importStatefulset = () => import('./workloads/statefulset/statefulset.js');
