import { sha256 } from '@noble/hashes/sha2.js';
import type { Client } from '../../client/index.js';
import { encodeHex, encodePem, encodeUtf8, parsePem } from '../../foundation/index.js';
import { ClusterTrustBundle } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { mergeTrustBundles, parseCertificate } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { routine, runs } from '../runtime/routine.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';

/** Options of {@link trustBundlePublisher}. */
export interface TrustBundlePublisherOptions extends ReconcilerHost {
  readonly client: Client;
  /** Signer name of the bundle. */
  readonly signerName: string;
  /** Returns the certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly certificateAuthority: () => string | undefined;
}

type Bundle = ObjectOf<typeof ClusterTrustBundle>;

/** Number of hash octets in the name of a bundle. */
const HASH_OCTETS = 12;

/**
 * Publishes an authority as the only trust bundle of a signer. The name of the bundle contains a hash of its content,
 * so a change creates another bundle. All other bundles of the signer are deleted.
 */
export function trustBundlePublisher(options: TrustBundlePublisherOptions): Controller {
  const { client, informers, signerName, certificateAuthority } = options;
  const resource = client.resource(ClusterTrustBundle);
  const ofSigner = view(ClusterTrustBundle, { fieldSelector: `spec.signerName=${signerName}` });
  const bundles = informers.of(ofSigner);

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
    // Another server created, changed or deleted the bundle meanwhile: that event runs this again.
    if (known === undefined)
      await ignoring(resource.create({ metadata: { name }, spec: { signerName, trustBundle } }), ...RACES);
    else if (known.spec.trustBundle !== trustBundle)
      await ignoring(resource.update({ ...known, spec: { ...known.spec, trustBundle } }), ...RACES);
  }

  async function remove({ name = '', uid }: Bundle['metadata']): Promise<void> {
    const removal = resource.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    await ignoring(removal, 'NotFound', 'Conflict');
  }

  let published = certificateAuthority();
  return routine(options, {
    name: 'apiserver-serving-clustertrustbundle-publisher',
    queue: 'ca_cert_publisher_cluster_trust_bundles',
    watches: [watched(ofSigner, { map: runs })],
    recheck() {
      const pem = certificateAuthority();
      if (pem === published) return [];
      published = pem;
      return runs();
    },
    run: publish,
  });
}

/** Reasons for which a write fails when another server has made it. */
const RACES = ['AlreadyExists', 'Conflict', 'NotFound'];

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
