import { Secret } from '../../kinds/index.js';
import { bootstrapTokenExpiry } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import { WorkQueue } from '../runtime/work-queue.js';
import {
  bootstrapSecretsInformer,
  type BootstrapControllerOptions,
  type BootstrapSecret,
} from './bootstrap-secrets.js';

/** Deletes bootstrap token Secrets when they expire. A Secret with an invalid expiry is deleted immediately. */
export function tokenCleaner(options: BootstrapControllerOptions): Controller {
  const { client, clock, dialect, onError } = options;
  const inNamespace = client.resource(Secret).namespace(dialect.namespaces.system);
  const secrets = bootstrapSecretsInformer(options, ['expiration']);
  const queue = new WorkQueue<string>({
    name: 'token_cleaner',
    clock,
    process,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (secret: BootstrapSecret): void => void queue.add(objectKey(secret));
  secrets.subscribe({ added: enqueue, updated: enqueue });

  async function process(key: string): Promise<void> {
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
      // The Secret was deleted or replaced meanwhile: the event of a replacement enqueues it again.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  return { name: 'tokencleaner', informers: () => [secrets], queues: [queue] };
}
