import {
  aName,
  aText,
  listOf,
  matching,
  nested,
  parseServiceAccountUsername,
  serviceAccountGroups,
  type OptionCheck,
  type OptionChecks,
  type UserInfo,
} from '../../foundation/index.js';
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from './authenticator.js';

/**
 * Returns the user of a name, with the groups that Kubernetes always gives it and the given groups. A user object
 * receives only the given groups.
 */
export function userOf(user: UserInfo | string, groups: readonly string[] = []): UserInfo {
  if (typeof user !== 'string') return groups.length === 0 ? user : { ...user, groups: [...user.groups, ...groups] };
  if (user === ANONYMOUS_USER) return { username: user, groups: [...groups, UNAUTHENTICATED_GROUP] };
  const account = parseServiceAccountUsername(user);
  return {
    username: user,
    groups: [...groups, ...(account === undefined ? [] : serviceAccountGroups(account.namespace)), AUTHENTICATED_GROUP],
  };
}

const texts = listOf(aText, 'a list of strings');

const userChecks: OptionChecks<UserInfo> = {
  username: aName,
  uid: aText,
  groups: listOf(aText, 'a list of groups, which may be empty'),
  extra: (value, path) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? matching('an object with lists of strings', () => false)(value, path)
      : Object.entries(value)
          .map(([key, item]) => texts(item, `${path}[${JSON.stringify(key)}]`))
          .find((problem) => problem !== undefined),
};

/** Checks a user option: `{ username, groups }`. */
export const aUser: OptionCheck = nested(userChecks, ['username', 'groups']);

/** Checks a user option or a user name. */
export const aUserOrName: OptionCheck = (value, path) =>
  typeof value === 'string' ? aName(value, path) : aUser(value, path);
