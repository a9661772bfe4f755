import type { Client } from '../../client/index.js';
import { Binding, Pod } from '../../kinds/index.js';
import type { SimulatedPod } from '../objects.js';

/**
 * Binds a pod to a node.
 *
 * @throws ApiError 404 when the pod is gone, 409 when it has a node already or was replaced
 */
export async function bindPod(client: Client, { metadata }: SimulatedPod, nodeName: string): Promise<void> {
  const { name = '', namespace = '', uid } = metadata;
  await client
    .resource(Pod)
    .namespace(namespace)
    .perform(name, Binding, {
      metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
      target: { kind: 'Node', name: nodeName },
    });
}
