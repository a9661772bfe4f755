/**
 * The annotations by which a deployment and its replica sets record the rollout.
 *
 * @module
 */
import type { Dialect } from '../../../foundation/index.js';
import { desiredReplicas, maxSurge } from './limits.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

/** Maximum length of the text of a revision. Zeros may come first. */
const MAX_REVISION_LENGTH = 64;

/** Maximum length of the list of earlier revisions of a replica set. */
const MAX_HISTORY_LENGTH = 2000;

type Annotations = Record<string, string>;

/** Names of the annotations in a dialect. */
export interface RolloutAnnotations {
  /** Revision of a replica set and, on a deployment, that of its new replica set. */
  readonly revision: string;
  /** Earlier revisions of a replica set that was rolled back to, with commas between them. */
  readonly revisionHistory: string;
  /** Number of replicas of the deployment when the replica set was last scaled. */
  readonly desiredReplicas: string;
  /** The most pods that the deployment could have then. */
  readonly maxReplicas: string;
  /** Annotations that a replica set does not take over from its deployment. */
  readonly own: ReadonlySet<string>;
}

/** Returns the names of the annotations in a dialect. */
export function rolloutAnnotations({ labelDomain, clientSideApply }: Dialect): RolloutAnnotations {
  const revision = `deployment.${labelDomain}/revision`;
  const revisionHistory = `deployment.${labelDomain}/revision-history`;
  const desired = `deployment.${labelDomain}/desired-replicas`;
  const max = `deployment.${labelDomain}/max-replicas`;
  const own = new Set([
    clientSideApply.annotation,
    revision,
    revisionHistory,
    desired,
    max,
    'deprecated.deployment.rollback.to',
  ]);
  return { revision, revisionHistory, desiredReplicas: desired, maxReplicas: max, own };
}

/** Returns an annotation with a number; undefined when it is absent or not a number. */
export function numberIn({ metadata }: ReplicaSetObject, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the number in the annotation with the revision; undefined when it is absent or not an integer of 64 bits. */
export function revisionIn({ metadata }: ReplicaSetObject, { revision }: RolloutAnnotations): bigint | undefined {
  const text = metadata.annotations?.[revision];
  return text === undefined ? undefined : revisionOf(text);
}

function revisionOf(text: string): bigint | undefined {
  if (text.length > MAX_REVISION_LENGTH || !/^[-+]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Returns the revision after the highest one of replica sets: 1 when none has one. */
export function nextRevision(sets: readonly ReplicaSetObject[], names: RolloutAnnotations): bigint {
  let highest = 0n;
  for (const set of sets) {
    const revision = revisionIn(set, names) ?? 0n;
    if (revision > highest) highest = revision;
  }
  return BigInt.asIntN(64, highest + 1n);
}

/** Returns the annotations of the desired and the maximum number of pods, which every scaling records. */
export function replicaAnnotations(deployment: DeploymentObject, names: RolloutAnnotations): Annotations {
  const desired = desiredReplicas(deployment);
  return { [names.desiredReplicas]: String(desired), [names.maxReplicas]: String(desired + maxSurge(deployment)) };
}

/**
 * Returns the annotations of the new replica set: those of the deployment, and its revision when that is higher than
 * before. The earlier revision then joins the history: the deployment was rolled back to this replica set.
 *
 * @param present annotations of the replica set; empty for one that is to be created
 */
export function newSetAnnotations(
  { metadata }: DeploymentObject,
  present: Readonly<Annotations>,
  revision: bigint,
  names: RolloutAnnotations,
): Annotations {
  const annotations = { ...present };
  for (const [name, value] of Object.entries(metadata.annotations ?? {}))
    if (!names.own.has(name)) annotations[name] = value;
  const before = present[names.revision];
  const earlier = before === undefined ? 0n : revisionOf(before);
  // A revision that someone else has written is left alone.
  if (earlier === undefined || earlier >= revision) return annotations;
  annotations[names.revision] = String(revision);
  if (before !== undefined) annotations[names.revisionHistory] = withRevision(present[names.revisionHistory], before);
  return annotations;
}

/** Appends a revision to a history. The oldest revisions are dropped when it becomes too long. */
function withRevision(history: string | undefined, revision: string): string {
  const revisions = history ? history.split(',') : [];
  let length = revisions.join(',').length + (revisions.length > 0 ? 1 : 0) + revision.length;
  while (length > MAX_HISTORY_LENGTH && revisions.length > 0) length -= (revisions.shift()?.length ?? 0) + 1;
  return [...revisions, revision].join(',');
}
