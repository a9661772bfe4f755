/** A client configuration that cannot be read or used. The message shows no token, password or key. */
export class KubeConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubeConfigError';
  }
}

/** Credentials that cannot be had: a plugin that fails, a token file that is gone. The message shows none of them. */
export class CredentialError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CredentialError';
  }
}

/** System errors as the production system words them. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ENAMETOOLONG: 'file name too long',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENOMEM: 'cannot allocate memory',
  EAGAIN: 'resource temporarily unavailable',
  E2BIG: 'argument list too long',
  ENOEXEC: 'exec format error',
};

/** The code of an error of the operating system, `ENOENT`; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * What went wrong, without the values that a platform's own messages may show.
 *
 * @param fallback words for an error that is none of the operating system's
 */
export function systemWords(error: unknown, fallback = 'invalid argument'): string {
  const code = systemCode(error);
  return code === undefined ? fallback : (SYSTEM_WORDS[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : fallback));
}

/** Several errors in one text: one as it is, more as `[a, b]`, repeated ones once. */
export function aggregate(messages: readonly string[]): string {
  const different = [...new Set(messages)];
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}
