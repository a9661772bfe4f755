import type { AdmissionAttributes } from '../../registry/index.js';

/** The parts of a pod or node that rules read. */
export interface FoundObject {
  readonly metadata: { readonly uid?: string | undefined };
  /** Spec of a pod, for its `nodeName`. */
  readonly spec?: unknown;
}

/** The current object, or undefined when it does not exist. */
export type Found = FoundObject | undefined;

/** Reason of a refusal in the words of Kubernetes; undefined when the request is allowed. */
export type Refusal = string | undefined;

/**
 * Decides about a node agent's write to a resource.
 *
 * @param nodeName name of the agent's node, not empty
 * @returns the reason of a refusal; undefined when the request is allowed
 * @throws ApiError `NotFound` when an object that the decision needs does not exist
 */
export type Rule = (nodeName: string, attributes: AdmissionAttributes) => Refusal | Promise<Refusal>;

/** Reason for refusing a request without a required object. */
export const NO_OBJECT = 'unexpected type <nil>';
