import { ReplicationController } from '../../../kinds/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import { compiledOnce } from '../../runtime/owner-selectors.js';
import type { Controller } from '../../runtime/controller.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { replicaController } from './replica-controller.js';

/** Keeps the pods of replication controllers. */
export function replicationControllerController(host: RecordingHost): Controller {
  const { client, informers } = host;
  const controllers = informers.of(ReplicationController);
  return replicaController(
    {
      name: 'replicationcontroller',
      queue: 'replicationmanager',
      kind: 'ReplicationController',
      component: 'replication-controller',
      client: client.resource(ReplicationController),
      informer: controllers,
      // Without a selector, the labels of the template are the selector.
      selectorOf: compiledOnce(({ spec }, work) => {
        const labels = spec?.selector ?? spec?.template?.metadata?.labels;
        return LabelSelector.fromLabelsSteps(labels, work);
      }),
      relatedPods: (_owner, own) => own,
    },
    host,
  );
}
