import { delay, type Clock } from '../../../foundation/index.js';
import { ServiceAccount } from '../../../kinds/index.js';
import type { Catalogue } from '../../../registry/index.js';
import { findStored } from '../mirrored-kind.js';
import { DEFAULT_ACCOUNT, type AccountLookup } from './service-account.js';

/** Time that a pod of a new namespace waits for its account, in milliseconds; Kubernetes waits between 0.9 and 1.8 s. */
const WAIT_MS = 1000;

/**
 * Creates a lookup of service accounts. The account `default` of a new namespace, which a controller is about to
 * create, is waited for.
 */
export function accountLookup(catalogue: Catalogue, clock: Clock): AccountLookup {
  return async (namespace, name, signal) => {
    const found = await findStored(catalogue, ServiceAccount, namespace, name);
    if (found !== undefined || name !== DEFAULT_ACCOUNT || !catalogue.serves(ServiceAccount)) return found;
    const { info, environment } = catalogue.store(ServiceAccount);
    const { storage } = environment;
    const key = info.key(namespace, name);
    const { record, revision } = await storage.get(key);
    if (record === undefined) {
      const waiting = new AbortController();
      // A prefix: it may also match accounts whose names begin with this one.
      const watch = storage.watch(key, revision, {
        events: (events) => {
          if (events.some((event) => event.key === key && event.type !== 'delete')) waiting.abort();
        },
        progress: () => undefined,
        end: () => waiting.abort(),
      });
      const given = AbortSignal.any([waiting.signal, ...(signal === undefined ? [] : [signal])]);
      await delay(clock, WAIT_MS, given).finally(() => watch.stop());
    }
    return findStored(catalogue, ServiceAccount, namespace, name);
  };
}
