import { duplicate, FieldErrorList, type Steps, type Work } from '../../../foundation/index.js';
import { statusSubresource } from '../../../registry/index.js';
import type { resourceV1alpha3 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { ownStatus } from '../shared/status-writes.js';
import { MAX_NODES } from './limits.js';
import { validateSet } from './lists.js';
import { validateNode } from './names.js';

const nodeErrors = (errors: FieldErrorList, path: string, nodes: readonly string[] = []): Steps<void> =>
  validateSet(errors, path, nodes, MAX_NODES, validateNode, (name) => name);

function* statusErrors(
  { resourceClaims = [] }: resourceV1alpha3.PodSchedulingContextStatus,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const seen = new Set<string>();
  for (const [index, { name, unsuitableNodes }] of resourceClaims.entries()) {
    if (errors.spend()) yield;
    // The path is that of Kubernetes.
    const path = `status.claims[${index}]`;
    yield* nodeErrors(errors, `${path}.unsuitableNodes`, unsuitableNodes);
    if (seen.has(name)) errors.push(duplicate(path, name));
    seen.add(name);
  }
  return errors;
}

/** The scheduling of pods whose claims a driver's controller allocates. */
export const podSchedulingContext: Behaviour<resourceV1alpha3.PodSchedulingContext> = {
  strategy: {
    ...ownStatus(),
    *validate({ spec }, { work }) {
      const errors = new FieldErrorList(work);
      yield* nodeErrors(errors, 'spec.potentialNodes', spec.potentialNodes);
      return errors;
    },
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status = {} }, _old, { work }) => statusErrors(status, work),
    },
  },
  cells: { SelectedNode: ({ spec }) => spec.selectedNode ?? '' },
};
