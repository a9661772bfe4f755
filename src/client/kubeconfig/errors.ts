import { ownMember } from '../../foundation/index.js';
/** An invalid client configuration. The message contains no token, password or key. */
export class KubeConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubeConfigError';
  }
}

/** System errors in Kubernetes' (Go's) words. */
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

/** Returns the code of an operating system error, such as `ENOENT`; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Describes an error without the values that system messages may contain.
 *
 * @param fallback description of any other error
 */
export function systemWords(error: unknown, fallback = 'invalid argument'): string {
  const code = systemCode(error);
  return code === undefined
    ? fallback
    : (ownMember(SYSTEM_WORDS, code) ?? (/^E[A-Z0-9]+$/.test(code) ? code : fallback));
}

/** Joins error messages: one unchanged, several as `[a, b]`, without duplicates. */
export function aggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
