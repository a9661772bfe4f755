/**
 * Tokens that were asked for: each holds as long as everything that it is bound to is there, under the uid that it had.
 *
 * @module
 */
import { errors } from '../../meta/api-error.js';
import type { UserInfo } from '../../meta/object.js';
import { parseTime } from '../../meta/time.js';
import type { Dialect } from '../../names/dialect.js';
import { CLOCK_LEEWAY_MS, type ServiceAccountClaims } from '../../tokens/index.js';
import { serviceAccountGroups, serviceAccountUsername } from '../service-account-names.js';
import type { BoundObject, LookedUp, ServiceAccountLookup } from './lookup.js';

/** Something that a token is bound to. */
export interface Anchor {
  readonly rule: AnchorRule;
  /** Of the account; a node has none. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** How one kind of anchor is looked up, and what is said when it is no longer what it was. */
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
 * What a token is bound to, in the order in which it is looked up. The production system shows the node of a pod's token and
 * does not look for it; here such a token ends with its node, too. A node without a uid was not there when the token was made.
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
 * Why a token's anchors do not hold any more; undefined when they do. Stays synchronous as long as the look-up does.
 *
 * @param from index of the first that is looked at
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
  // Something that is being deleted may still need its token for a moment, to finish.
  const deletedMs = deletionTimestamp === undefined ? undefined : (parseTime(deletionTimestamp) ?? 0);
  return deletedMs !== undefined && deletedMs < nowMs - CLOCK_LEEWAY_MS ? anchor.rule.deleted(anchor) : undefined;
}

/**
 * Makes users of claims. The keys of what is told of them besides, in the dialect, are made once.
 *
 * @returns the user whose token it is
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

/** What a token is called where its use is written down. */
export function credentialId(tokenId: string): string {
  return `JTI=${tokenId}`;
}
