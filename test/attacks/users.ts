/** The users of a server under attack: attackers by their rights, and the user of the probe. */
import type { Client } from './client.js';
import type { Rights } from './row.js';

/** Token of each user, which is also the name. */
export const TOKENS: Readonly<Record<Exclude<Rights, 'owner'> | 'mouse', string>> = {
  none: 'nobody',
  view: 'viewer',
  edit: 'editor',
  define: 'definer',
  mouse: 'mouse',
};

/** A token file for `--token-auth-file`. */
export const TOKEN_FILE = Object.values(TOKENS)
  .map((name) => `${name},${name},${name}\n`)
  .join('');

const READ = ['get', 'list', 'watch'];
const WRITE = [...READ, 'create', 'update', 'patch', 'delete', 'deletecollection'];
const KINDS = {
  '': [
    ...['configmaps', 'endpoints', 'namespaces', 'persistentvolumeclaims', 'pods', 'pods/eviction'],
    ...['replicationcontrollers', 'resourcequotas', 'services'],
  ],
  apps: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
  'discovery.k8s.io': ['endpointslices'],
  autoscaling: ['horizontalpodautoscalers'],
  policy: ['poddisruptionbudgets'],
  'attack.example.com': ['*'],
};
const DEFINITIONS = {
  'apiextensions.k8s.io': ['*'],
  'admissionregistration.k8s.io': ['*'],
};

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const rules = (kinds: Readonly<Record<string, readonly string[]>>, verbs: readonly string[]): Rule[] =>
  Object.entries(kinds).map(([group, resources]) => ({ apiGroups: [group], resources, verbs }));

const ROLES: Readonly<Record<string, readonly Rule[]>> = {
  viewer: rules(KINDS, READ),
  editor: rules(KINDS, WRITE),
  definer: rules({ ...KINDS, ...DEFINITIONS }, WRITE),
};

const RBAC = 'rbac.authorization.k8s.io';
const BASE = `/apis/${RBAC}/v1`;

/** Name of the flow schema of the attackers, which every server has. */
export const ATTACKERS_FLOW = 'global-default';
/** Name of the flow schema of the mouse. */
export const PROBE_FLOW = 'mouse';

/**
 * Gives the mouse a flow schema of its own in the priority level of the attackers: its name tells in the metrics whom
 * processor time is charged to.
 */
async function nameFlow(owner: Client): Promise<void> {
  const all = ['*'];
  const rules = {
    subjects: [{ kind: 'User', user: { name: TOKENS.mouse } }],
    resourceRules: [{ verbs: all, apiGroups: all, resources: all, clusterScope: true, namespaces: all }],
    nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
  };
  await owner.must({
    ...{ method: 'POST', path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas' },
    body: JSON.stringify({
      metadata: { name: PROBE_FLOW },
      spec: {
        priorityLevelConfiguration: { name: 'global-default' },
        matchingPrecedence: 9_000,
        distinguisherMethod: { type: 'ByUser' },
        rules: [rules],
      },
    }),
  });
}

/** Grants the users their rights. The mouse may do everything with the ConfigMaps of its own namespace. */
export async function grantRights(owner: Client): Promise<void> {
  const create = (path: string, object: object): Promise<unknown> =>
    owner.must({ method: 'POST', path, body: JSON.stringify(object) });
  const subjects = (name: string): object[] => [{ kind: 'User', name, apiGroup: RBAC }];
  const roleRef = (kind: string, name: string): object => ({ apiGroup: RBAC, kind, name });
  for (const name of ['mouse', 'attack']) await create('/api/v1/namespaces', { metadata: { name } });
  for (const [name, rule] of Object.entries(ROLES)) {
    await create(`${BASE}/clusterroles`, { metadata: { name: `attack-${name}` }, rules: rule });
    await create(`${BASE}/clusterrolebindings`, {
      metadata: { name: `attack-${name}` },
      subjects: subjects(name),
      roleRef: roleRef('ClusterRole', `attack-${name}`),
    });
  }
  await create(`${BASE}/namespaces/mouse/roles`, {
    metadata: { name: 'mouse' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: WRITE }],
  });
  await create(`${BASE}/namespaces/mouse/rolebindings`, {
    metadata: { name: 'mouse' },
    subjects: subjects('mouse'),
    roleRef: roleRef('Role', 'mouse'),
  });
  await nameFlow(owner);
  await create('/api/v1/namespaces/mouse/configmaps', { metadata: { name: 'small' }, data: { a: 'b' } });
}
