/**
 * Serving under a prefix: what an application mounts at `/k8s` must see `/api/v1`, not `/k8s/api/v1`.
 *
 * @module
 */

import { aFunction, checkOptions, matching, type OptionCheck } from '../meta/options.js';
import { checkTarget } from './target.js';

/** Options of a transport that sits inside an application. */
export interface MountOptions {
  /** Path under which the server is mounted, such as `/k8s`. It is taken off the path before the server sees it. */
  readonly prefix?: string;
}

const aPrefix = matching(
  'a path that begins with a slash, such as "/k8s"',
  (value) => typeof value === 'string' && (value === '' || value.startsWith('/')),
);

/**
 * Checks what a transport is given that sits inside an application.
 *
 * @param subject the function that is called, as `toExpress`
 * @throws TypeError for what is no server, and for an option that is not what it must be
 */
export function checkMount(
  subject: string,
  target: unknown,
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>> = {},
): void {
  checkTarget(subject, target);
  checkOptions(subject, options, { prefix: aPrefix, peer: aFunction, ...checks });
}

/** The prefix without a slash at its end; empty for the root. */
export function normalizePrefix(prefix: string | undefined): string {
  if (prefix === undefined) return '';
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0x2f) end--;
  return prefix.slice(0, end);
}

/**
 * The path as the server sees it. A path outside the prefix comes back as it is, so that the server answers it with its
 * own not-found.
 *
 * @param prefix as {@link normalizePrefix} gives it
 */
export function stripPrefix(path: string, prefix: string): string {
  if (prefix === '' || !path.startsWith(prefix)) return path;
  if (path.length === prefix.length) return '/';
  return path.charCodeAt(prefix.length) === 0x2f ? path.slice(prefix.length) : path;
}
