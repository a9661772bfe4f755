import { formatTime } from '../../foundation/time/time.js';
import type { Perform } from '../../registry/verbs/perform.js';
import { userInfoJson } from '../../kinds/builtin/index.js';

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
