import type { Client } from '../../client/index.js';
import type { Dialect } from '../../foundation/index.js';
import { Secret } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { view, type View } from '../runtime/sources.js';

/** A Secret that may hold a bootstrap token. */
export type BootstrapSecret = ObjectOf<typeof Secret>;

/** Options of the bootstrap token controllers. */
export interface BootstrapControllerOptions extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
}

/** Returns the bootstrap token Secrets. Only the data entries named by `keys` stay in memory. */
export function bootstrapSecrets(dialect: Dialect, keys: readonly string[]): View<typeof Secret> {
  return view(Secret, {
    namespace: dialect.namespaces.system,
    fieldSelector: `type=${dialect.secretTypes.bootstrapToken}`,
    keep: (secret) => ({
      ...secret,
      data: Object.fromEntries(Object.entries(secret.data ?? {}).filter(([key]) => keys.includes(key))),
    }),
  });
}
