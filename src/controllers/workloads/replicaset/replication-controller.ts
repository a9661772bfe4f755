import { ReplicationController } from '../../../kinds/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Controller } from '../../runtime/controller.js';
import { byNamespace } from '../../runtime/informer-cache.js';
import type { WorkloadOptions } from '../shared/workload-options.js';
import { replicaController } from './replica-controller.js';

/** Keeps the pods of replication controllers. */
export function replicationControllerController(options: WorkloadOptions): Controller {
  const { client, informers } = options;
  const controllers = informers.of(ReplicationController);
  controllers.addIndex('byNamespace', byNamespace);
  return replicaController(
    {
      name: 'replicationcontroller',
      queue: 'replicationmanager',
      kind: 'ReplicationController',
      component: 'replication-controller',
      client: client.resource(ReplicationController),
      informer: controllers,
      // Without a selector, the labels of the template are the selector.
      selectorOf: ({ spec }) => {
        const labels = spec?.selector ?? spec?.template?.metadata?.labels;
        return labels === undefined ? LabelSelector.nothing : LabelSelector.fromLabels(labels);
      },
      relatedPods: (_owner, own) => own,
    },
    options,
  );
}
