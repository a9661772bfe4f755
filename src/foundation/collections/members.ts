/** Adds a member to the set of a key in a map of sets. */
export function addMember<Key, Member>(sets: Map<Key, Set<Member>>, key: Key, member: Member): void {
  const members = sets.get(key);
  if (members === undefined) sets.set(key, new Set([member]));
  else members.add(member);
}

/** Removes a member from the set of a key, and the key with its last member. */
export function removeMember<Key, Member>(sets: Map<Key, Set<Member>>, key: Key, member: Member): void {
  const members = sets.get(key);
  if (members?.delete(member) === true && members.size === 0) sets.delete(key);
}
