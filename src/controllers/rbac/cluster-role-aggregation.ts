import type { Client } from '../../client/index.js';
import { definedOnly, inSlices, SharedWork } from '../../foundation/index.js';
import { ClusterRole } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import {
  AGGREGATION_MANAGER,
  aggregateRulesInSteps,
  sameRulesInSteps,
  type ClusterRoleObject,
} from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import type { Informer } from '../runtime/informer.js';
import { keyedReconciler, type ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { watched } from '../runtime/watch.js';

type Role = ObjectOf<typeof ClusterRole>;

/** Options of {@link clusterRoleAggregation}. */
export interface ClusterRoleAggregationOptions extends ReconcilerHost {
  readonly client: Client;
}

/** Keeps the rules of every aggregated ClusterRole equal to the union of the rules of the roles that it selects. */
export function clusterRoleAggregation(options: ClusterRoleAggregationOptions): Controller {
  const { client, informers } = options;
  const roles = informers.of(ClusterRole);
  // Only the selectors determine which aggregated roles include a role, so every change runs all aggregated roles.
  const aggregated = (): string[] =>
    Array.from(roles.values()).flatMap(({ metadata, aggregationRule }) =>
      aggregationRule === undefined ? [] : [metadata.name ?? ''],
    );
  return keyedReconciler(options, {
    name: 'clusterrole-aggregation',
    queue: 'ClusterRoleAggregator',
    watches: [watched(ClusterRole, { changes: { added: aggregated, updated: aggregated, deleted: aggregated } })],
    async reconcile(name) {
      const role = roles.get(name);
      if (role !== undefined) await aggregate(client, role, roles);
    },
  });
}

async function aggregate(client: Client, role: Role, roles: Informer<Role>): Promise<void> {
  const work = new SharedWork();
  const rules = await inSlices(work, aggregateRulesInSteps(role, [...roles.values()] as ClusterRoleObject[], work));
  if (rules === undefined || (await inSlices(work, sameRulesInSteps(rules, role.rules, work)))) return;
  // With its uid, a role that was deleted meanwhile is not made again.
  const metadata = definedOnly({ name: role.metadata.name, uid: role.metadata.uid });
  const copies = rules.map((rule) => ({ ...rule, verbs: [...rule.verbs] })) as Role['rules'];
  const owner = { fieldManager: AGGREGATION_MANAGER, force: true };
  // The role was deleted or changed meanwhile, and the event of that is on its way.
  await ignoring(client.resource(ClusterRole).apply({ metadata, rules: copies }, owner), 'Conflict');
}
