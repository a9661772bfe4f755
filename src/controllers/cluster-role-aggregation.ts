import { aggregateRules, sameRules } from '../authz/rbac/aggregate.js';
import type { ClusterRoleObject } from '../authz/rbac/types.js';
import type { Client } from '../client/index.js';
import type { Clock } from '../meta/clock.js';
import type { ObjectOf } from '../registry/definition.js';
import { ClusterRole } from '../resources/index.js';
import type { Controller } from './controller.js';
import { hasReason, retryOnConflict } from './failures.js';
import { Informer } from './informer.js';
import { WorkQueue } from './work-queue.js';

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

  function aggregate(name: string): Promise<void> {
    return retryOnConflict(async () => {
      const role = roles.get(name);
      if (role === undefined) return;
      const rules = aggregateRules(role, [...roles.values()] as ClusterRoleObject[]);
      if (rules === undefined || sameRules(rules, role.rules)) return;
      try {
        const present: ObjectOf<typeof ClusterRole> = await client.resource(ClusterRole).get(name);
        await client.resource(ClusterRole).update({
          ...present,
          rules: rules.map((rule) => ({ ...rule, verbs: [...rule.verbs] })) as typeof present.rules,
        });
      } catch (error) {
        // The role was deleted meanwhile.
        if (!hasReason(error, 'NotFound')) throw error;
      }
    });
  }

  return { name: 'clusterrole-aggregation', informers: () => [roles], queues: [queue] };
}
