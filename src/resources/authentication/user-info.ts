import { definedOnly } from '../../meta/defined-only.js';
import * as z from 'zod';
import type { UserInfo } from '../../meta/object.js';
import { atomicList, goNamed, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';

/** The user info of reviews (identity-resources.md, "TokenReview"). */
export const userInfoSchema = once(() =>
  struct('UserInfo', {
    username: omitted(1, z.string(), { description: 'Name that identifies the user among all active users.' }),
    uid: omitted(2, z.string(), {
      description:
        'Identifies the user over time: a user that is deleted and created again under the same name has another uid.',
    }),
    groups: omitted(3, atomicList(z.string()), { description: 'Groups of the user.' }),
    extra: omitted(4, mapOf(goNamed('v1.ExtraValue', atomicList(z.string()))), {
      description: 'Additional information from the authenticator.',
    }),
  }),
);

/** Returns the JSON form of a user, without empty fields. */
export function userInfoJson({
  username,
  uid = '',
  groups,
  extra = {},
}: UserInfo): z.output<ReturnType<typeof userInfoSchema>> {
  const extraEntries = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return definedOnly({
    username: username || undefined,
    uid: uid || undefined,
    groups: groups.length === 0 ? undefined : [...groups],
    extra: extraEntries.length === 0 ? undefined : Object.fromEntries(extraEntries),
  });
}
