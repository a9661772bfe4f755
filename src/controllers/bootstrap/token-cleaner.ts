import { Secret } from '../../kinds/index.js';
import { bootstrapTokenExpiry } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import { reconciler } from '../runtime/reconciler.js';
import { bootstrapSecrets, type BootstrapControllerOptions, type BootstrapSecret } from './bootstrap-secrets.js';

/** Deletes bootstrap token Secrets when they expire. A Secret with an invalid expiry is deleted immediately. */
export function tokenCleaner(options: BootstrapControllerOptions): Controller {
  const { client, clock, dialect } = options;
  const inNamespace = client.resource(Secret).namespace(dialect.namespaces.system);

  async function remove({ metadata: { name = '', uid } }: BootstrapSecret): Promise<void> {
    const removal = inNamespace.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    // The Secret was deleted or replaced meanwhile: the event of a replacement runs it again.
    await ignoring(removal, 'NotFound', 'Conflict');
  }

  return reconciler(options, {
    name: 'tokencleaner',
    queue: 'token_cleaner',
    kind: bootstrapSecrets(dialect, ['expiration']),
    async reconcile(secret, run) {
      if (secret.metadata.deletionTimestamp !== undefined) return;
      const leftMs = bootstrapTokenExpiry(secret) - clock.now();
      if (leftMs <= 0) await remove(secret);
      else run.requeueAfter(leftMs);
    },
  });
}
