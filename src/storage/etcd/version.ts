import { ownMember } from '../../foundation/index.js';
/**
 * First patch release of each etcd minor version that reports progress only after it has sent all earlier events (etcd
 * issues 15220 and 17507).
 */
const SAFE_PATCHES: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/** Returns whether the progress that a member of this version reports is reliable. */
export function hasReliableProgress(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const needed = ownMember(SAFE_PATCHES, `${major}.${minor}`);
  return needed === undefined ? major > 3 || (major === 3 && minor > 5) : patch >= needed;
}
