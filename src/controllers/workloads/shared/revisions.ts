/**
 * The history of a workload's template: controller revisions, as stateful sets and daemon sets keep them.
 *
 * @module
 */
import type { ResourceClient } from '../../../client/index.js';
import {
  compareInt64,
  equalSteps,
  inSlices,
  SharedWork,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { ControllerRevision } from '../../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../../registry/index.js';
import { hasReason } from '../../runtime/failures.js';
import { controllerReference, type Owner } from '../../runtime/controller-ref.js';
import type { PodTemplate } from './kinds.js';
import { templateHash } from './template-hash.js';

export type RevisionObject = ObjectOf<typeof ControllerRevision>;
export type RevisionClient = ResourceClient<RevisionObject, InputOf<typeof ControllerRevision>>;

/** Label of pods with their revision. */
export const REVISION_LABEL = 'controller-revision-hash';
/** Maximum length of the part of a revision's name before its hash. */
const MAX_PREFIX = 223;

/** Returns the data of a revision: a patch that replaces the template, which `kubectl rollout undo` applies. */
export function revisionData(template: PodTemplate | undefined): JsonObject {
  return { spec: { template: { ...template, $patch: 'replace' } as JsonObject } };
}

/** Returns the template of a revision; undefined when its data has none. */
export function templateOf({ data }: RevisionObject): PodTemplate | undefined {
  const spec = memberOf(data, 'spec');
  const template = memberOf(spec, 'template');
  if (template === undefined) return undefined;
  const { $patch: _, ...rest } = template as JsonObject;
  return rest;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null ? (value as JsonObject)[name] : undefined;
}

/** Sorts revisions: lowest number first, then the older. */
export function inOrder(revisions: readonly RevisionObject[]): RevisionObject[] {
  return [...revisions].sort(
    (a, b) =>
      compareInt64(a.revision, b.revision) ||
      compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      compare(a.metadata.name ?? '', b.metadata.name ?? ''),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns whether two revisions have the same template. */
const sameRevision = (a: RevisionObject, b: { readonly data?: JsonValue | undefined }, work: Work): Steps<boolean> =>
  equalSteps(work, a.data, b.data);

/** Returns the last of some revisions that has a template; undefined when none has. A template may be long. */
export function* lastRevisionOf(
  revisions: readonly RevisionObject[],
  wanted: { readonly data?: JsonValue | undefined },
  work: Work,
): Steps<RevisionObject | undefined> {
  for (const revision of revisions.toReversed()) if (yield* sameRevision(revision, wanted, work)) return revision;
  return undefined;
}

/** How the revisions of a kind of workload are named and labelled. */
export interface RevisionStyle {
  /** Label of a revision with the hash of its template. */
  readonly hashLabel: string;
}

/** A revision before it is stored. */
export interface NewRevision {
  readonly owner: Owner;
  readonly template: PodTemplate | undefined;
  readonly number: number;
  readonly collisions: number;
  readonly style: RevisionStyle;
}

/** Returns the object of a new revision. */
function* draftRevision(
  { owner, template, number, collisions, style }: NewRevision,
  work: Work,
): Steps<InputOf<typeof ControllerRevision>> {
  const data = revisionData(template);
  const hash = yield* templateHash(data, collisions, work);
  const { name = '', namespace, annotations } = owner.metadata;
  return {
    metadata: {
      name: `${name.slice(0, MAX_PREFIX)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template?.metadata?.labels, [style.hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: number,
  };
}

/**
 * Stores a revision. When another revision has its name, the number of collisions increases, and the next name is
 * tried.
 *
 * @returns the revision, and the number of collisions
 */
export async function storeRevision(
  client: RevisionClient,
  revision: NewRevision,
): Promise<{ readonly revision: RevisionObject; readonly collisions: number }> {
  const work = new SharedWork();
  for (let { collisions } = revision; ; collisions += 1) {
    const draft = await inSlices(work, draftRevision({ ...revision, collisions }, work));
    try {
      return { revision: await client.create(draft), collisions };
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      const existing = await client.get(draft.metadata.name ?? '');
      if (await inSlices(work, sameRevision(existing, draft, work))) return { revision: existing, collisions };
    }
  }
}
