import type { Client } from '../../../client/index.js';
import { inSlices, nextInt64, SharedWork, type Dialect } from '../../../foundation/index.js';
import { ControllerRevision, StatefulSet } from '../../../kinds/index.js';
import { hasReason } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import type { PodObject } from '../shared/kinds.js';
import {
  inOrder,
  lastRevisionOf,
  revisionData,
  storeRevision,
  templateOf,
  type RevisionClient,
  type RevisionObject,
} from '../shared/revisions.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import { podRevision } from './identity.js';
import type { SetRevision } from './stateful-pods.js';
import type { StatefulSetObject } from './types.js';

const DEFAULT_LIMIT = 10;

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
  readonly #client: Client;
  readonly #dialect: Dialect;
  readonly #informer: Informer<RevisionObject>;
  readonly #unseen: UnseenWrites;

  readonly #selectorOf: SelectorOf<StatefulSetObject>;

  constructor(
    { client, dialect }: { readonly client: Client; readonly dialect: Dialect },
    informer: Informer<RevisionObject>,
    unseen: UnseenWrites,
    selectorOf: SelectorOf<StatefulSetObject>,
  ) {
    this.#client = client;
    this.#dialect = dialect;
    this.#selectorOf = selectorOf;
    this.#informer = informer;
    this.#unseen = unseen;
  }

  /** Returns the revisions of a set. Stores the current template when it is new, or was not the newest. */
  async revisionsOf(key: string, set: StatefulSetObject): Promise<SetRevisions> {
    const stored = inOrder(await this.#claimed(key, set));
    const data = revisionData(set.spec?.template);
    const work = new SharedWork();
    const equal = await inSlices(work, lastRevisionOf(stored, { data }, work));
    const newest = stored.at(-1);
    let collisions = set.status?.collisionCount ?? 0;
    let update: RevisionObject;
    if (equal === undefined || newest === undefined) {
      const created = await storeRevision(this.#clientOf(set), {
        owner: set,
        template: set.spec?.template,
        number: nextInt64(newest?.revision ?? 0),
        collisions,
        style: { hashLabel: `controller.${this.#dialect.labelDomain}/hash` },
      });
      ({ revision: update, collisions } = created);
      this.#unseen.written(key, this.#informer, update);
    } else if (newest === equal) {
      update = newest;
    } else {
      // The set was rolled back: its revision becomes the newest.
      update = await this.#clientOf(set).update({ ...equal, revision: nextInt64(newest.revision) });
      this.#unseen.written(key, this.#informer, update);
    }
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
    const history = all.filter(({ metadata }) => !live.has(metadata.name ?? ''));
    const surplus = history.length - (set.spec?.revisionHistoryLimit ?? DEFAULT_LIMIT);
    for (const revision of history.slice(0, Math.max(0, surplus))) {
      try {
        await this.#clientOf(set).delete(revision.metadata.name ?? '', {
          preconditions: { uid: revision.metadata.uid },
        });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
      this.#unseen.deleted(key, this.#informer, revision);
    }
  }

  #clientOf({ metadata }: StatefulSetObject): RevisionClient {
    return this.#client.resource(ControllerRevision).namespace(metadata.namespace ?? '');
  }

  #claimed(key: string, set: StatefulSetObject): Promise<RevisionObject[]> {
    const { namespace = '', name = '' } = set.metadata;
    const dependents = { client: this.#clientOf(set), informer: this.#informer, unseen: this.#unseen };
    return claim({
      owner: set,
      selector: (work) => this.#selectorOf(set, work),
      dependents: this.#informer,
      ...claimRequests(key, this.#client.resource(StatefulSet).namespace(namespace), name, dependents),
    });
  }
}

const asRevision = (revision: RevisionObject): SetRevision => ({
  name: revision.metadata.name ?? '',
  template: templateOf(revision),
});
