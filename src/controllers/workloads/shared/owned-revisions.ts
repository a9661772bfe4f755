import type { Client } from '../../../client/index.js';
import { ControllerRevision } from '../../../kinds/index.js';
import type { Owner } from '../../runtime/controller-ref.js';
import { hasReason } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import { claiming, type Claiming, type Claims } from './claiming.js';
import { inOrder, storeRevision, type NewRevision, type RevisionClient, type RevisionObject } from './revisions.js';

/** Default of `spec.revisionHistoryLimit`. */
const DEFAULT_LIMIT = 10;

/** Dependencies of {@link OwnedRevisions}. */
export interface OwnedRevisionsParts<Item extends Owner> {
  readonly client: Client;
  /** The revisions in the caches of the controller. */
  readonly informer: Informer<RevisionObject>;
  readonly unseen: UnseenWrites;
  readonly selectorOf: SelectorOf<Item>;
  readonly owners: Claiming<Item, RevisionObject>['owners'];
}

/** The stored revisions of the workloads of a kind. Each write is remembered until the informer has seen it. */
export class OwnedRevisions<Item extends Owner> {
  readonly #parts: OwnedRevisionsParts<Item>;
  readonly #claim: Claims<Item, RevisionObject>;

  constructor(parts: OwnedRevisionsParts<Item>) {
    this.#parts = parts;
    this.#claim = claiming({ ...parts, dependents: parts.client.resource(ControllerRevision) });
  }

  /** Returns the revisions of a workload, the lowest number first. Adopts those that it selects and nobody controls. */
  async of(key: string, workload: Item): Promise<RevisionObject[]> {
    return inOrder(await this.#claim(key, workload));
  }

  /**
   * Stores the revision of a new template.
   *
   * @returns the revision, and the number of collisions of names
   */
  async store(
    key: string,
    workload: Item,
    revision: Omit<NewRevision, 'owner'>,
  ): Promise<{ readonly revision: RevisionObject; readonly collisions: number }> {
    const stored = await storeRevision(this.#clientOf(workload), { ...revision, owner: workload });
    this.#written(key, stored.revision);
    return stored;
  }

  /** Gives a revision another number, after its workload was rolled back to it. */
  async renumber(key: string, workload: Item, revision: RevisionObject, number: number): Promise<RevisionObject> {
    const moved = await this.#clientOf(workload).update({ ...revision, revision: number });
    this.#written(key, moved);
    return moved;
  }

  /**
   * Deletes the first of some revisions that nobody uses, beyond the limit.
   *
   * @param unused the revisions, the oldest first
   * @param counted number of revisions that count towards the limit
   * @param limit `spec.revisionHistoryLimit`
   */
  async truncate(
    key: string,
    workload: Item,
    unused: readonly RevisionObject[],
    counted: number,
    limit = DEFAULT_LIMIT,
  ): Promise<void> {
    const { informer, unseen } = this.#parts;
    for (const revision of unused.slice(0, Math.max(0, counted - limit))) {
      const { name = '', uid } = revision.metadata;
      try {
        await this.#clientOf(workload).delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
      unseen.deleted(key, informer, revision);
    }
  }

  #written(key: string, revision: RevisionObject): void {
    this.#parts.unseen.written(key, this.#parts.informer, revision);
  }

  #clientOf({ metadata }: Item): RevisionClient {
    return this.#parts.client.resource(ControllerRevision).namespace(metadata.namespace ?? '');
  }
}
