/** A record whose members may be undefined, as one in which those are absent. */
export type Defined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/**
 * A copy of a record without the members that are undefined: for objects that are encoded, stored or compared, where an absent member
 * and an undefined one are not the same. Options need none of this: they are declared `?: T | undefined`.
 */
export function definedOnly<Members extends object>(members: Members): Defined<Members>;
export function definedOnly<Members extends object>(members: Members): Partial<Members> {
  const defined: Partial<Members> = {};
  let name: keyof Members;
  for (name in members) if (members[name] !== undefined) defined[name] = members[name];
  return defined;
}
