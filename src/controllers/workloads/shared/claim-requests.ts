import type { JsonObject } from '../../../foundation/index.js';
import type { InformedObject } from '../../runtime/informer-cache.js';
import type { ClaimRequests } from './claims.js';
import type { SeenObjects, UnseenWrites } from '../../runtime/unseen-writes.js';

/** The part of a client of a kind in a namespace that claims use. */
interface PatchClient<Item> {
  patch(name: string, patch: JsonObject, parameters: { readonly type: 'strategic' }): Promise<Item>;
}

/** Returns the requests of a claim. Remembers its writes until the informer of the dependents has seen them. */
export function claimRequests<Item extends InformedObject>(
  key: string,
  owners: { get(name: string): Promise<InformedObject> },
  ownerName: string,
  dependents: { readonly client: PatchClient<Item>; readonly informer: SeenObjects; readonly unseen: UnseenWrites },
): ClaimRequests<Item> {
  const { client, informer, unseen } = dependents;
  return {
    currentOwner: () => owners.get(ownerName),
    patch: async (object, patch) => {
      const changed = await client.patch(object.metadata.name ?? '', patch, { type: 'strategic' });
      unseen.written(key, informer, changed);
      return changed;
    },
  };
}
