import { sha256 } from '@noble/hashes/sha2.js';
import type { Client } from '../../client/index.js';
import { encodeHex, encodePem, encodeUtf8, parsePem, type Clock } from '../../foundation/index.js';
import { ClusterTrustBundle } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { mergeTrustBundles, parseCertificate } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { Informer } from '../runtime/informer.js';
import { WorkQueue } from '../runtime/work-queue.js';

/** Options of {@link trustBundlePublisher}. */
export interface TrustBundlePublisherOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Signer name of the bundle. */
  readonly signerName: string;
  /** Returns the certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly certificateAuthority: () => string | undefined;
  readonly onError: (error: unknown) => void;
}

type Bundle = ObjectOf<typeof ClusterTrustBundle>;

/** Number of hash octets in the name of a bundle. */
const HASH_OCTETS = 12;

/** The only key of the queue. */
const PUBLISH = 'publish';

/**
 * Publishes an authority as the only trust bundle of a signer. The name of the bundle contains a hash of its content,
 * so a change creates another bundle. All other bundles of the signer are deleted.
 */
export function trustBundlePublisher({
  client,
  clock,
  signerName,
  certificateAuthority,
  onError,
}: TrustBundlePublisherOptions): Controller {
  const resource = client.resource(ClusterTrustBundle);
  const bundles = new Informer<Bundle>({
    source: resource,
    clock,
    fieldSelector: `spec.signerName=${signerName}`,
    onError,
  });
  const queue = new WorkQueue<string>({
    name: 'ca_cert_publisher_cluster_trust_bundles',
    clock,
    process: publish,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (): void => void queue.add(PUBLISH);
  bundles.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });

  async function publish(): Promise<void> {
    const trustBundle = anchorsOf(certificateAuthority() ?? '');
    if (trustBundle === '') return;
    const name = bundleName(signerName, trustBundle);
    await ensureBundle(name, trustBundle);
    for (const { metadata } of bundles.values())
      if (metadata.name !== name && metadata.deletionTimestamp === undefined) await remove(metadata);
  }

  async function ensureBundle(name: string, trustBundle: string): Promise<void> {
    const known = bundles.get(name);
    try {
      if (known === undefined) await resource.create({ metadata: { name }, spec: { signerName, trustBundle } });
      else if (known.spec.trustBundle !== trustBundle)
        await resource.update({ ...known, spec: { ...known.spec, trustBundle } });
    } catch (error) {
      // Another server created, changed or deleted the bundle meanwhile: that event enqueues it again.
      if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict') && !hasReason(error, 'NotFound'))
        throw error;
    }
  }

  async function remove({ name = '', uid }: Bundle['metadata']): Promise<void> {
    try {
      await resource.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  let published = certificateAuthority();
  queue.add(PUBLISH);
  return {
    name: 'apiserver-serving-clustertrustbundle-publisher',
    informers: () => [bundles],
    queues: [queue],
    recheck() {
      const pem = certificateAuthority();
      if (pem === published) return 0;
      published = pem;
      return queue.add(PUBLISH) ? 1 : 0;
    },
  };
}

function bundleName(signerName: string, trustBundle: string): string {
  const hash = sha256(encodeUtf8(trustBundle)).subarray(0, HASH_OCTETS);
  return `${signerName.replaceAll('/', ':')}:${encodeHex(hash)}`;
}

/**
 * Returns the CA certificates of a certificate chain, each once. The file of a serving certificate also contains that
 * certificate, which does not belong in a trust bundle.
 *
 * @returns PEM; empty when the chain has no CA certificate
 * @throws X509Error when a certificate is invalid
 */
function anchorsOf(pem: string): string {
  const blocks = parsePem(pem).blocks.filter(({ label }) => label === 'CERTIFICATE');
  const authorities = blocks.filter(({ bytes }) => parseCertificate(bytes).basicConstraints?.isAuthority === true);
  return authorities.length === 0
    ? ''
    : mergeTrustBundles(authorities.map(({ bytes }) => encodePem('CERTIFICATE', bytes)));
}
