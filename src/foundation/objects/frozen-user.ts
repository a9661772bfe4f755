import type { UserInfo } from './object.js';

/**
 * Returns a user that nobody can change: a request hands its user to plugins, authorizers and other code of the server's
 * owner, and an authenticator may return the same user for many requests.
 */
export function frozenUser(user: UserInfo): UserInfo {
  if (isFrozenUser(user)) return user;
  const { username, uid, groups, extra } = user;
  return Object.freeze({
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: Object.freeze([...groups]),
    ...(extra === undefined ? {} : { extra: frozenExtra(extra) }),
  });
}

const isFrozenUser = (user: UserInfo): boolean =>
  Object.isFrozen(user) && Object.isFrozen(user.groups) && (user.extra === undefined || isFrozenExtra(user.extra));

const isFrozenExtra = (extra: NonNullable<UserInfo['extra']>): boolean =>
  Object.isFrozen(extra) && Object.values(extra).every((values) => Object.isFrozen(values));

function frozenExtra(extra: NonNullable<UserInfo['extra']>): NonNullable<UserInfo['extra']> {
  const copies: [string, readonly string[]][] = [];
  for (const key of Object.keys(extra)) copies.push([key, Object.freeze([...(extra[key] ?? [])])]);
  return Object.freeze(Object.fromEntries(copies));
}
