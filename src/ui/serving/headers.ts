/** Header fields of every answer of the page, also of failures. */
const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Scripts and styles are files of the server, and no text becomes markup or code.
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
};

/** Returns the header fields of an answer of the page. */
export const pageHeaders = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...fields,
  ...everywhere,
});

/** Header fields of content of the server that a browser could show. */
export const headersOfForeignContent = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** Returns whether a browser never shows content of a type as a document. */
export const isInert = (type: string | readonly string[] | undefined): boolean =>
  typeof type === 'string' && type.startsWith('application/json');
