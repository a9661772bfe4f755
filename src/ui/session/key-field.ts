/** Name of the header field with the key of a session. A page of another origin cannot send it. */
export const KEY_FIELD = 'x-ui-session';

/**
 * Name of the header field with the groups of the user as whom a page is viewed: names in percent-encoding, with commas
 * between them. A browser joins several fields `impersonate-group` into one, which would be one group.
 */
export const GROUPS_FIELD = 'x-ui-groups';
