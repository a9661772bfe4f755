import type { AdmissionAttributes } from '../../registry/admission.js';

/** What is looked at of a pod or node that was looked up. */
export interface FoundObject {
  readonly metadata: { readonly uid?: string };
  /** Of a pod, for its `nodeName`. */
  readonly spec?: unknown;
}

/** An object as it is now; undefined when it is not there. */
export type Found = FoundObject | undefined;

/** Why a request is refused, in production's words; undefined when it is not. */
export type Why = string | undefined;

/**
 * What the agent of a node may do with a resource.
 *
 * @param nodeName of the agent's node, not empty
 * @returns why not; undefined when it may
 * @throws ApiError `NotFound` when the answer depends on an object that is not there
 */
export type Rule = (nodeName: string, attributes: AdmissionAttributes) => Why | Promise<Why>;

/** Why a request without an object is refused where it must have one. */
export const NO_OBJECT = 'unexpected type <nil>';
