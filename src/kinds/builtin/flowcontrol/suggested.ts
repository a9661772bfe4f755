/**
 * The schemas and priority levels that Kubernetes 1.31 suggests: a server creates them, and its users may change them.
 *
 * Source: "Suggested configuration objects" in the documentation of API Priority and Fairness, and the objects that a
 * server of release 1.31 creates.
 *
 * @module
 */
import { groupName, SERVICE_ACCOUNTS_GROUP, systemGroup, type Dialect } from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../types/index.js';
import { EXEMPT } from './mandatory.js';
import { accounts, everythingFor, groups, resourceRule, users } from './rules.js';

type Schema = flowcontrolV1.FlowSchemaSpec;
type Level = flowcontrolV1.PriorityLevelConfigurationSpec;

const EVERYONE = groups('system:unauthenticated', 'system:authenticated');
const NODES = groups('system:nodes');
/** Verbs of leader election. */
const ELECTION = ['get', 'create', 'update'];

/** Returns the specs of the suggested flow schemas, by name. The names of components are those of the dialect. */
export function suggestedFlowSchemas(dialect: Dialect): ReadonlyMap<string, Schema> {
  const { system } = dialect.namespaces;
  const controllerManager = dialect.controllerManagerName;
  const scheduler = `${dialect.shortProduct}-scheduler`;
  const manager = users(`system:${controllerManager}`);
  const systemAccounts = accounts(system, '*');
  const leases = resourceRule(ELECTION, groupName(systemGroup('coordination'), dialect), ['leases']);
  return new Map([
    schema('system-nodes', 'system', 500, 'ByUser', everythingFor(NODES)),
    schema('system-node-high', 'node-high', 400, 'ByUser', {
      subjects: NODES,
      resourceRules: [resourceRule(['*'], '', ['nodes', 'nodes/status'], true), { ...leases, verbs: ['*'] }],
    }),
    schema('probes', EXEMPT, 2, undefined, {
      subjects: EVERYONE,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    }),
    schema('system-leader-election', 'leader-election', 100, 'ByUser', {
      subjects: [...manager, ...users(`system:${scheduler}`), ...systemAccounts],
      resourceRules: [leases],
    }),
    schema('workload-leader-election', 'leader-election', 200, 'ByUser', {
      subjects: systemAccounts,
      resourceRules: [resourceRule(ELECTION, '', ['endpoints', 'configmaps']), leases],
    }),
    // Its requests would otherwise count as leader election of workloads.
    schema('endpoint-controller', 'workload-high', 150, 'ByUser', {
      subjects: [...manager, ...accounts(system, 'endpoint-controller', 'endpointslicemirroring-controller')],
      resourceRules: [resourceRule(ELECTION, '', ['endpoints'])],
    }),
    schema(controllerManager, 'workload-high', 800, 'ByNamespace', everythingFor(manager)),
    schema(scheduler, 'workload-high', 800, 'ByNamespace', everythingFor(users(`system:${scheduler}`))),
    schema(`${system}-service-accounts`, 'workload-high', 900, 'ByNamespace', everythingFor(systemAccounts)),
    schema('service-accounts', 'workload-low', 9000, 'ByUser', everythingFor(groups(SERVICE_ACCOUNTS_GROUP))),
    schema('global-default', 'global-default', 9900, 'ByUser', everythingFor(EVERYONE)),
  ]);
}

function schema(
  name: string,
  level: string,
  matchingPrecedence: number,
  method: 'ByUser' | 'ByNamespace' | undefined,
  rule: flowcontrolV1.PolicyRulesWithSubjects,
): [string, Schema] {
  const distinguisher = method === undefined ? {} : { distinguisherMethod: { type: method } };
  return [name, { priorityLevelConfiguration: { name: level }, matchingPrecedence, ...distinguisher, rules: [rule] }];
}

/** The specs of the suggested priority levels, by name. */
export const suggestedPriorityLevels: ReadonlyMap<string, Level> = new Map([
  level('system', { shares: 30, lendable: 33, queues: 64, handSize: 6 }),
  level('node-high', { shares: 40, lendable: 25, queues: 64, handSize: 6 }),
  level('leader-election', { shares: 10, lendable: 0, queues: 16, handSize: 4 }),
  level('workload-high', { shares: 40, lendable: 50, queues: 128, handSize: 6 }),
  level('workload-low', { shares: 100, lendable: 90, queues: 128, handSize: 6 }),
  level('global-default', { shares: 20, lendable: 50, queues: 128, handSize: 6 }),
]);

interface LevelRow {
  readonly shares: number;
  /** Percentage of the seats that other levels may borrow. */
  readonly lendable: number;
  readonly queues: number;
  readonly handSize: number;
}

function level(name: string, { shares, lendable, queues, handSize }: LevelRow): [string, Level] {
  const limitResponse = { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } };
  const limited = { nominalConcurrencyShares: shares, limitResponse, lendablePercent: lendable };
  return [name, { type: 'Limited', limited }];
}
