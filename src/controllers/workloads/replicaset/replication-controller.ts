import { Pod, ReplicationController } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Controller } from '../../runtime/controller.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { owned } from '../../runtime/owned.js';
import { compiledOnce } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { Replicas } from './replica-controller.js';

/** Keeps the pods of replication controllers. */
export function replicationControllerController(host: RecordingHost): Controller {
  const { client, informers } = host;
  // Without a selector, the labels of the template are the selector.
  const selectorOf = compiledOnce<ObjectOf<typeof ReplicationController>>(({ spec }, work) => {
    const labels = spec?.selector ?? spec?.template?.metadata?.labels;
    return LabelSelector.fromLabelsSteps(labels, work);
  });
  const replicas = new Replicas(
    {
      component: 'replication-controller',
      client: client.resource(ReplicationController),
      informer: informers.of(ReplicationController),
      selectorOf,
      relatedPods: (_owner, own) => own,
    },
    host,
  );
  return reconciler(host, {
    name: 'replicationcontroller',
    queue: 'replicationmanager',
    gathers: true,
    kind: ReplicationController,
    owns: [owned(Pod, { selectorOf })],
    writes: replicas.unseen,
    reconcile: (owner, run) => replicas.reconcile(owner, run),
  });
}
