/**
 * The releases that a server can follow, and the API versions of each (contract, section "Versioning").
 *
 * @module
 */
import type { Lifecycle } from '../../registry/index.js';
import { API_RELEASE } from './version.js';

/**
 * Releases whose set of built-in versions is complete here. Before 1.25, groups had beta versions that this server does
 * not have; after 1.32, the lifecycles of the built-in kinds are unknown.
 */
export const releases = [
  '1.25',
  '1.26',
  '1.27',
  '1.28',
  '1.29',
  '1.30',
  '1.31',
  '1.32',
] as const satisfies readonly Release[];

/** A release that a server can follow. */
export type Release = '1.25' | '1.26' | '1.27' | '1.28' | '1.29' | '1.30' | '1.31' | '1.32';

/** The release that a server follows by default. */
export const defaultRelease = `${API_RELEASE.major}.${API_RELEASE.minor}` as const satisfies Release;

/** Returns a number by which releases, such as `1.9` and `1.31`, are ordered. */
function rankOf(release: string): number {
  const dot = release.indexOf('.');
  return Number(release.slice(0, dot)) * 1000 + Number(release.slice(dot + 1));
}

/** Returns whether a release serves a version: it has been introduced, and not yet removed. */
export function isServedIn(release: Release, { introduced, removed }: Lifecycle): boolean {
  const rank = rankOf(release);
  return rankOf(introduced) <= rank && (removed === undefined || rank < rankOf(removed));
}

/** Returns whether answers about a version carry a warning in a release. */
export function isWarnedIn(release: Release, { deprecated, warned = deprecated }: Lifecycle): boolean {
  return warned !== undefined && rankOf(warned) <= rankOf(release);
}
