/** Versions in which a webhook can be sent a review: of a token (authentication) or of access (authorization). */
export const reviewVersions = ['v1', 'v1beta1'] as const;

/** A version of a review. */
export type ReviewVersion = (typeof reviewVersions)[number];
