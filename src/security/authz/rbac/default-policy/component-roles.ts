import { READ, READ_WRITE, type BindingRow, type PolicyWords, type RoleRow } from './words.js';

/** Features that change the default policy. */
export interface ServedFeatures {
  /**
   * True when ClusterTrustBundles are served: every authenticated user can then read them; in Kubernetes only service
   * accounts can. Default false, like the feature.
   */
  readonly clusterTrustBundles?: boolean | undefined;
}

/** Rules of a component that delegates authentication and authorization to the server. */
const delegation = (words: PolicyWords) => [
  words.on('create', 'authentication.', 'tokenreviews'),
  words.on('create', 'authorization.', 'subjectaccessreviews'),
];

const nodeRules = (words: PolicyWords, { clusterTrustBundles = false }: ServedFeatures) => [
  words.on('create', 'authentication.', 'tokenreviews'),
  words.on('create', 'authorization.', 'localsubjectaccessreviews subjectaccessreviews'),
  words.on(READ, 'core', 'services'),
  words.on('create get list watch', 'core', 'nodes'),
  words.on('patch update', 'core', 'nodes/status'),
  words.on('patch update', 'core', 'nodes'),
  words.on('create patch update', 'core', 'events'),
  words.on(READ, 'core', 'pods'),
  words.on('create delete', 'core', 'pods'),
  words.on('patch update', 'core', 'pods/status'),
  words.on('create', 'core', 'pods/eviction'),
  words.on(READ, 'core', 'configmaps secrets'),
  words.on('get', 'core', 'persistentvolumeclaims persistentvolumes'),
  words.on('get', 'core', 'endpoints'),
  words.on('create get list watch', 'certificates.', 'certificatesigningrequests'),
  words.on('create delete get patch update', 'coordination.', 'leases'),
  words.on('get', 'storage.', 'volumeattachments'),
  words.on('create', 'core', 'serviceaccounts/token'),
  words.on('get patch update', 'core', 'persistentvolumeclaims/status'),
  words.on(READ, 'storage.', 'csidrivers'),
  words.on('create delete get patch update', 'storage.', 'csinodes'),
  words.on(READ, 'node.', 'runtimeclasses'),
  ...(clusterTrustBundles ? [words.on(READ, 'certificates.', 'clustertrustbundles')] : []),
];

const nodeRoles = (words: PolicyWords, served: ServedFeatures): readonly RoleRow[] => [
  { name: 'system:node', rules: nodeRules(words, served) },
  {
    name: 'system:node-bootstrapper',
    rules: [words.on('create get list watch', 'certificates.', 'certificatesigningrequests')],
  },
  {
    name: 'system:node-problem-detector',
    rules: [words.on('get', 'core', 'nodes'), words.on('patch', 'core', 'nodes/status'), words.events()],
  },
  {
    name: 'system:node-proxier',
    rules: [
      words.on('list watch', 'core', 'endpoints services'),
      words.on(READ, 'core', 'nodes'),
      words.events(),
      words.on('list watch', 'discovery.', 'endpointslices'),
    ],
  },
  {
    name: `system:${words.dialect.nodeAgentName}-api-admin`,
    rules: [
      words.on(READ, 'core', 'nodes'),
      words.on('proxy', 'core', 'nodes'),
      words.on('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
    ],
  },
];

const schedulerRules = (words: PolicyWords) => [
  words.events(),
  words.on('create', 'coordination.', 'leases'),
  words.on('get list update watch', 'coordination.', 'leases', words.component('scheduler')),
  words.on(READ_WRITE, 'coordination.', 'leasecandidates'),
  words.on(READ, 'core', 'nodes'),
  words.on('delete get list watch', 'core', 'pods'),
  words.on('create', 'core', 'bindings pods/binding'),
  words.on('patch update', 'core', 'pods/status'),
  words.on(READ, 'core', 'replicationcontrollers services'),
  words.on(READ, 'apps extensions', 'replicasets'),
  words.on(READ, 'apps', 'statefulsets'),
  words.on(READ, 'policy', 'poddisruptionbudgets'),
  words.on(READ, 'core', 'persistentvolumeclaims persistentvolumes'),
  ...delegation(words),
  words.on(READ, 'storage.', 'csinodes'),
  words.on(READ, 'core', 'namespaces'),
  words.on(READ, 'storage.', 'csidrivers'),
  words.on(READ, 'storage.', 'csistoragecapacities'),
];

const controllerManagerRules = (words: PolicyWords) => [
  words.events(),
  words.on('create', 'coordination.', 'leases'),
  words.on('get update', 'coordination.', 'leases', words.component('controller-manager')),
  words.on('create', 'core', 'secrets serviceaccounts'),
  words.on('delete', 'core', 'secrets'),
  words.on('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
  words.on('update', 'core', 'secrets serviceaccounts'),
  ...delegation(words),
  words.on('list watch', '*', '*'),
  words.on('create', 'core', 'serviceaccounts/token'),
];

const volumeRoles = (words: PolicyWords): readonly RoleRow[] => [
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      words.on('create delete get list watch', 'core', 'persistentvolumes'),
      words.on('get list update watch', 'core', 'persistentvolumeclaims'),
      words.on(READ, 'storage.', 'storageclasses'),
      words.on('watch', 'core', 'events'),
      words.events(),
    ],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      words.on('get list patch update watch', 'core', 'persistentvolumes'),
      words.on(READ, 'storage.', 'storageclasses'),
      words.on('get list patch update watch', 'core', 'persistentvolumeclaims'),
    ],
  },
];

