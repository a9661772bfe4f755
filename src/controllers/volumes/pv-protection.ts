import { PersistentVolume } from '../../kinds/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { reconciler } from '../runtime/reconciler.js';
import { editFinalizers, isWaitingFor, lacks } from './finalizer-edits.js';

/**
 * Keeps a volume while it is bound to a claim: gives every volume a finalizer, and removes it from a deleted volume that
 * is not bound.
 */
export function volumeProtection(host: ControllerHost): Controller {
  const finalizer = `${host.dialect.labelDomain}/pv-protection`;
  const resource = host.client.resource(PersistentVolume);
  return reconciler(host, {
    name: 'pv-protection',
    queue: 'pvprotection',
    kind: PersistentVolume,
    runsOn: (volume) => lacks(volume, finalizer) || isWaitingFor(volume, finalizer),
    async reconcile(volume) {
      if (lacks(volume, finalizer)) await editFinalizers(resource, volume, (current) => [...current, finalizer]);
      else if (isWaitingFor(volume, finalizer) && volume.status?.phase !== 'Bound')
        await editFinalizers(resource, volume, (current) => current.filter((other) => other !== finalizer));
    },
  });
}
