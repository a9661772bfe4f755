import { Pod, ReplicaSet } from '../../../kinds/index.js';
import type { Controller } from '../../runtime/controller.js';
import { BY_CONTROLLER, byController, controllerOf } from '../../runtime/controller-ref.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { specSelectors } from '../../runtime/owner-selectors.js';
import { replicaController } from './replica-controller.js';

/** Keeps the pods of replica sets. */
export function replicaSetController(host: RecordingHost): Controller {
  const { client, informers } = host;
  const sets = informers.of(ReplicaSet);
  sets.addIndex(BY_CONTROLLER, byController);
  const pods = informers.of(Pod);
  return replicaController(
    {
      name: 'replicaset',
      queue: 'replicaset',
      kind: 'ReplicaSet',
      component: 'replicaset-controller',
      client: client.resource(ReplicaSet),
      informer: sets,
      selectorOf: specSelectors(),
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
}
