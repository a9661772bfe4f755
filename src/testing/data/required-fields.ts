import type { JsonObject } from '../../foundation/index.js';

const labels = { app: 'sample' };
const selector = { matchLabels: labels };
const template = (restartPolicy = 'Always'): JsonObject => ({
  metadata: { labels },
  spec: { restartPolicy, containers: [{ name: 'main', image: 'nginx' }] },
});
const jobSpec = { template: template('Never') };
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const target = (kind: string): JsonObject => ({ apiVersion: 'apps/v1', kind, name: 'web' });
const devices = { devices: { requests: [{ name: 'gpu', deviceClassName: 'gpu' }] } };

const webhookConfiguration = {
  webhooks: [
    {
      name: 'sample.example.com',
      clientConfig: { url: 'https://example.com/hook' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      // Nobody answers at the address: the server would refuse what the rule matches.
      rules: [
        { operations: ['CREATE'], apiGroups: ['sample.example.com'], apiVersions: ['v1'], resources: ['samples'] },
      ],
    },
  ],
};
const policy = {
  spec: {
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    },
    validations: [{ expression: 'true' }],
  },
};
const policyBinding = { spec: { policyName: 'sample', validationActions: ['Deny'] } };
const flowSchema = { spec: { priorityLevelConfiguration: { name: 'sample' }, matchingPrecedence: 1000 } };
const priorityLevel = {
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
};

/**
 * The required fields of a valid object of each built-in kind, by `Kind.group` with the first word of the group. A kind
 * that is not here requires none, or depends on the name of its object, on certificates or on the namespace.
 */
export const requiredFields: Readonly<Record<string, JsonObject>> = {
  'Pod.': { spec: { containers: [{ name: 'main', image: 'nginx' }] } },
  'PodTemplate.': { template: template() },
  'ReplicationController.': { spec: { selector: labels, template: template() } },
  'Service.': { spec: { selector: labels, ports: [{ port: 80 }] } },
  'Endpoints.': { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }] },
  'LimitRange.': { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } },
  'ResourceQuota.': { spec: { hard: { pods: '10' } } },
  'PersistentVolume.': {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
  },
  'PersistentVolumeClaim.': { spec: claimSpec },
  'Binding.': { target: { kind: 'Node', name: 'sample' } },
  'Deployment.apps': { spec: { selector, template: template() } },
  'ReplicaSet.apps': { spec: { selector, template: template() } },
  'DaemonSet.apps': { spec: { selector, template: template() } },
  'StatefulSet.apps': { spec: { serviceName: 'sample', selector, template: template() } },
  'ControllerRevision.apps': { revision: 1, data: { a: 'b' } },
  'Job.batch': { spec: jobSpec },
  'CronJob.batch': { spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } } },
  'HorizontalPodAutoscaler.autoscaling': { spec: { scaleTargetRef: target('Deployment'), maxReplicas: 3 } },
  'Scale.autoscaling': { spec: { replicas: 1 } },
  'PodDisruptionBudget.policy': { spec: { minAvailable: 1, selector } },
  'Ingress.networking': { spec: { defaultBackend: { service: { name: 'sample', port: { number: 80 } } } } },
  'IngressClass.networking': { spec: { controller: 'example.com/ingress' } },
  'NetworkPolicy.networking': { spec: { podSelector: {} } },
  'EndpointSlice.discovery': { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }], ports: [] },
  'StorageClass.storage': { provisioner: 'example.com/disk' },
  'CSIDriver.storage': { spec: { attachRequired: true } },
  'CSINode.storage': { spec: { drivers: [] } },
  'CSIStorageCapacity.storage': { storageClassName: 'sample' },
  'VolumeAttachment.storage': {
    spec: { attacher: 'example.com', nodeName: 'sample', source: { persistentVolumeName: 'sample' } },
  },
  'VolumeAttributesClass.storage': { driverName: 'example.com', parameters: { a: 'b' } },
  'PriorityClass.scheduling': { value: 10 },
  'RuntimeClass.node': { handler: 'sample' },
  'Lease.coordination': { spec: { holderIdentity: 'me' } },
  'LeaseCandidate.coordination': {
    spec: {
      leaseName: 'sample',
      binaryVersion: '1.31.0',
      emulationVersion: '1.31.0',
      preferredStrategies: ['OldestEmulationVersion'],
    },
  },
  'MutatingWebhookConfiguration.admissionregistration': webhookConfiguration,
  'ValidatingWebhookConfiguration.admissionregistration': webhookConfiguration,
  'ValidatingAdmissionPolicy.admissionregistration': policy,
  'ValidatingAdmissionPolicyBinding.admissionregistration': policyBinding,
  'FlowSchema.flowcontrol': flowSchema,
  'PriorityLevelConfiguration.flowcontrol': priorityLevel,
  'DeviceClass.resource': {},
  'ResourceClaim.resource': { spec: devices },
  'ResourceClaimTemplate.resource': { spec: { spec: devices } },
  'ResourceSlice.resource': {
    spec: { driver: 'gpu.example.com', pool: { name: 'sample', resourceSliceCount: 1 }, allNodes: true },
  },
  'PodSchedulingContext.resource': {},
  'StorageVersionMigration.storagemigration': { spec: { resource: { version: 'v1', resource: 'secrets' } } },
  'Role.rbac': { rules: [] },
  'ClusterRole.rbac': { rules: [] },
  'TokenReview.authentication': { spec: { token: 'admin' } },
};
