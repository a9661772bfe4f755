/** From where on each line of etcd tells progress only when everything before has been sent (its issues 15220 and 17507). */
const SAFE_PATCHES: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/** Whether what a member of a version answers to a request for progress can be relied on. */
export function tellsSafeProgress(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const needed = SAFE_PATCHES[`${major}.${minor}`];
  return needed === undefined ? major > 3 || (major === 3 && minor > 5) : patch >= needed;
}
