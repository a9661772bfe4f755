import { qualified } from '../../foundation/index.js';
import type { StoredVersions } from '../records/stored-versions.js';
import type { ResourceDefinition } from './definition.js';
import type { ResourceInfo } from './resource-info.js';

const named = ({ kind, resource, group, version }: ResourceInfo): string =>
  `${kind} (${qualified(resource, group)}/${version})`;

/** Returns what the versions of one kind share: the definition of the stored version, or the set of versions. */
const hubOf = ({ definition }: ResourceInfo): ResourceDefinition | StoredVersions =>
  definition.storedVersions ?? definition.conversion?.hub ?? definition;

/** Returns whether two kinds of different groups may be stored in one place, or within each other. */
function mayOverlap(one: ResourceInfo, other: ResourceInfo): boolean {
  return one.keyPrefix.startsWith(other.keyPrefix) || other.keyPrefix.startsWith(one.keyPrefix);
}

/** Returns the conflict between two kinds; undefined when they are compatible. */
function conflictBetween(one: ResourceInfo, other: ResourceInfo): string | undefined {
  if (one.group !== other.group && hubOf(one) !== hubOf(other) && !mayOverlap(one, other)) return undefined;
  const both = `${named(one)} and ${named(other)}`;
  if (one.definition === other.definition)
    return `${named(one)} is given twice; give it once${one.definition.origin === 'builtin' ? ': it is built in' : ''}`;
  if (one.group === other.group && one.version === other.version) {
    if (one.resource === other.resource) return `${both} have the same group, version and plural; change one of them`;
    if (one.kind === other.kind) return `${both} have the same group, version and kind; change one of them`;
  }
  if (one.definition.virtual === true || other.definition.virtual === true) return undefined;
  const oneKind = one.group === other.group && one.resource === other.resource;
  if ((oneKind || one.keyPrefix === other.keyPrefix) && hubOf(one) !== hubOf(other)) {
    const hub = one.definition.conversion?.hub.version ?? one.version;
    return oneKind
      ? `${both} are two versions of one kind: say which is stored, and give the other the option conversion, such as { hub: ${one.kind} of ${hub}, toHub, fromHub }`
      : `${both} are both stored below ${one.keyPrefix}: change the group or the plural of one of them`;
  }
  if (oneKind && one.namespaced !== other.namespaced)
    return `${both} are two versions of one kind, and must have the same scope`;
  if (hubOf(one) === hubOf(other))
    return one.keyPrefix === other.keyPrefix
      ? undefined
      : `${both} are stored in one form, but below ${one.keyPrefix} and ${other.keyPrefix}: give both the same storagePrefix`;
  const [short, long] =
    one.keyPrefix.length < other.keyPrefix.length ? [one.keyPrefix, other.keyPrefix] : [other.keyPrefix, one.keyPrefix];
  return long.startsWith(short)
    ? `${both} are stored within each other, below ${short} and ${long}: change the group or the plural of one of them`
    : undefined;
}

/**
 * Checks that kinds are compatible with each other and with the kinds that are already served. Pairs of built-in kinds
 * are not compared: they are known to be.
 *
 * @param subject start of the error. Default the server's option
 * @throws TypeError that names two incompatible kinds and says how to correct them
 */
export function checkKinds(
  served: readonly ResourceInfo[],
  added: readonly ResourceInfo[],
  subject = 'ApiServer: the option resources',
): void {
  const others = [...served];
  for (const info of added) {
    const userDefined = info.definition.origin !== 'builtin';
    for (const other of others) {
      if (!userDefined && other.definition !== info.definition) continue;
      const conflict = conflictBetween(other, info);
      if (conflict !== undefined) throw new TypeError(`${subject}: ${conflict}`);
    }
    others.push(info);
  }
}
