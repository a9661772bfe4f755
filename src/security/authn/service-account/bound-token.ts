/**
 * Bound tokens: each is valid while all objects in its claims exist with the same uid.
 *
 * @module
 */
import {
  errors,
  parseTime,
  serviceAccountGroups,
  serviceAccountUsername,
  type Dialect,
  type UserInfo,
} from '../../../foundation/index.js';
import { CLOCK_LEEWAY_MS, type ServiceAccountClaims } from '../../tokens/index.js';
import type { BoundObject, LookedUp, ServiceAccountLookup } from './lookup.js';

/** An object that a token is bound to. */
export interface Anchor {
  readonly rule: AnchorRule;
  /** Namespace of the account; not used for a node. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Lookup of one kind of anchor, and its error messages. */
interface AnchorRule {
  find(lookup: ServiceAccountLookup, anchor: Anchor): LookedUp<BoundObject>;
  missing(anchor: Anchor): string;
  deleted(anchor: Anchor): string;
  replaced(foundUid: string, claimedUid: string): string;
}

const invalidated = (): string => 'service account token has been invalidated';

const rules = {
  serviceAccount: {
    find: (lookup, { namespace, name }) => lookup.serviceAccount(namespace, name),
    missing: ({ name }) => errors.notFound({ group: '', resource: 'serviceaccounts' }, name).message,
    deleted: ({ namespace, name }) => `service account ${namespace}/${name} has been deleted`,
    replaced: (found, claimed) => `service account UID (${found}) does not match claim (${claimed})`,
  },
  secret: {
    find: (lookup, { namespace, name }) => lookup.secret(namespace, name),
    missing: invalidated,
    deleted: invalidated,
    replaced: (found, claimed) => `secret UID (${found}) does not match service account secret ref claim (${claimed})`,
  },
  pod: {
    find: (lookup, { namespace, name }) => lookup.pod(namespace, name),
    missing: invalidated,
    deleted: invalidated,
    replaced: (found, claimed) => `pod UID (${found}) does not match service account pod ref claim (${claimed})`,
  },
  node: {
    find: (lookup, { name }) => lookup.node(name),
    missing: invalidated,
    deleted: invalidated,
    replaced: (found, claimed) => `node UID (${found}) does not match service account node ref claim (${claimed})`,
  },
} as const satisfies Readonly<Record<string, AnchorRule>>;

/**
 * Returns the bound objects in lookup order. Kubernetes does not look up the node of a pod's token; here the token also
 * ends with its node. A node without a uid did not exist when the token was issued.
 */
export function anchorsOf({ namespace, serviceAccount, secret, pod, node }: ServiceAccountClaims): readonly Anchor[] {
  const anchors = [anchor(rules.serviceAccount, namespace, serviceAccount.name, serviceAccount.uid)];
  if (secret !== undefined) anchors.push(anchor(rules.secret, namespace, secret.name, secret.uid));
  if (pod !== undefined) anchors.push(anchor(rules.pod, namespace, pod.name, pod.uid));
  if (node?.uid !== undefined) anchors.push(anchor(rules.node, namespace, node.name, node.uid));
  return anchors;
}

function anchor(rule: AnchorRule, namespace: string, name: string, uid: string): Anchor {
  return { rule, namespace, name, uid };
}

/**
 * Returns the problem of a token's anchors, or undefined. The result is synchronous as long as the lookup is.
 *
 * @param from index of the first anchor to check
 */
export function anchorProblem(
  anchors: readonly Anchor[],
  lookup: ServiceAccountLookup,
  nowMs: number,
  from = 0,
): string | undefined | Promise<string | undefined> {
  for (let index = from; index < anchors.length; index += 1) {
    const anchor = anchors[index];
    if (anchor === undefined) break;
    const found = anchor.rule.find(lookup, anchor);
    if (found instanceof Promise)
      return found.then(
        (object) => problemOf(anchor, object, nowMs) ?? anchorProblem(anchors, lookup, nowMs, index + 1),
      );
    const problem = problemOf(anchor, found, nowMs);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(anchor: Anchor, found: BoundObject | undefined, nowMs: number): string | undefined {
  if (found === undefined) return anchor.rule.missing(anchor);
  const { uid = '', deletionTimestamp } = found.metadata;
  if (uid !== anchor.uid) return anchor.rule.replaced(uid, anchor.uid);
  // An object that is being deleted can still need its token for a moment.
  const deletedMs = deletionTimestamp === undefined ? undefined : (parseTime(deletionTimestamp) ?? 0);
  return deletedMs !== undefined && deletedMs < nowMs - CLOCK_LEEWAY_MS ? anchor.rule.deleted(anchor) : undefined;
}

/**
 * Creates a function that maps claims to users. The keys of `extra` in the dialect are computed once.
 *
 * @returns function from claims to the user
 */
export function usersOfTokens(dialect: Dialect): (claims: ServiceAccountClaims) => UserInfo {
  const key = (name: string): string => `authentication.${dialect.labelDomain}/${name}`;
  const keys = {
    credentialId: key('credential-id'),
    nodeName: key('node-name'),
    nodeUid: key('node-uid'),
    podName: key('pod-name'),
    podUid: key('pod-uid'),
  };
  return ({ namespace, serviceAccount, pod, node, id }) => {
    const extra: Record<string, readonly string[]> = {};
    if (id !== undefined) extra[keys.credentialId] = [credentialId(id)];
    if (node !== undefined) extra[keys.nodeName] = [node.name];
    if (node?.uid !== undefined) extra[keys.nodeUid] = [node.uid];
    if (pod !== undefined) {
      extra[keys.podName] = [pod.name];
      extra[keys.podUid] = [pod.uid];
    }
    const username = serviceAccountUsername(namespace, serviceAccount.name);
    const groups = serviceAccountGroups(namespace);
    const hasExtra = id !== undefined || node !== undefined || pod !== undefined;
    return hasExtra
      ? { username, uid: serviceAccount.uid, groups, extra }
      : { username, uid: serviceAccount.uid, groups };
  };
}

/** Returns the credential id of a token for the audit log. */
export function credentialId(tokenId: string): string {
  return `JTI=${tokenId}`;
}
