import type { Client } from '../../../client/index.js';
import { inSlices, nextInt64, SharedWork } from '../../../foundation/index.js';
import { DaemonSet } from '../../../kinds/index.js';
import type { Informer } from '../../runtime/informer.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { PodObject } from '../shared/kinds.js';
import { OwnedRevisions } from '../shared/owned-revisions.js';
import { lastRevisionOf, REVISION_LABEL, revisionData, type RevisionObject } from '../shared/revisions.js';
import type { DaemonSetObject } from './types.js';

/** The revisions of a daemon set. */
export interface DaemonRevisions {
  /** Hash of the current template, which is the label of its pods. */
  readonly hash: string;
  /** Revisions of earlier templates, the oldest first. */
  readonly old: readonly RevisionObject[];
  readonly collisions: number;
}

/** Keeps the controller revisions of daemon sets. */
export class DaemonHistory {
  readonly #revisions: OwnedRevisions<DaemonSetObject>;

  constructor(
    client: Client,
    informer: Informer<RevisionObject>,
    unseen: UnseenWrites,
    selectorOf: SelectorOf<DaemonSetObject>,
  ) {
    this.#revisions = new OwnedRevisions({
      ...{ client, informer, unseen, selectorOf },
      owners: client.resource(DaemonSet),
    });
  }

  /** Returns the revisions of a set. Stores the current template when it is new, or was not the newest. */
  async revisionsOf(key: string, set: DaemonSetObject): Promise<DaemonRevisions> {
    const stored = await this.#revisions.of(key, set);
    const data = revisionData(set.spec?.template);
    const work = new SharedWork();
    const current = await inSlices(work, lastRevisionOf(stored, { data }, work));
    const old = stored.filter((revision) => revision !== current);
    const number = nextInt64(old.at(-1)?.revision ?? 0);
    const collisions = set.status?.collisionCount ?? 0;
    if (current === undefined) {
      const created = await this.#revisions.store(key, set, {
        template: set.spec?.template,
        ...{ number, collisions },
        style: { hashLabel: REVISION_LABEL },
      });
      return { hash: hashOf(created.revision), old, collisions: created.collisions };
    }
    // The set was rolled back: its revision becomes the newest.
    if (current.revision < number) await this.#revisions.renumber(key, set, current, number);
    return { hash: hashOf(current), old, collisions };
  }

  /** Deletes the oldest revisions that no pod has, beyond the limit. */
  async truncate(
    key: string,
    set: DaemonSetObject,
    { old, hash }: DaemonRevisions,
    pods: readonly PodObject[],
  ): Promise<void> {
    const live = new Set([hash, ...pods.map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? '')]);
    const unused = old.filter((revision) => !live.has(hashOf(revision)));
    await this.#revisions.truncate(key, set, unused, old.length, set.spec?.revisionHistoryLimit);
  }
}

const hashOf = ({ metadata }: RevisionObject): string => metadata.labels?.[REVISION_LABEL] ?? '';
