import type { LeaderTerm } from '../../controllers/index.js';
import { Lease } from '../../kinds/index.js';
import type { Catalogue } from '../../registry/index.js';
import type { Revision, StorageCondition } from '../../storage/index.js';
import type { ControllerGroup } from './controller-groups.js';

/** The records of terms: one for each group of controllers, which changes when another server takes over, and only then. */
const KEY_PREFIX = '/internal/terms/';

/**
 * Begins a term of a group: changes its record. That is a condition of every write of the group's controllers, so those
 * of the former term write nothing from then on, even if their process does not know yet.
 *
 * @param identity the server that has taken over
 * @param lease the Lease at the takeover. If it has changed since, the takeover may be over already, and nothing begins
 * @throws StorageError `Fenced` when the Lease has changed, `Conflict` when another term begins, or when the storage fails
 */
export async function beginTerm(
  catalogue: Catalogue,
  group: ControllerGroup,
  identity: string,
  { metadata }: LeaderTerm['lease'],
): Promise<StorageCondition> {
  const { storage } = catalogue.environment;
  const key = KEY_PREFIX + group;
  const leaseKey = catalogue.store(Lease).info.key(metadata.namespace ?? '', metadata.name ?? '');
  const options = { while: { key: leaseKey, modRevision: Number(metadata.resourceVersion) } };
  const text = termText(identity);
  const { record } = await storage.get(key);
  const { modRevision } =
    record === undefined
      ? await storage.create(key, text, options)
      : await storage.update(key, text, record.modRevision, options);
  return { key, modRevision };
}

/** Returns an encoder of the record of a term. */
const termText =
  (holder: string) =>
  (revision: Revision): string =>
    JSON.stringify({
      kind: 'ControllerTerm',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      holder,
    });
