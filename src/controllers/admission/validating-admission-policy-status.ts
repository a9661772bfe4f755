import { checkTypes } from '../../admission/index.js';
import type { Client } from '../../client/index.js';
import type { Clock, Dialect } from '../../foundation/index.js';
import { loadExpressions, ValidatingAdmissionPolicy } from '../../kinds/index.js';
import type { FeatureSwitches, ObjectOf } from '../../registry/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { WorkQueue } from '../runtime/work-queue.js';

type Policy = ObjectOf<typeof ValidatingAdmissionPolicy>;

/** Options of {@link policyStatusController}. */
export interface PolicyStatusOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly featureGates: FeatureSwitches;
  readonly kinds: ServedKinds;
  readonly informers: SharedInformers;
  readonly onError: (error: unknown) => void;
}

const NAME = 'validatingadmissionpolicy-status';

/**
 * Checks the expressions of each generation of a policy against the kinds that it matches, and writes the warnings to
 * its status (KEP-3488, "Type Checking").
 */
export function policyStatusController(options: PolicyStatusOptions): Controller {
  const { client, clock, dialect, featureGates, kinds, informers, onError } = options;
  const policies = informers.of(ValidatingAdmissionPolicy);
  const queue = new WorkQueue<string>({
    name: 'validatingadmissionpolicy-status',
    clock,
    process,
    onError: (_name, error) => onError(error),
  });
  const enqueue = (policy: Policy): void => {
    if (isUnchecked(policy)) queue.add(policy.metadata.name ?? '');
  };
  policies.subscribe({ added: enqueue, updated: enqueue });

  async function process(name: string): Promise<void> {
    const policy = policies.get(name);
    if (policy === undefined || !isUnchecked(policy)) return;
    await loadExpressions();
    const definitions = kinds.all.map(({ definition }) => definition);
    const expressionWarnings = await checkTypes(policy.spec ?? {}, { dialect, featureGates, definitions });
    const { generation: observedGeneration = 0 } = policy.metadata;
    const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
    try {
      await client
        .resource(ValidatingAdmissionPolicy)
        .apply(
          { metadata: { name }, status: { observedGeneration, typeChecking } },
          { subresource: 'status', fieldManager: NAME, force: true },
        );
    } catch (error) {
      // The policy was deleted meanwhile.
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  return { name: NAME, informers: () => [policies], queues: [queue] };
}

const isUnchecked = ({ metadata, status }: Policy): boolean =>
  (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
