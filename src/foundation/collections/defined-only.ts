/** A record type whose members may be missing or undefined, as callers pass options on. */
export type Optional<Members> = { [Name in keyof Members]?: Members[Name] | undefined };

/** A record type without undefined: members that may be undefined become optional. */
export type Defined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/**
 * Returns a copy of a record without undefined members: for objects that are encoded, stored or compared, where absent
 * and undefined members differ. Options do not need it: they are declared `?: T | undefined`.
 */
export function definedOnly<Members extends object>(members: Members): Defined<Members>;
export function definedOnly<Members extends object>(members: Members): Partial<Members> {
  const defined: Partial<Members> = {};
  let name: keyof Members;
  for (name in members) if (members[name] !== undefined) defined[name] = members[name];
  return defined;
}
