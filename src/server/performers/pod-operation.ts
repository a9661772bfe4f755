import type { Status } from '../../foundation/errors/api-error.js';
import type { NamedObject } from '../../registry/definition/object-types.js';
import type { SubresourceStrategy } from '../../registry/definition/strategy.js';

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
