import { PersistentVolume } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { Controller } from '../runtime/controller.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { editFinalizers, isWaitingFor, lacks } from './finalizer-edits.js';
import type { ProtectionOptions } from './protection-options.js';

/**
 * Keeps a volume while it is bound to a claim: gives every volume a finalizer, and removes it from a deleted volume that
 * is not bound.
 */
export function volumeProtection({ client, clock, dialect, informers, onError }: ProtectionOptions): Controller {
  const finalizer = `${dialect.labelDomain}/pv-protection`;
  const volumes = informers.of(PersistentVolume);
  const queue = new WorkQueue<string>({
    name: 'pvprotection',
    clock,
    process,
    onError: (_name, error) => onError(error),
  });
  const enqueue = (volume: ObjectOf<typeof PersistentVolume>): void => {
    if (lacks(volume, finalizer) || isWaitingFor(volume, finalizer)) queue.add(volume.metadata.name ?? '');
  };
  volumes.subscribe({ added: enqueue, updated: enqueue });

  async function process(name: string): Promise<void> {
    const volume = volumes.get(name);
    if (volume === undefined) return;
    const resource = client.resource(PersistentVolume);
    if (lacks(volume, finalizer)) await editFinalizers(resource, volume, (present) => [...present, finalizer]);
    else if (isWaitingFor(volume, finalizer) && volume.status?.phase !== 'Bound')
      await editFinalizers(resource, volume, (present) => present.filter((other) => other !== finalizer));
  }

  return { name: 'pv-protection', informers: () => [volumes], queues: [queue] };
}
