import { sha256 } from '@noble/hashes/sha2.js';
import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { parseCertificate } from '../../pki/certificate.js';
import { encodePem, parsePem } from '../../encoding/pem.js';
import { mergeTrustBundles } from '../../pki/trust-bundle.js';
import { ClusterTrustBundle } from '../../resources/index.js';
import type { ObjectOf } from '../../registry/definition.js';
import type { Controller } from '../controller.js';
import { hasReason } from '../failures.js';
import { Informer } from '../informer.js';
import { WorkQueue } from '../work-queue.js';

/** What the publisher needs. */
export interface TrustBundlePublisherOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Whose bundle it is. */
  readonly signerName: string;
  /** The certificate authority as PEM, asked for anew each time; undefined while there is none. */
  readonly certificateAuthority: () => string | undefined;
  readonly onError: (error: unknown) => void;
}

type Bundle = ObjectOf<typeof ClusterTrustBundle>;

/** Octets of the hash in a bundle's name. */
const HASH_OCTETS = 12;

/** There is one thing to do. */
const PUBLISH = 'publish';

/**
 * Publishes an authority as the one trust bundle of a signer. A bundle is named by what is in it, so that a change makes another; those
 * of before, and whatever else bears that signer's name, are deleted.
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
  const queue = new WorkQueue<string>({ clock, process: publish, onError: (_key, error) => onError(error) });
  const look = (): void => void queue.add(PUBLISH);
  bundles.subscribe({ added: look, updated: look, deleted: look });

  async function publish(): Promise<void> {
    const trustBundle = anchorsOf(certificateAuthority() ?? '');
    if (trustBundle === '') return;
    const name = bundleName(signerName, trustBundle);
    await present(name, trustBundle);
    for (const { metadata } of bundles.values())
      if (metadata.name !== name && metadata.deletionTimestamp === undefined) await remove(metadata);
  }

  async function present(name: string, trustBundle: string): Promise<void> {
    const known = bundles.get(name);
    try {
      if (known === undefined) await resource.create({ metadata: { name }, spec: { signerName, trustBundle } });
      else if (known.spec.trustBundle !== trustBundle)
        await resource.update({ ...known, spec: { ...known.spec, trustBundle } });
    } catch (error) {
      // Another server was faster, or changed it: then its event brings us back.
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
  const hash = sha256(new TextEncoder().encode(trustBundle)).subarray(0, HASH_OCTETS);
  return `${signerName.replaceAll('/', ':')}:${Array.from(hash, (octet) => octet.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * What of a chain of certificates can stand in a trust bundle: the authorities in it, each once, and nothing else. A file with a serving
 * certificate has that certificate in it, too.
 *
 * @returns PEM; empty when there are none
 * @throws X509Error for a certificate that cannot be read
 */
function anchorsOf(pem: string): string {
  const blocks = parsePem(pem).blocks.filter(({ label }) => label === 'CERTIFICATE');
  const authorities = blocks.filter(({ bytes }) => parseCertificate(bytes).basicConstraints?.isAuthority === true);
  return authorities.length === 0
    ? ''
    : mergeTrustBundles(authorities.map(({ bytes }) => encodePem('CERTIFICATE', bytes)));
}
