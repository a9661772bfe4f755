import type { Client } from '../../../client/index.js';
import { inSlices, nextInt64, SharedWork, type Dialect } from '../../../foundation/index.js';
import { StatefulSet } from '../../../kinds/index.js';
import type { Informer } from '../../runtime/informer.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { PodObject } from '../shared/kinds.js';
import { OwnedRevisions } from '../shared/owned-revisions.js';
import { lastRevisionOf, revisionData, templateOf, type RevisionObject } from '../shared/revisions.js';
import { podRevision } from './identity.js';
import type { SetRevision } from './stateful-pods.js';
import type { StatefulSetObject } from './types.js';

/** The revisions of a set. */
export interface SetRevisions {
  /** The revision that the rollout started from. */
  readonly current: SetRevision;
  /** The revision of the current template. */
  readonly update: SetRevision;
  readonly collisions: number;
  /** All stored revisions, the newest last. */
  readonly all: readonly RevisionObject[];
}

/** Keeps the controller revisions of stateful sets. */
export class SetHistory {
  readonly #dialect: Dialect;
  readonly #revisions: OwnedRevisions<StatefulSetObject>;

  constructor(
    { client, dialect }: { readonly client: Client; readonly dialect: Dialect },
    informer: Informer<RevisionObject>,
    unseen: UnseenWrites,
    selectorOf: SelectorOf<StatefulSetObject>,
  ) {
    this.#dialect = dialect;
    this.#revisions = new OwnedRevisions({
      ...{ client, informer, unseen, selectorOf },
      owners: client.resource(StatefulSet),
    });
  }

  /** Returns the revisions of a set. Stores the current template when it is new, or was not the newest. */
  async revisionsOf(key: string, set: StatefulSetObject): Promise<SetRevisions> {
    const stored = await this.#revisions.of(key, set);
    const data = revisionData(set.spec?.template);
    const work = new SharedWork();
    const equal = await inSlices(work, lastRevisionOf(stored, { data }, work));
    const newest = stored.at(-1);
    const number = nextInt64(newest?.revision ?? 0);
    let collisions = set.status?.collisionCount ?? 0;
    let update: RevisionObject;
    if (equal === undefined) {
      const style = { hashLabel: `controller.${this.#dialect.labelDomain}/hash` };
      const created = await this.#revisions.store(key, set, {
        template: set.spec?.template,
        ...{ number, collisions, style },
      });
      ({ revision: update, collisions } = created);
    } else if (newest === equal) update = equal;
    // The set was rolled back: its revision becomes the newest.
    else update = await this.#revisions.renumber(key, set, equal, number);
    const current = stored.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
    const all = stored.some(({ metadata }) => metadata.name === update.metadata.name) ? stored : [...stored, update];
    return { current: asRevision(current), update: asRevision(update), collisions, all };
  }

  /** Deletes the oldest revisions that no pod has, beyond the limit. */
  async truncate(
    key: string,
    set: StatefulSetObject,
    { current, update, all }: SetRevisions,
    pods: readonly PodObject[],
  ): Promise<void> {
    const live = new Set([current.name, update.name, ...pods.map(podRevision)]);
    const unused = all.filter(({ metadata }) => !live.has(metadata.name ?? ''));
    await this.#revisions.truncate(key, set, unused, unused.length, set.spec?.revisionHistoryLimit);
  }
}

const asRevision = (revision: RevisionObject): SetRevision => ({
  name: revision.metadata.name ?? '',
  template: templateOf(revision),
});
