import { ApiError, messageOf, statusReasons, type StatusReason } from '../../foundation/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';
import type { Binding, Policy } from './policy-index.js';

/** A denial of a request by a policy. */
interface Denial {
  readonly message: string;
  readonly reason: string;
}

const DEFAULT_REASON = 'Invalid';

/** The denials of one request. The first one is the answer. */
export class Denials {
  readonly #attributes: AdmissionAttributes;
  #first: Denial | undefined;

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** Records a denial. */
  deny(policy: Policy, binding: Binding | undefined, why: string, reason = DEFAULT_REASON): void {
    const bound = binding === undefined ? '' : ` with binding '${binding.name}'`;
    this.#first ??= { message: `ValidatingAdmissionPolicy '${policy.name}'${bound} denied request: ${why}`, reason };
  }

  /** Records an error of a policy or binding: a denial, unless the policy ignores failures. */
  misconfigured(policy: Policy, binding: Binding | undefined, error: unknown): void {
    if (policy.ignoresErrors) return;
    this.deny(
      policy,
      binding,
      `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${messageOf(error)}`,
    );
  }

  /** @throws ApiError for the first denial */
  throwFirst(): void {
    if (this.#first === undefined) return;
    const { message, reason } = this.#first;
    const { status } = admissionRefusal(this.#attributes, message, [{ message }]);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = status;
    throw new ApiError({ ...rest, reason, code: codeOf(reason) });
  }
}

const CODES: ReadonlySet<string> = new Set<StatusReason>(['Unauthorized', 'Forbidden', 'RequestEntityTooLarge']);

/** Reasons other than those that policies may give are answered as Invalid. */
const codeOf = (reason: string): number =>
  CODES.has(reason) ? statusReasons[reason as StatusReason] : statusReasons[DEFAULT_REASON];
