import { FAMILY, LIMITED, QUOTA, SERVED, SETS } from './deeds.js';
import type { Commit, Ledger } from './ledger.js';

/** An invariant of the commits of a world. Returns how it is broken. */
type Check = (ledger: Ledger) => readonly string[];

/** The conditions that hold at every revision, or at the end, when everything is at rest. */
export const invariants: readonly (readonly [name: string, check: Check])[] = [
  ['usage never exceeds the quota', quotaOverruns],
  ['nothing with an owner is collected', ownedButDeleted],
  ['everything without an owner is collected', garbageLeft],
  ['no two services share an address or a port', sharedClaims],
  ['a replica set has its replicas at rest', wrongReplicas],
];

/** Revisions at which more objects exist than the quota allows. */
function quotaOverruns({ commits }: Ledger): string[] {
  const prefix = `/registry/configmaps/${LIMITED}/`;
  const existing = new Set<string>();
  const overruns: string[] = [];
  for (const { key, type, revision } of commits) {
    if (!key.startsWith(prefix)) continue;
    if (type === 'delete') existing.delete(key);
    else existing.add(key);
    if (existing.size > QUOTA) overruns.push(`at revision ${revision} there are ${existing.size} instead of ${QUOTA}`);
  }
  return overruns;
}

/** Deletions of objects that no client deletes, while an owner exists that is not being deleted. */
function ownedButDeleted(ledger: Ledger): string[] {
  const prefix = `/registry/configmaps/${FAMILY}/child-`;
  const living = new Map<string, Commit>();
  const deleted: string[] = [];
  for (const commit of ledger.commits) {
    const { key, type, revision, object } = commit;
    if (!key.startsWith(`/registry/configmaps/${FAMILY}/`)) continue;
    const uid = object.metadata?.uid ?? '';
    if (type !== 'delete') living.set(uid, commit);
    else {
      living.delete(uid);
      const owners = object.metadata?.ownerReferences ?? [];
      const owner = owners.map((each) => living.get(each.uid)).find((each) => each !== undefined);
      if (key.startsWith(prefix) && owner !== undefined && owner.object.metadata?.deletionTimestamp === undefined)
        deleted.push(`${key} is deleted at revision ${revision}, although its owner ${owner.key} exists`);
    }
  }
  return deleted;
}

/** Objects all whose owners are gone. */
function garbageLeft({ current }: Ledger): string[] {
  const uids = new Set([...current.values()].map(({ object }) => object.metadata?.uid));
  return [...current.values()].flatMap(({ key, object }) => {
    const owners = object.metadata?.ownerReferences ?? [];
    return owners.length === 0 || owners.some(({ uid }) => uids.has(uid)) ? [] : [`${key} has no owner any more`];
  });
}

/** Addresses and node ports that two services have at a revision. */
function sharedClaims({ commits }: Ledger): string[] {
  const prefix = '/registry/services/specs/';
  const holders = new Map<string, string>();
  const claimsOf = new Map<string, readonly string[]>();
  const shared: string[] = [];
  for (const { key, type, revision, object } of commits) {
    if (!key.startsWith(prefix)) continue;
    for (const claim of claimsOf.get(key) ?? []) if (holders.get(claim) === key) holders.delete(claim);
    claimsOf.delete(key);
    if (type === 'delete') continue;
    const claims = claimsIn(object.spec ?? {});
    claimsOf.set(key, claims);
    for (const claim of claims) {
      const holder = holders.get(claim);
      if (holder !== undefined) shared.push(`at revision ${revision} ${key} and ${holder} have ${claim}`);
      holders.set(claim, key);
    }
  }
  const count = [...claimsOf.keys()].filter((key) => key.startsWith(`${prefix}${SERVED}/`)).length;
  const without = [...claimsOf].filter(([, claims]) => claims.length === 0).map(([key]) => `${key} has no address`);
  return count === 0 ? shared : [...shared, ...without];
}

function claimsIn(spec: { readonly [member: string]: unknown }): string[] {
  const { clusterIP, ports } = spec as { clusterIP?: string; ports?: readonly { nodePort?: number }[] };
  const nodePorts = (ports ?? []).flatMap(({ nodePort }) => (nodePort === undefined ? [] : [`port ${nodePort}`]));
  return clusterIP === undefined || clusterIP === 'None' ? nodePorts : [clusterIP, ...nodePorts];
}

/** Replica sets with more or fewer pods than they want. */
function wrongReplicas({ current }: Ledger): string[] {
  const pods = new Map<string, number>();
  for (const [key, { object }] of current) {
    if (!key.startsWith(`/registry/pods/${SETS}/`) || object.metadata?.deletionTimestamp !== undefined) continue;
    const owner = object.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '';
    pods.set(owner, (pods.get(owner) ?? 0) + 1);
  }
  return [...current].flatMap(([key, { object }]) => {
    if (!key.startsWith(`/registry/replicasets/${SETS}/`)) return [];
    const [wanted, has] = [Number(object.spec?.['replicas'] ?? 1), pods.get(object.metadata?.uid ?? '') ?? 0];
    return wanted === has ? [] : [`${key} has ${has} pods instead of ${wanted}`];
  });
}
