import type { Client } from '../../../client/index.js';
import { inSlices, nextInt64, SharedWork } from '../../../foundation/index.js';
import { ControllerRevision, DaemonSet } from '../../../kinds/index.js';
import { hasReason } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import type { PodObject } from '../shared/kinds.js';
import {
  inOrder,
  lastRevisionOf,
  REVISION_LABEL,
  revisionData,
  storeRevision,
  type RevisionClient,
  type RevisionObject,
} from '../shared/revisions.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { DaemonSetObject } from './types.js';

const DEFAULT_LIMIT = 10;

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
  readonly #client: Client;
  readonly #informer: Informer<RevisionObject>;
  readonly #unseen: UnseenWrites;

  readonly #selectorOf: SelectorOf<DaemonSetObject>;

  constructor(
    client: Client,
    informer: Informer<RevisionObject>,
    unseen: UnseenWrites,
    selectorOf: SelectorOf<DaemonSetObject>,
  ) {
    this.#client = client;
    this.#selectorOf = selectorOf;
    this.#informer = informer;
    this.#unseen = unseen;
  }

  /** Returns the revisions of a set. Stores the current template when it is new, or was not the newest. */
  async revisionsOf(key: string, set: DaemonSetObject): Promise<DaemonRevisions> {
    const stored = inOrder(await this.#claimed(key, set));
    const data = revisionData(set.spec?.template);
    const work = new SharedWork();
    const current = await inSlices(work, lastRevisionOf(stored, { data }, work));
    const old = stored.filter((revision) => revision !== current);
    const number = nextInt64(old.at(-1)?.revision ?? 0);
    const collisions = set.status?.collisionCount ?? 0;
    if (current === undefined) {
      const created = await storeRevision(this.#clientOf(set), {
        owner: set,
        template: set.spec?.template,
        ...{ number, collisions },
        style: { hashLabel: REVISION_LABEL },
      });
      this.#unseen.written(key, this.#informer, created.revision);
      return { hash: hashOf(created.revision), old, collisions: created.collisions };
    }
    if (current.revision < number) {
      // The set was rolled back: its revision becomes the newest.
      const moved = await this.#clientOf(set).update({ ...current, revision: number });
      this.#unseen.written(key, this.#informer, moved);
    }
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
    const surplus = old.length - (set.spec?.revisionHistoryLimit ?? DEFAULT_LIMIT);
    const dead = old.filter((revision) => !live.has(hashOf(revision)));
    for (const revision of dead.slice(0, Math.max(0, surplus))) {
      const { name = '', uid } = revision.metadata;
      try {
        await this.#clientOf(set).delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
      this.#unseen.deleted(key, this.#informer, revision);
    }
  }

  #clientOf({ metadata }: DaemonSetObject): RevisionClient {
    return this.#client.resource(ControllerRevision).namespace(metadata.namespace ?? '');
  }

  #claimed(key: string, set: DaemonSetObject): Promise<RevisionObject[]> {
    const { namespace = '', name = '' } = set.metadata;
    const dependents = { client: this.#clientOf(set), informer: this.#informer, unseen: this.#unseen };
    return claim({
      owner: set,
      selector: (work) => this.#selectorOf(set, work),
      dependents: this.#informer,
      ...claimRequests(key, this.#client.resource(DaemonSet).namespace(namespace), name, dependents),
    });
  }
}

const hashOf = ({ metadata }: RevisionObject): string => metadata.labels?.[REVISION_LABEL] ?? '';
