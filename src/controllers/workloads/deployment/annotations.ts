/**
 * The annotations by which a deployment and its replica sets record the rollout.
 *
 * @module
 */
import { greatest } from '../../../meta/append-to.js';
import type { Dialect } from '../../../names/dialect.js';
import { desiredReplicas, maxSurge } from './limits.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

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

/** Returns the highest revision of replica sets; 0 when none has one. */
export function maxRevision(sets: readonly ReplicaSetObject[], names: RolloutAnnotations): number {
  return greatest(
    sets.map((set) => numberIn(set, names.revision) ?? 0),
    0,
  );
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
  revision: number,
  names: RolloutAnnotations,
): Annotations {
  const annotations = { ...present };
  for (const [name, value] of Object.entries(metadata.annotations ?? {}))
    if (!names.own.has(name)) annotations[name] = value;
  const before = present[names.revision];
  const earlier = before === undefined ? 0 : /^-?\d+$/.test(before) ? Number(before) : undefined;
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
