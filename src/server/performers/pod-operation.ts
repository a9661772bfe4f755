import type { Status } from '../../foundation/index.js';
import type { NamedObject, SubresourceStrategy } from '../../registry/index.js';

/** The answer of an operation that has no result: a Status instead of the posted kind. */
export const SUCCESS: Status & NamedObject = Object.freeze({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});

/**
 * The strategy of a write that the server itself makes to a pod. It changes the pod as it is: the rules of an update by
 * a client would forbid it.
 */
export const uncheckedPodUpdate: SubresourceStrategy = { prepareForUpdate: () => undefined };
