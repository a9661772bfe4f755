/** Versions of the reviews that are sent to webhooks: of tokens (authentication) and of access (authorization). */
export const reviewVersions = ['v1', 'v1beta1'] as const;

/** A version of a review. */
export type ReviewVersion = (typeof reviewVersions)[number];
