import { READ, READ_WRITE, WRITE, type BindingRow, type PolicyWords, type RoleRow } from './words.js';

/** Resources that a viewer of a namespace reads, by group. */
const VIEWED: readonly (readonly [group: string, resources: string])[] = [
  [
    'core',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale ' +
      'serviceaccounts services services/status',
  ],
  [
    'core',
    'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ],
  ['core', 'namespaces'],
  ['discovery.', 'endpointslices'],
  [
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale ' +
      'replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ],
  ['autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'],
  ['batch', 'cronjobs cronjobs/status jobs jobs/status'],
  [
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets ' +
      'replicasets/scale replicasets/status replicationcontrollers/scale',
  ],
  ['policy', 'poddisruptionbudgets poddisruptionbudgets/status'],
  ['networking.', 'ingresses ingresses/status networkpolicies'],
];

/** Resources that an editor of a namespace writes, by group, besides those of {@link editRules}. */
const EDITED: readonly (readonly [group: string, resources: string])[] = [
  [
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ],
  ['autoscaling', 'horizontalpodautoscalers'],
  ['batch', 'cronjobs jobs'],
  [
    'extensions',
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
  ],
  ['policy', 'poddisruptionbudgets'],
  ['networking.', 'ingresses networkpolicies'],
];

const editRules = (words: PolicyWords) => [
  words.on(READ, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  words.on('impersonate', 'core', 'serviceaccounts'),
  words.on(WRITE, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  words.on('create', 'core', 'pods/eviction'),
  words.on(
    WRITE,
    'core',
    'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  words.on('create', 'core', 'serviceaccounts/token'),
  ...EDITED.map(([group, resources]) => words.on(WRITE, group, resources)),
  words.on(READ_WRITE, 'coordination.', 'leases'),
];

/** Returns the roles for people: cluster-admin, and admin, edit and view of a namespace. */
export const userRoles = (words: PolicyWords): readonly RoleRow[] => [
  { name: 'cluster-admin', rules: [words.on('*', '*', '*'), words.urls('*', '*')] },
  { name: 'admin', sumOf: 'admin' },
  { name: 'edit', sumOf: 'edit', addsTo: 'admin' },
  { name: 'view', sumOf: 'view', addsTo: 'edit' },
  {
    name: 'system:aggregate-to-admin',
    addsTo: 'admin',
    rules: [
      words.on('create', 'authorization.', 'localsubjectaccessreviews'),
      words.on(READ_WRITE, 'rbac.authorization.', 'rolebindings roles'),
    ],
  },
  { name: 'system:aggregate-to-edit', addsTo: 'edit', rules: editRules(words) },
  {
    name: 'system:aggregate-to-view',
    addsTo: 'view',
    rules: VIEWED.map(([group, resources]) => words.on(READ, group, resources)),
  },
];

/** Returns the roles of every user: health, discovery, and the user's own identity and permissions. */
export const commonRoles = (words: PolicyWords): readonly RoleRow[] => [
  {
    name: 'system:discovery',
    rules: [
      words.urls('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
    ],
  },
  { name: 'system:public-info-viewer', rules: [words.urls('get', '/healthz /livez /readyz /version /version/')] },
  {
    name: 'system:basic-user',
    rules: [
      words.on('create', 'authorization.', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      words.on('create', 'authentication.', 'selfsubjectreviews'),
    ],
  },
  {
    name: 'system:monitoring',
    rules: [words.urls('get', '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*')],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      words.urls(
        'get',
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ],
  },
];

/** Returns the bindings of these roles. */
export const commonBindings = (words: PolicyWords): readonly BindingRow[] => [
  { name: 'cluster-admin', subjects: [words.group('system:masters')] },
  { name: 'system:monitoring', subjects: [words.group('system:monitoring')] },
  { name: 'system:discovery', subjects: [words.group('system:authenticated')] },
  { name: 'system:basic-user', subjects: [words.group('system:authenticated')] },
  {
    name: 'system:public-info-viewer',
    subjects: [words.group('system:authenticated'), words.group('system:unauthenticated')],
  },
  { name: 'system:service-account-issuer-discovery', subjects: [words.group('system:serviceaccounts')] },
];
