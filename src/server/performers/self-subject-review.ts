import { formatTime } from '../../foundation/index.js';
import { userInfoJson } from '../../kinds/index.js';
import type { Perform } from '../../registry/index.js';

/**
 * Runs a SelfSubjectReview: returns the user of the request, after impersonation (identity-resources.md,
 * "SelfSubjectReview"). The response repeats nothing of the request.
 */
export const performSelfSubjectReview: Perform = async ({ apiVersion, kind }, { context, admit }) => {
  await admit();
  return {
    kind,
    apiVersion,
    metadata: { creationTimestamp: formatTime(context.clock.now()) },
    status: { userInfo: userInfoJson(context.user) },
  };
};
