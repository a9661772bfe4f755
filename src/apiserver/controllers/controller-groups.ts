import type { ControllerName } from './controller-names.js';

/** Names of the groups of controllers. Among servers that share a store, each group runs on one of them. */
export const controllerGroupNames = ['lifecycle', 'identity', 'workloads', 'network', 'quota', 'definitions'] as const;

/** A group of controllers. */
export type ControllerGroup = (typeof controllerGroupNames)[number];

/** The group of each controller; `each` for those that every server runs for itself. */
export const groupOfController: Readonly<Record<ControllerName, ControllerGroup | 'each'>> = {
  namespace: 'lifecycle',
  'garbage-collector': 'lifecycle',
  'ttl-after-finished': 'lifecycle',
  podgc: 'lifecycle',
  'pv-protection': 'lifecycle',
  'pvc-protection': 'lifecycle',
  serviceaccount: 'identity',
  'serviceaccount-token': 'identity',
  'root-ca-cert-publisher': 'identity',
  'apiserver-serving-clustertrustbundle-publisher': 'identity',
  'clusterrole-aggregation': 'identity',
  csrapproving: 'identity',
  csrsigning: 'identity',
  csrcleaner: 'identity',
  tokencleaner: 'identity',
  bootstrapsigner: 'identity',
  replicaset: 'workloads',
  deployment: 'workloads',
  statefulset: 'workloads',
  daemonset: 'workloads',
  replicationcontroller: 'workloads',
  job: 'workloads',
  cronjob: 'workloads',
  disruption: 'workloads',
  horizontalpodautoscaling: 'workloads',
  endpoint: 'network',
  endpointslice: 'network',
  endpointslicemirroring: 'network',
  resourcequota: 'quota',
  customresourcedefinition: 'definitions',
  'validatingadmissionpolicy-status': 'definitions',
  'priority-and-fairness-config-producer': 'definitions',
  'priority-and-fairness-config-consumer': 'definitions',
  'apiservice-availability': 'definitions',
  'apiservice-registration': 'definitions',
  'extension-apiserver-authentication': 'each',
  'apiserver-identity-lease': 'each',
  'apiserver-service': 'each',
};
