/**
 * Serving under a prefix: a server mounted at `/k8s` must see `/api/v1`, not `/k8s/api/v1`.
 *
 * @module
 */

import { aFunction, checkOptions, matching, type OptionCheck } from '../foundation/index.js';
import { aPage, withPage, type PageOptions } from '../ui/index.js';
import { targetOf, type Servable, type TransportTarget } from './target.js';

/** Options of a transport inside an application. */
export interface MountOptions {
  /** Path that the server is mounted at, such as `/k8s`. It is removed from the request path. */
  readonly prefix?: string | undefined;
  /** Whether the page for people is served at `/ui` below the prefix, and how. Default false. */
  readonly ui?: boolean | PageOptions | undefined;
}

const aPrefix = matching(
  'a path that begins with a slash, such as "/k8s"',
  (value) => typeof value === 'string' && (value === '' || value.startsWith('/')),
);

/**
 * Checks the arguments of a transport inside an application.
 *
 * @param subject name of the called function, such as `toExpress`
 * @returns the target of the server
 * @throws TypeError for an invalid server or option
 */
export function checkMount(
  subject: string,
  server: Servable,
  options: MountOptions,
  checks: Readonly<Record<string, OptionCheck>> = {},
): TransportTarget {
  const target = targetOf(subject, server);
  checkOptions(subject, options, { prefix: aPrefix, peer: aFunction, ui: aPage, ...checks });
  return withPage(target, options.ui ?? false);
}

/** Returns the prefix without trailing slashes; empty for the root. */
export function normalizePrefix(prefix: string | undefined): string {
  if (prefix === undefined) return '';
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0x2f) end--;
  return prefix.slice(0, end);
}

/**
 * Removes the prefix from a path. A path outside the prefix is unchanged, so the server answers it with 404.
 *
 * @param prefix result of {@link normalizePrefix}
 */
export function stripPrefix(path: string, prefix: string): string {
  if (prefix === '' || !path.startsWith(prefix)) return path;
  if (path.length === prefix.length) return '/';
  return path.charCodeAt(prefix.length) === 0x2f ? path.slice(prefix.length) : path;
}
