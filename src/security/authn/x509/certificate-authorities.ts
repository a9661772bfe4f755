/** PEM authorities: fixed, or read at each use. An empty result means that there are none yet. */
export type CertificateAuthorities = string | (() => string);

/** Returns the current text of authorities; empty while there are none. */
export const currentAuthorities = (authorities: CertificateAuthorities = ''): string =>
  typeof authorities === 'string' ? authorities : authorities();
