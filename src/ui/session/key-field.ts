/** Name of the header field with the key of a session. A page of another origin cannot send it. */
export const KEY_FIELD = 'x-ui-session';
