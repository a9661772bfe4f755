import type { Client } from '../../client/index.js';
import { PersistentVolumeClaim, Pod } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import { reconciler } from '../runtime/reconciler.js';
import { watched } from '../runtime/watch.js';
import { editFinalizers, isWaitingFor, lacks } from './finalizer-edits.js';

type Claim = ObjectOf<typeof PersistentVolumeClaim>;
type AnyPod = ObjectOf<typeof Pod>;

const BY_CLAIM = 'byClaim';

/** Returns the claims that the volumes of a pod name, as `namespace/name`; that of an ephemeral volume is the pod's own. */
function byClaim({ metadata, spec }: AnyPod): readonly string[] {
  const { namespace = '', name = '' } = metadata;
  return (spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral === undefined ? [] : [`${namespace}/${name}-${volume.name}`];
  });
}

/** Returns whether a pod has a claim of this name for an ephemeral volume, and the claim is that one. */
function ownsClaim({ metadata, spec }: AnyPod, claim: Claim): boolean {
  const isNamed = (spec?.volumes ?? []).some(
    ({ name, ephemeral }) => ephemeral !== undefined && `${metadata.name ?? ''}-${name}` === claim.metadata.name,
  );
  return (
    isNamed &&
    (claim.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === metadata.uid)
  );
}

/** Returns whether the node agent is done with a pod: it was deleted without a grace period. */
const isShutDown = ({ metadata }: AnyPod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

/** Returns whether a pod keeps a claim. A pod without a node does not: a node refuses a pod with a deleted claim. */
function usesClaim(pod: AnyPod, claim: Claim): boolean {
  const { spec } = pod;
  if (!spec?.nodeName) return false;
  const { name } = claim.metadata;
  return (
    (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === name) ||
    (!isShutDown(pod) && ownsClaim(pod, claim))
  );
}

const isOver = ({ status }: AnyPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/**
 * Keeps a claim while pods use it: gives every claim a finalizer, and removes it from a deleted claim that no pod on a
 * node uses.
 */
export function claimProtection(host: ControllerHost): Controller {
  const { client, dialect, informers } = host;
  const finalizer = `${dialect.labelDomain}/pvc-protection`;
  const claims = informers.of(PersistentVolumeClaim);
  const pods = informers.of(Pod);
  pods.addIndex(BY_CLAIM, byClaim);
  const needsWork = (claim: Claim): boolean => lacks(claim, finalizer) || isWaitingFor(claim, finalizer);
  const claimsOf = (pod: AnyPod): string[] =>
    byClaim(pod).filter((key) => {
      const claim = claims.get(key);
      return claim !== undefined && needsWork(claim);
    });
  return reconciler(host, {
    name: 'pvc-protection',
    queue: 'pvcprotection',
    kind: PersistentVolumeClaim,
    runsOn: needsWork,
    watches: [
      watched(Pod, {
        changes: {
          added: (pod) => (pod.spec?.nodeName ? [] : claimsOf(pod)),
          updated: (pod, old) => [
            ...(old.metadata.uid === pod.metadata.uid ? [] : claimsOf(old)),
            ...(isOver(pod) || isShutDown(pod) || !pod.spec?.nodeName ? claimsOf(pod) : []),
          ],
          deleted: claimsOf,
        },
      }),
    ],
    async reconcile(claim) {
      const resource = client.resource(PersistentVolumeClaim).namespace(claim.metadata.namespace ?? '');
      if (lacks(claim, finalizer)) await editFinalizers(resource, claim, (current) => [...current, finalizer]);
      else if (isWaitingFor(claim, finalizer) && !(await isUsed(client, claim, pods)))
        await editFinalizers(resource, claim, (current) => current.filter((other) => other !== finalizer));
    },
  });
}

/** Asks the informer, and then the server: the informer may not know a new pod yet. */
async function isUsed(client: Client, claim: Claim, pods: Informer<AnyPod>): Promise<boolean> {
  if (pods.find(BY_CLAIM, objectKey(claim)).some((pod) => usesClaim(pod, claim))) return true;
  const { items } = await client
    .resource(Pod)
    .namespace(claim.metadata.namespace ?? '')
    .list();
  return items.some((pod) => usesClaim(pod, claim));
}
