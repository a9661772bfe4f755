import { Secret } from '../resources/index.js';
import { bootstrapTokenExpiry } from '../tokens/bootstrap-token.js';
import {
  bootstrapSecretsInformer,
  type BootstrapControllerOptions,
  type BootstrapSecret,
} from './bootstrap-secrets.js';
import type { Controller } from './controller.js';
import { hasReason } from './failures.js';
import { objectKey } from './informer-cache.js';
import { WorkQueue } from './work-queue.js';

/** Deletes the Secrets of bootstrap tokens when they expire, and at once those whose expiry cannot be read. */
export function tokenCleaner(options: BootstrapControllerOptions): Controller {
  const { client, clock, dialect, onError } = options;
  const inNamespace = client.resource(Secret).namespace(dialect.namespaces.system);
  const secrets = bootstrapSecretsInformer(options, ['expiration']);
  const queue = new WorkQueue<string>({ clock, process: look, onError: (_key, error) => onError(error) });
  const changed = (secret: BootstrapSecret): void => void queue.add(objectKey(secret));
  secrets.subscribe({ added: changed, updated: changed });

  async function look(key: string): Promise<void> {
    const secret = secrets.get(key);
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return;
    const leftMs = bootstrapTokenExpiry(secret) - clock.now();
    if (leftMs <= 0) await remove(secret);
    else if (leftMs < Infinity) queue.addAfter(key, leftMs);
  }

  async function remove({ metadata: { name = '', uid } }: BootstrapSecret): Promise<void> {
    try {
      await inNamespace.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      // Deleted by somebody else, or made anew: then its event brings us back.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  return { name: 'tokencleaner', informers: () => [secrets], queues: [queue] };
}