/** Roles for certificates: requests by nodes, and approval for the platform's signers. */
function certificateRoles(words: PolicyWords): readonly RoleRow[] {
  const { dialect } = words;
  const prefix = `system:certificates.${dialect.groupSuffix}`;
  const requests = ['nodeclient', 'selfnodeclient'].map((kind) => ({
    name: `${prefix}:certificatesigningrequests:${kind}`,
    rules: [words.on('create', 'certificates.', `certificatesigningrequests/${kind}`)],
  }));
  const approvers = words.signers.map((signer) => ({
    name: `${prefix}:${signer.slice(signer.indexOf('/') + 1)}-approver`,
    rules: [words.on('approve', 'certificates.', 'signers', signer)],
  }));
  return [...requests, ...approvers];
}

/** Roles of the platform's components, and roles for other components. */
export const componentRoles = (words: PolicyWords, served: ServedFeatures): readonly RoleRow[] => [
  { name: 'system:auth-delegator', rules: delegation(words) },
  ...certificateRoles(words),
  {
    name: 'system:heapster',
    rules: [words.on(READ, 'core', 'events namespaces nodes pods'), words.on(READ, 'extensions', 'deployments')],
  },
  { name: `system:${words.component('aggregator')}`, rules: [words.on(READ, 'core', 'endpoints services')] },
  { name: `system:${words.component('controller-manager')}`, rules: controllerManagerRules(words) },
  { name: `system:${words.component('dns')}`, rules: [words.on('list watch', 'core', 'endpoints services')] },
  { name: `system:${words.component('scheduler')}`, rules: schedulerRules(words) },
  ...nodeRoles(words, served),
  ...volumeRoles(words),
  ...(served.clusterTrustBundles === true
    ? [
        {
          name: 'system:cluster-trust-bundle-discovery',
          rules: [words.on(READ, 'certificates.', 'clustertrustbundles')],
        },
      ]
    : []),
];

/** Bindings of the component roles. The role of node agents has no subjects: the Node authorizer decides for them. */
export function componentBindings(words: PolicyWords, served: ServedFeatures): readonly BindingRow[] {
  const scheduler = `system:${words.component('scheduler')}`;
  const controllerManager = `system:${words.component('controller-manager')}`;
  const dns = words.component('dns');
  return [
    { name: controllerManager, subjects: [words.user(controllerManager)] },
    { name: `system:${dns}`, subjects: [words.account(dns)] },
    { name: scheduler, subjects: [words.user(scheduler)] },
    { name: 'system:node', subjects: [] },
    { name: 'system:node-proxier', subjects: [words.user(`system:${words.component('proxy')}`)] },
    { name: 'system:volume-scheduler', subjects: [words.user(scheduler)] },
    ...(served.clusterTrustBundles === true
      ? [
          {
            name: 'system:cluster-trust-bundle-discovery',
            subjects: [words.group('system:authenticated'), words.group('system:serviceaccounts')],
          },
        ]
      : []),
  ];
}
