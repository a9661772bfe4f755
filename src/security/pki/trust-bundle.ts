/**
 * Trust bundles: PEM certificates of trusted authorities.
 *
 * @module
 */
import { appendTo, compareBytes, encodePem, latin1, parsePem, type PemBlock } from '../../foundation/index.js';
import { parseCertificate } from './certificate.js';
import { X509Error } from './x509-error.js';

const LABEL = 'CERTIFICATE';

/**
 * Validates a trust bundle for the API: at least one block, and only CA certificates without headers and without
 * duplicates. As in Kubernetes, text between the blocks and malformed blocks are ignored.
 *
 * @returns the errors, with the messages of Kubernetes and in the order of the blocks; empty when the bundle is valid
 * @throws RangeError when the PEM is longer than the limit of {@link parsePem}
 */
export function checkTrustBundle(pem: string): string[] {
  const { blocks } = parsePem(pem);
  const problems = blocks.flatMap((block, index) => {
    const problem = blockProblem(block);
    return problem === undefined ? [] : [`entry ${index} ${problem}`];
  });
  // Invalid blocks are not checked for duplicates.
  if (problems.length > 0) return problems;
  if (blocks.length === 0) return ['at least one trust anchor must be provided'];
  return duplicates(blocks).map((indices) => `duplicate trust anchor (indices [${indices.join(' ')}])`);
}

function blockProblem({ label, headers, bytes }: PemBlock): string | undefined {
  if (label !== LABEL) return `has bad block type: ${label}`;
  if (headers.size > 0) return 'has PEM block headers';
  try {
    return parseCertificate(bytes).basicConstraints?.isAuthority === true ? undefined : 'does not have the CA bit set';
  } catch (error) {
    if (error instanceof X509Error) return 'does not parse as X.509';
    throw error;
  }
}

/** Returns the indexes of duplicate blocks, grouped. */
function duplicates(blocks: readonly PemBlock[]): number[][] {
  const places = new Map<string, number[]>();
  blocks.forEach(({ bytes }, index) => appendTo(places, latin1(bytes), index));
  return [...places.values()].filter(({ length }) => length > 1);
}

/**
 * Merges the certificates of several bundles, without duplicates, text and headers. They are sorted by their bytes, so
 * the same trust anchors always give the same bundle. Blocks of other types are dropped; nothing is validated.
 *
 * @param bundles PEM
 * @returns PEM; empty when there are no certificates
 * @throws RangeError when a bundle is longer than the limit of {@link parsePem}
 */
export function mergeTrustBundles(bundles: Iterable<string>): string {
  const anchors = new Map<string, Uint8Array>();
  for (const bundle of bundles) {
    for (const { label, bytes } of parsePem(bundle).blocks) if (label === LABEL) anchors.set(latin1(bytes), bytes);
  }
  return [...anchors.values()]
    .sort(compareBytes)
    .map((bytes) => encodePem(LABEL, bytes))
    .join('');
}
