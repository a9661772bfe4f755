import { definedOnly, type UserInfo } from '../../../foundation/index.js';
import type { authenticationV1 } from '../../types/index.js';

/** Returns the JSON form of a user, without empty fields. */
export function userInfoJson({ username, uid = '', groups, extra = {} }: UserInfo): authenticationV1.UserInfo {
  const extraEntries = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return definedOnly({
    username: username || undefined,
    uid: uid || undefined,
    groups: groups.length === 0 ? undefined : [...groups],
    extra: extraEntries.length === 0 ? undefined : Object.fromEntries(extraEntries),
  });
}
