import { whenReady } from '../../foundation/index.js';
import type { AdmissionAttributes, AdmissionOperation } from '../../registry/index.js';
import { dispatch, type DispatchParts } from './dispatch.js';
import { PolicyIndex, type PolicyIndexParts } from './policy-index.js';

/** The parts that {@link ValidatingPolicies} needs. */
export interface ValidatingPoliciesParts extends DispatchParts, PolicyIndexParts {
  readonly catalogue: DispatchParts['catalogue'];
}

/** The operations that policies can match. */
export const POLICY_OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** The validating admission policies of a server. */
export class ValidatingPolicies {
  readonly index: PolicyIndex;
  readonly #parts: ValidatingPoliciesParts;

  constructor(parts: ValidatingPoliciesParts) {
    this.index = new PolicyIndex(parts);
    this.#parts = parts;
  }

  /**
   * Evaluates the policies that match a request.
   *
   * @returns undefined when nothing had to wait
   * @throws ApiError when a policy denies it
   */
  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return whenReady(this.index.of(attributes), (policies) =>
      policies.length === 0 ? undefined : dispatch(attributes, policies, this.#parts),
    );
  }
}
