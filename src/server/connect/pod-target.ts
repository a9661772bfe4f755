import { ApiError, errors } from '../../foundation/index.js';
import { allContainers, type PodSpec, type StoredPod } from '../../kinds/index.js';
import { handed } from '../../registry/index.js';
import type { ResourceCall } from '../endpoints/call.js';

const NO_SPEC: PodSpec = Object.freeze({ containers: [] });

/** Returns the object in the path. @throws ApiError 404 */
export async function targetOf(call: ResourceCall, name = call.scope.info.name): Promise<StoredPod> {
  const { operations, scope, context } = call;
  const { store } = operations;
  const namespace = store.info.namespaced ? scope.info.namespace : '';
  const record = await store.get(namespace, name, '', scope.signal, context.whileWaiting);
  return handed<StoredPod>(store.read(record), context);
}

/** Returns the container that a request means. @throws ApiError 400 when it names none that exists */
export function containerOf({ metadata, spec = NO_SPEC }: StoredPod, wanted: string): string {
  const { name = '' } = metadata;
  const [first, ...others] = spec.containers;
  const containers = allContainers(spec).map((container) => container.name);
  if (wanted !== '') {
    if (containers.includes(wanted)) return wanted;
    throw errors.badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  if (first === undefined) throw errors.badRequest(`a container name must be specified for pod ${name}`);
  if (others.length === 0) return first.name;
  throw errors.badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]`,
  );
}

/** Refuses a pod that is not bound to a node. @throws ApiError 400 */
export function requireNode({ metadata, spec }: StoredPod): void {
  if (!spec?.nodeName) throw errors.badRequest(`pod ${metadata.name ?? ''} does not have a host assigned`);
}

/**
 * Returns the refusal of a request that only a node could answer.
 *
 * @param what subresource: `pods/log`
 * @param option option of the server with which its owner answers: `pods.log`
 */
export function withoutHandler(what: string, option: string): ApiError {
  return new ApiError({
    message: `${what} is not supported by this server: it runs no nodes; its owner can answer with the option handlers.${option}`,
    reason: 'NotImplemented',
    code: 501,
  });
}
