/** A version of the reviews that webhooks answer. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Versions of the reviews that are sent to webhooks: of tokens (authentication) and of access (authorization). */
export const reviewVersions: readonly ReviewVersion[] = ['v1', 'v1beta1'];
