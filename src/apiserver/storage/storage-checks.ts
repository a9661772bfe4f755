import type { Dialect } from '../../foundation/index.js';
import type { HealthChecks } from '../../server/index.js';
import type { Storage } from '../../storage/index.js';

/**
 * Adds the checks of the storage, and of the key services that encrypt it: by the names of its engine, and by those of the dialect, which clients know. The
 * readiness fails while the storage refuses writes, too.
 */
export function addStorageChecks(health: HealthChecks, storage: Storage, { storeChecks }: Dialect): void {
  const { name, readiness } = storage.healthChecks ?? {};
  const check = shared(() => storage.ping());
  const takesWrites = shared(() => storage.pingWrites?.() ?? check());
  for (const each of namesOf(name, storeChecks.store)) health.add({ name: each, check });
  for (const each of namesOf(readiness, storeChecks.readiness))
    health.add({ name: each, check: takesWrites }, ['readyz']);
  // Liveness leaves them out: to restart the server does not help a key service that fails.
  for (const each of storage.encryption?.healthChecks ?? []) health.add(each, ['healthz', 'readyz']);
}

const namesOf = (own: string | undefined, known: string): ReadonlySet<string> => new Set([own ?? known, known]);

/** Returns a function that starts nothing while an earlier call has not ended: a request runs all checks together. */
function shared(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () =>
    (running ??= run().finally(() => {
      running = undefined;
    }));
}
