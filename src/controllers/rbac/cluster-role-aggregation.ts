import type { Client } from '../../client/index.js';
import { definedOnly, inSlices, SharedWork, type Clock } from '../../foundation/index.js';
import { ClusterRole } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { aggregateRulesInSteps, sameRulesInSteps, type ClusterRoleObject } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { Informer } from '../runtime/informer.js';
import { WorkQueue } from '../runtime/work-queue.js';

/** Owner of the rules, as in Kubernetes: a user who applies other rules meets a conflict with it. */
const FIELD_MANAGER = 'clusterrole-aggregation-controller';

/** Options of {@link clusterRoleAggregation}. */
export interface ClusterRoleAggregationOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Keeps the rules of every aggregated ClusterRole equal to the union of the rules of the roles that it selects. */
export function clusterRoleAggregation({ client, clock, onError }: ClusterRoleAggregationOptions): Controller {
  const roles = new Informer({ source: client.resource(ClusterRole), clock, onError });
  const queue = new WorkQueue<string>({
    name: 'ClusterRoleAggregator',
    clock,
    process: aggregate,
    onError: (_name, error) => onError(error),
  });
  // Only the selectors determine which aggregated roles include a role, so every change enqueues all aggregated roles.
  const enqueueAggregated = (): void => {
    for (const { metadata, aggregationRule } of roles.values())
      if (aggregationRule !== undefined) queue.add(metadata.name ?? '');
  };
  roles.subscribe({ added: enqueueAggregated, updated: enqueueAggregated, deleted: enqueueAggregated });

  async function aggregate(name: string): Promise<void> {
    const role = roles.get(name);
    if (role === undefined) return;
    const work = new SharedWork();
    const rules = await inSlices(work, aggregateRulesInSteps(role, [...roles.values()] as ClusterRoleObject[], work));
    if (rules === undefined || (await inSlices(work, sameRulesInSteps(rules, role.rules, work)))) return;
    // With its uid, a role that was deleted meanwhile is not made again.
    const metadata = definedOnly({ name, uid: role.metadata.uid });
    const copies = rules.map((rule) => ({ ...rule, verbs: [...rule.verbs] })) as ObjectOf<typeof ClusterRole>['rules'];
    try {
      const owner = { fieldManager: FIELD_MANAGER, force: true };
      await client.resource(ClusterRole).apply({ metadata, rules: copies }, owner);
    } catch (error) {
      // The role was deleted or changed meanwhile, and the event of that is on its way.
      if (!hasReason(error, 'Conflict')) throw error;
    }
  }

  return { name: 'clusterrole-aggregation', informers: () => [roles], queues: [queue] };
}
