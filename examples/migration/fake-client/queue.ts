/**
 * The code under test of the guide "from a fake client": workers that share tasks. A task is a ConfigMap with the label
 * `queue.example/task`; the annotation `queue.example/worker` names the worker that has claimed it.
 */
import type { CoreV1Api, V1ConfigMap, V1ObjectMeta } from '@kubernetes/client-node';

export const TASK = 'queue.example/task';
export const WORKER = 'queue.example/worker';

/** Claims a free task for a worker. Returns its name; undefined when no task is free. */
export async function claimTask(api: CoreV1Api, namespace: string, worker: string): Promise<string | undefined> {
  return claim(api, namespace, worker, ({ metadata = {} }) => metadata);
}

/**
 * The first version, with the bug that the guide describes: it sends only the metadata that it knows, so not the
 * version of the task. The server takes that as "whatever the task is now", and the last worker wins.
 */
export async function claimTaskFirstVersion(
  api: CoreV1Api,
  namespace: string,
  worker: string,
): Promise<string | undefined> {
  return claim(api, namespace, worker, ({ metadata: { name = '', labels = {}, annotations = {} } = {} }) => ({
    name,
    labels,
    annotations,
  }));
}

async function claim(
  api: CoreV1Api,
  namespace: string,
  worker: string,
  metadataOf: (task: V1ConfigMap) => V1ObjectMeta,
): Promise<string | undefined> {
  const tasks = await api.listNamespacedConfigMap({ namespace, labelSelector: TASK });
  for (const task of tasks.items) {
    const name = task.metadata?.name ?? '';
    if (task.metadata?.annotations?.[WORKER] !== undefined) continue;
    const metadata = metadataOf(task);
    const body = { ...task, metadata: { ...metadata, annotations: { ...metadata.annotations, [WORKER]: worker } } };
    try {
      await api.replaceNamespacedConfigMap({ name, namespace, body });
      return name;
    } catch (error) {
      // Another worker was faster: try the next task.
      if (!(error instanceof Error && 'code' in error && error.code === 409)) throw error;
    }
  }
  return undefined;
}
