import { shareTurn, type ObjectMeta, type StoredObject } from '../../../foundation/index.js';
import { Pod, type coreV1 } from '../../../kinds/index.js';
import type { Catalogue } from '../../../registry/index.js';

/** Maximum number of pods that a stricter policy is tried on. */
const MAX_PODS = 3000;
/** Maximum number of pods that are read at a time. */
const PAGE = 500;

/** A stored pod. */
interface PresentPod {
  readonly metadata: Readonly<ObjectMeta>;
  readonly spec?: coreV1.PodSpec | undefined;
}

/** The pods of a namespace. */
export interface PresentPods {
  /** Those to check: the first of each controller come first, since the others are mostly the same. */
  readonly pods: readonly PresentPod[];
  /** Number of pods that could be checked. */
  readonly total: number;
}

/**
 * Returns the pods of a namespace that a new policy concerns.
 *
 * @param exempt runtime classes whose pods are left out
 * @param isLate returns whether to stop reading
 * @throws StorageError
 */
export async function presentPods(
  catalogue: Catalogue,
  namespace: string,
  exempt: ReadonlySet<string>,
  isLate: () => boolean,
): Promise<PresentPods> {
  const store = catalogue.store(Pod);
  const { storage } = store.environment;
  const first: PresentPod[] = [];
  const replicas: PresentPod[] = [];
  const controllers = new Set<string>();
  let total = 0;
  let after: string | undefined;
  do {
    const page = await storage.list(store.info.rangePrefix(namespace), {
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    for (const record of page.records) {
      await shareTurn();
      const pod = podOf(store.read(record));
      if (exempt.has(pod.spec?.runtimeClassName ?? '')) continue;
      total += 1;
      const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid;
      if (controller !== undefined && controllers.has(controller)) replicas.push(pod);
      else first.push(pod);
      if (controller !== undefined) controllers.add(controller);
    }
    after = page.remaining > 0 ? page.records.at(-1)?.key : undefined;
    if (after !== undefined && isLate()) {
      total += page.remaining;
      break;
    }
  } while (after !== undefined);
  return { pods: [...first, ...replicas].slice(0, MAX_PODS), total };
}

/** Returns a stored pod with its type, which validation has ensured. */
function podOf(object: StoredObject): PresentPod;
function podOf(object: StoredObject): StoredObject {
  return object;
}
