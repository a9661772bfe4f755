import { FieldErrorList } from '../../meta/field-error-list.js';
import { duplicate, type FieldError } from '../../meta/field-error.js';
import type { resourceV1alpha3 } from '../../kinds/index.js';
import { statusSubresource } from '../../registry/status.js';
import type { Behaviour } from '../behaviour.js';
import { ownStatus } from '../shared/status-writes.js';
import { MAX_NODES } from './limits.js';
import { validateSet } from './lists.js';
import { validateNode } from './names.js';

const nodeErrors = (errors: FieldError[], path: string, nodes: readonly string[] = []): void =>
  validateSet(errors, path, nodes, MAX_NODES, validateNode, (name) => name);

function statusErrors({ resourceClaims = [] }: resourceV1alpha3.PodSchedulingContextStatus): FieldError[] {
  const errors = new FieldErrorList();
  const seen = new Set<string>();
  for (const [index, { name, unsuitableNodes }] of resourceClaims.entries()) {
    // The path is that of Kubernetes.
    const path = `status.claims[${index}]`;
    nodeErrors(errors, `${path}.unsuitableNodes`, unsuitableNodes);
    if (seen.has(name)) errors.push(duplicate(path, name));
    seen.add(name);
  }
  return errors;
}

/** The scheduling of pods whose claims a driver's controller allocates. */
export const podSchedulingContext: Behaviour<resourceV1alpha3.PodSchedulingContext> = {
  strategy: {
    ...ownStatus(),
    validate({ spec }) {
      const errors = new FieldErrorList();
      nodeErrors(errors, 'spec.potentialNodes', spec.potentialNodes);
      return errors;
    },
  },
  subresources: {
    status: { ...statusSubresource.strategy, validateUpdate: ({ status = {} }) => statusErrors(status) },
  },
  cells: { SelectedNode: ({ spec }) => spec.selectedNode ?? '' },
};
