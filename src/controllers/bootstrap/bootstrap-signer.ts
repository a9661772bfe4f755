import { ConfigMap } from '../../kinds/index.js';
import { bootstrapTokenExpiry, CLUSTER_INFO, signClusterInfo, signingTokenOf } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import type { Run } from '../runtime/keyed-runner.js';
import { routine, runs } from '../runtime/routine.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';
import { bootstrapSecrets, type BootstrapControllerOptions } from './bootstrap-secrets.js';

type Data = Readonly<Record<string, string>>;

const TOKEN_KEYS = ['token-id', 'token-secret', 'expiration', 'usage-bootstrap-signing'];

/**
 * Keeps one signature in the ConfigMap `cluster-info` of the public namespace for every bootstrap token with the
 * signing usage, and removes all other signatures. Does nothing while that ConfigMap is missing or has no kubeconfig.
 */
export function bootstrapSigner(options: BootstrapControllerOptions): Controller {
  const { client, clock, dialect, informers } = options;
  const inNamespace = client.resource(ConfigMap).namespace(dialect.namespaces.public);
  const key = `${dialect.namespaces.public}/${CLUSTER_INFO.name}`;
  const tokenSecrets = bootstrapSecrets(dialect, TOKEN_KEYS);
  const clusterInfo = view(ConfigMap, {
    namespace: dialect.namespaces.public,
    fieldSelector: `metadata.name=${CLUSTER_INFO.name}`,
  });
  const secrets = informers.of(tokenSecrets);
  const maps = informers.of(clusterInfo);

  async function sign({ requeueAfter }: Run): Promise<void> {
    const map = maps.get(key);
    const kubeconfig = map?.data?.[CLUSTER_INFO.kubeconfigKey];
    if (map === undefined || kubeconfig === undefined) return;
    // No event announces the expiry of a token.
    requeueAfter(untilNextExpiry());
    const data = { ...withoutSignatures(map.data ?? {}), ...(await signatures(kubeconfig)) };
    if (!isSame(map.data ?? {}, data))
      // The ConfigMap may have changed or been deleted meanwhile: that event runs this again.
      await ignoring(inNamespace.update({ ...map, data }), 'Conflict', 'NotFound');
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

  /** Returns the time before the next token expires, in milliseconds. */
  function untilNextExpiry(): number {
    let next = Infinity;
    for (const secret of secrets.values()) {
      const expiry = bootstrapTokenExpiry(secret);
      if (expiry > clock.now()) next = Math.min(next, expiry);
    }
    return next - clock.now();
  }

  return routine(options, {
    name: 'bootstrapsigner',
    queue: 'bootstrap_signer_queue',
    watches: [watched(tokenSecrets, { map: runs }), watched(clusterInfo, { changes: { added: runs, updated: runs } })],
    firstMs: Infinity,
    run: sign,
  });
}

function withoutSignatures(data: Data): Data {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith(CLUSTER_INFO.signaturePrefix)));
}

function isSame(one: Data, other: Data): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
