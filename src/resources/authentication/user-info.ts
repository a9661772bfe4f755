import * as z from 'zod';
import type { UserInfo } from '../../meta/object.js';
import { atomicList, goNamed, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';

/** Who somebody is, as reviews say it (identity-resources.md, "TokenReview"). */
export const userInfoSchema = once(() =>
  struct('UserInfo', {
    username: omitted(1, z.string(), { description: 'The name that identifies the user among all active users.' }),
    uid: omitted(2, z.string(), {
      description:
        'Identifies the user across time: one who is deleted and added again under the same name has another.',
    }),
    groups: omitted(3, atomicList(z.string()), { description: 'Groups that the user is in.' }),
    extra: omitted(4, mapOf(goNamed('v1.ExtraValue', atomicList(z.string()))), {
      description: 'Further facts that the authenticator knows.',
    }),
  }),
);

/** A user as JSON shows one: what is empty is left out. */
export function userInfoJson({
  username,
  uid = '',
  groups,
  extra = {},
}: UserInfo): z.output<ReturnType<typeof userInfoSchema>> {
  return {
    ...(username === '' ? {} : { username }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
