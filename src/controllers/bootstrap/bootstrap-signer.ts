import { ConfigMap } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { bootstrapTokenExpiry, CLUSTER_INFO, signClusterInfo, signingTokenOf } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { Informer } from '../runtime/informer.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { bootstrapSecretsInformer, type BootstrapControllerOptions } from './bootstrap-secrets.js';

type Data = Readonly<Record<string, string>>;

const TOKEN_KEYS = ['token-id', 'token-secret', 'expiration', 'usage-bootstrap-signing'];

/**
 * Keeps one signature in the ConfigMap `cluster-info` of the public namespace for every bootstrap token with the
 * signing usage, and removes all other signatures. Does nothing while that ConfigMap is missing or has no kubeconfig.
 */
export function bootstrapSigner(options: BootstrapControllerOptions): Controller {
  const { client, clock, dialect, onError } = options;
  const inNamespace = client.resource(ConfigMap).namespace(dialect.namespaces.public);
  const key = `${dialect.namespaces.public}/${CLUSTER_INFO.name}`;
  const secrets = bootstrapSecretsInformer(options, TOKEN_KEYS);
  const maps = new Informer({
    source: inNamespace,
    clock,
    fieldSelector: `metadata.name=${CLUSTER_INFO.name}`,
    onError,
  });
  const queue = new WorkQueue<string>({
    name: 'bootstrap_signer_queue',
    clock,
    process: sign,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (): void => void queue.add(key);
  secrets.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  maps.subscribe({ added: enqueue, updated: enqueue });

  async function sign(): Promise<void> {
    const map = maps.get(key);
    const kubeconfig = map?.data?.[CLUSTER_INFO.kubeconfigKey];
    if (map === undefined || kubeconfig === undefined) return;
    enqueueAtNextExpiry();
    const data = { ...withoutSignatures(map.data ?? {}), ...(await signatures(kubeconfig)) };
    if (!isSame(map.data ?? {}, data)) await write({ ...map, data });
  }

  async function signatures(kubeconfig: string): Promise<Data> {
    const signed: Record<string, string> = {};
    for (const secret of secrets.values()) {
      const token = signingTokenOf(secret, clock.now());
      if (token !== undefined)
        signed[`${CLUSTER_INFO.signaturePrefix}${token.id}`] = await signClusterInfo(
          kubeconfig,
          `${token.id}.${token.secret}`,
        );
    }
    return signed;
  }

  /** Schedules the next run, because no event announces the expiry of a token. */
  function enqueueAtNextExpiry(): void {
    let next = Infinity;
    for (const secret of secrets.values()) {
      const expiry = bootstrapTokenExpiry(secret);
      if (expiry > clock.now()) next = Math.min(next, expiry);
    }
    if (next < Infinity) queue.addAfter(key, next - clock.now());
  }

  async function write(map: ObjectOf<typeof ConfigMap>): Promise<void> {
    try {
      await inNamespace.update(map);
    } catch (error) {
      // The ConfigMap changed or was deleted meanwhile: that event enqueues it again.
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
    }
  }

  return { name: 'bootstrapsigner', informers: () => [secrets, maps], queues: [queue] };
}

function withoutSignatures(data: Data): Data {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith(CLUSTER_INFO.signaturePrefix)));
}

function isSame(one: Data, other: Data): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
