import type { PolicyRule } from '../types.js';
import { READ, type BindingRow, type PolicyWords, type RoleRow } from './words.js';

/** Prefix of the names of controller roles. */
export const CONTROLLER_PREFIX = 'system:controller:';

/** Rules of the controllers by name. Each controller uses the service account of its name in the system namespace. */
function controllers(words: PolicyWords): Readonly<Record<string, readonly PolicyRule[]>> {
  return {
    'certificate-controller': [
      words.on('delete get list watch', 'certificates.', 'certificatesigningrequests'),
      words.on('update', 'certificates.', 'certificatesigningrequests/approval certificatesigningrequests/status'),
      words.on('approve', 'certificates.', 'signers', words.dialect.signers.apiServerClientNodeAgent),
      words.on('sign', 'certificates.', 'signers', words.signers.join(' ')),
      words.on('create', 'authorization.', 'subjectaccessreviews'),
      words.events(),
    ],
    'clusterrole-aggregation-controller': [
      words.on('escalate get list patch update watch', 'rbac.authorization.', 'clusterroles'),
    ],
    'generic-garbage-collector': [words.on('delete get list patch update watch', '*', '*'), words.events()],
    'namespace-controller': [
      words.on('delete get list watch', 'core', 'namespaces'),
      words.on('update', 'core', 'namespaces/finalize namespaces/status'),
      words.on('delete deletecollection get list', '*', '*'),
    ],
    'root-ca-cert-publisher': [words.on('create update', 'core', 'configmaps'), words.events()],
    'service-account-controller': [words.on('create', 'core', 'serviceaccounts'), words.events()],
    'ttl-controller': [words.on('list patch update watch', 'core', 'nodes'), words.events()],
  };
}

/** Returns the cluster roles of the controllers. */
export function controllerRoles(words: PolicyWords): readonly RoleRow[] {
  return Object.entries(controllers(words)).map(([name, rules]) => ({ name: CONTROLLER_PREFIX + name, rules }));
}

/** Returns the bindings of the controllers' service accounts. */
export function controllerBindings(words: PolicyWords): readonly BindingRow[] {
  return Object.keys(controllers(words)).map((name) => ({
    name: CONTROLLER_PREFIX + name,
    subjects: [words.account(name)],
  }));
}

/** A role in one of the platform's own namespaces, with its subjects. */
export interface NamespacedRow {
  readonly namespace: string;
  readonly role: string;
  readonly rules: readonly PolicyRule[];
  /** Name of the binding; default the name of the role. */
  readonly binding?: string | undefined;
  readonly subjects: BindingRow['subjects'];
}

function leaderLocking(words: PolicyWords, component: string, accounts: readonly string[]): NamespacedRow {
  const name = words.component(component);
  return {
    namespace: words.dialect.namespaces.system,
    role: `system::leader-locking-${name}`,
    rules: [
      words.on('watch', 'core', 'configmaps'),
      words.on('get update', 'core', 'configmaps', name),
      words.on('create get list update watch', 'coordination.', 'leases'),
      words.on('create get list update watch', 'coordination.', 'leasecandidates'),
    ],
    subjects: [words.user(`system:${name}`), ...accounts.map((account) => words.account(account))],
  };
}

/** Returns the roles and bindings in the platform's own namespaces. */
export function namespacedRows(words: PolicyWords): readonly NamespacedRow[] {
  const { system, public: open } = words.dialect.namespaces;
  const controllerManager = words.component('controller-manager');
  const scheduler = words.component('scheduler');
  const controller = (namespace: string, name: string, rules: readonly PolicyRule[]): NamespacedRow => ({
    namespace,
    role: CONTROLLER_PREFIX + name,
    rules,
    subjects: [words.account(name)],
  });
  return [
    {
      namespace: system,
      role: 'extension-apiserver-authentication-reader',
      rules: [words.on(READ, 'core', 'configmaps', 'extension-apiserver-authentication')],
      binding: 'system::extension-apiserver-authentication-reader',
      subjects: [words.user(`system:${controllerManager}`), words.user(`system:${scheduler}`)],
    },
    leaderLocking(words, 'controller-manager', [controllerManager, 'leader-election-controller']),
    leaderLocking(words, 'scheduler', [scheduler]),
    controller(system, 'bootstrap-signer', [words.on(READ, 'core', 'secrets')]),
    controller(system, 'cloud-provider', [words.on('create get list watch', 'core', 'configmaps')]),
    controller(system, 'token-cleaner', [words.on('delete get list watch', 'core', 'secrets'), words.events()]),
    controller(open, 'bootstrap-signer', [
      words.on(READ, 'core', 'configmaps'),
      words.on('update', 'core', 'configmaps', 'cluster-info'),
      words.events(),
    ]),
  ];
}
