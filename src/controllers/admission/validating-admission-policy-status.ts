import { checkTypes } from '../../admission/index.js';
import { loadExpressions, ValidatingAdmissionPolicy } from '../../kinds/index.js';
import type { FeatureSwitches, ObjectOf } from '../../registry/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { orAbsent } from '../runtime/failures.js';
import { reconciler } from '../runtime/reconciler.js';
import type { ServedKinds } from '../runtime/served-kinds.js';

type Policy = ObjectOf<typeof ValidatingAdmissionPolicy>;

/** Options of {@link policyStatusController}. */
export interface PolicyStatusOptions extends ControllerHost {
  readonly featureGates: FeatureSwitches;
  readonly kinds: ServedKinds;
}

const NAME = 'validatingadmissionpolicy-status';

/**
 * Checks the expressions of each generation of a policy against the kinds that it matches, and writes the warnings to
 * its status (KEP-3488, "Type Checking").
 */
export function policyStatusController(options: PolicyStatusOptions): Controller {
  const { client, dialect, featureGates, kinds } = options;
  return reconciler(options, {
    name: NAME,
    queue: NAME,
    kind: ValidatingAdmissionPolicy,
    runsOn: isUnchecked,
    async reconcile(policy, { key: name }) {
      if (!isUnchecked(policy)) return;
      await loadExpressions();
      const definitions = kinds.all.map(({ definition }) => definition);
      const expressionWarnings = await checkTypes(policy.spec ?? {}, { dialect, featureGates, definitions });
      const { generation: observedGeneration = 0 } = policy.metadata;
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
      const change = { metadata: { name }, status: { observedGeneration, typeChecking } };
      const owner = { subresource: 'status', fieldManager: NAME, force: true };
      // The policy may be deleted meanwhile.
      await orAbsent(client.resource(ValidatingAdmissionPolicy).apply(change, owner));
    },
  });
}

const isUnchecked = ({ metadata, status }: Policy): boolean =>
  (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
