import { formatTime } from '../../meta/time.js';
import type { Perform } from '../../registry/perform.js';
import { userInfoJson } from '../../resources/index.js';

/**
 * Answers a SelfSubjectReview: who the request is made by, impersonation included (identity-resources.md,
 * "SelfSubjectReview"). Nothing that was sent along is in the answer.
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
