import type { JsonObject } from '../../../foundation/index.js';
import type { Owner } from '../../runtime/controller-ref.js';
import type { InformedObject } from '../../runtime/informer-cache.js';
import type { SelectorOf } from '../../runtime/owner-selectors.js';
import type { SeenObjects, UnseenWrites } from '../../runtime/unseen-writes.js';
import { claim, type Dependents } from './claims.js';

/** The part of the client of a namespaced kind that gives another client for each namespace. */
interface Namespaces<Client> {
  namespace(name: string): Client;
}

/** The part of a client of a kind in a namespace that claims use. */
interface PatchClient<Item> {
  patch(name: string, patch: JsonObject, parameters: { readonly type: 'strategic' }): Promise<Item>;
}

/** How the objects of one kind claim those of another. */
export interface Claiming<Workload extends Owner, Item extends InformedObject> {
  readonly owners: Namespaces<{ get(name: string): Promise<InformedObject> }>;
  readonly selectorOf: SelectorOf<Workload>;
  readonly dependents: Namespaces<PatchClient<Item>>;
  readonly informer: SeenObjects & Dependents<Item>;
  /** Remembers the changes of owner references until the informer has seen them. */
  readonly unseen: UnseenWrites;
  /** Whether an object takes part in claims: others are neither adopted nor released. Default true. */
  readonly counts?: ((object: Item) => boolean) | undefined;
  /** Whether an owner may control a matching object, such as by its name. Default true. */
  readonly accepts?: ((owner: Workload, object: Item) => boolean) | undefined;
}

/**
 * Returns the objects that an owner controls and selects, after it has adopted and released others ({@link claim}).
 *
 * @param key the key of the run
 */
export type Claims<Workload extends Owner, Item extends InformedObject> = (
  key: string,
  owner: Workload,
) => Promise<Item[]>;

/** Returns the function that claims for any owner of a kind. */
export function claiming<Workload extends Owner, Item extends InformedObject>(
  options: Claiming<Workload, Item>,
): Claims<Workload, Item> {
  const { owners, selectorOf, dependents, informer, unseen, counts, accepts = () => true } = options;
  const counted: Dependents<Item> =
    counts === undefined ? informer : { find: (index, value) => informer.find(index, value).filter(counts) };
  return (key, owner) => {
    const { namespace = '', name = '' } = owner.metadata;
    return claim({
      owner,
      selector: (work) => selectorOf(owner, work),
      dependents: counted,
      accepts: (object) => accepts(owner, object),
      currentOwner: () => owners.namespace(namespace).get(name),
      async patch(object, patch) {
        const client = dependents.namespace(namespace);
        const changed = await client.patch(object.metadata.name ?? '', patch, { type: 'strategic' });
        unseen.written(key, informer, changed);
        return changed;
      },
    });
  };
}
