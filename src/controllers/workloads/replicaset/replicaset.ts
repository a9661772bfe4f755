import { Pod, ReplicaSet } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';
import type { Controller } from '../../runtime/controller.js';
import { BY_CONTROLLER, byController, controllerOf } from '../../runtime/controller-ref.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { owned } from '../../runtime/owned.js';
import { specSelectors } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { Replicas } from './replica-controller.js';

/** Keeps the pods of replica sets. */
export function replicaSetController(host: RecordingHost): Controller {
  const { client, informers } = host;
  const sets = informers.of(ReplicaSet);
  sets.addIndex(BY_CONTROLLER, byController);
  const pods = informers.of(Pod);
  const selectorOf = specSelectors<ObjectOf<typeof ReplicaSet>>();
  const replicas = new Replicas(
    {
      component: 'replicaset-controller',
      client: client.resource(ReplicaSet),
      informer: sets,
      selectorOf,
      // All pods of a deployment spread over the nodes, those of its other replica sets included.
      relatedPods(set, own) {
        const controller = controllerOf(set);
        if (controller === undefined) return own;
        return sets
          .find(BY_CONTROLLER, controller.uid)
          .flatMap(({ metadata }) => pods.find(BY_CONTROLLER, metadata.uid ?? ''));
      },
    },
    host,
  );
  return reconciler(host, {
    name: 'replicaset',
    queue: 'replicaset',
    gathers: true,
    kind: ReplicaSet,
    owns: [owned(Pod, { selectorOf })],
    writes: replicas.unseen,
    reconcile: (set, run) => replicas.reconcile(set, run),
  });
}
