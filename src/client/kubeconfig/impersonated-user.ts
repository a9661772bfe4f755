import { impersonationHeaders } from '../wire/impersonation.js';
import type { KubeUser } from './config.js';

/** Returns the headers of a user entry that acts as another user, names in lower case; none without one. */
export function impersonationOf(user: KubeUser): ReadonlyMap<string, readonly string[]> {
  const { impersonate: username, impersonateUid: uid, impersonateGroups: groups, impersonateUserExtra: extra } = user;
  if (username === undefined) return new Map();
  return impersonationHeaders({ username, uid, groups, extra });
}
