/**
 * Verifies certificate chains, from a presented certificate to a trusted authority. The rules, their order and the
 * error texts are those of `crypto/x509` of Go 1.22.
 *
 * @module
 */
import { appendAll, equalBytes, formatTime, goQuote } from '../../foundation/index.js';
import { ExtendedKeyUsage, ExtensionType } from './asn1/extensions.js';
import { CertificatePool } from './certificate-pool.js';
import type { Certificate } from './certificate.js';
import { checkSignature } from './keys/signature.js';
import { checkNameConstraints, ComparisonBudget } from './names/name-constraints.js';
import { X509Error } from './x509-error.js';

/** A certificate and its issuers, up to an authority. */
export type Chain = readonly Certificate[];

/** The requirements for a chain. */
export interface VerifyOptions {
  readonly authorities: CertificatePool;
  /** Untrusted certificates that a chain may contain. */
  readonly intermediates?: readonly Certificate[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The whole chain must permit one of these usages; default `clientAuth`. `any` accepts every chain. */
  readonly extendedKeyUsages?: readonly string[] | undefined;
}

/** The valid chains, at least one; or the reason why there is none. */
export type Verification =
  | { readonly chains: readonly Chain[]; readonly error?: undefined }
  | {
      readonly error: X509Error;
      /** Whether the result may differ at another time. */
      readonly dependsOnTime: boolean;
    };

/**
 * Maximum number of signature checks per certificate, as in Go, against certificates with many issuers of the same
 * name.
 */
const MAX_SIGNATURE_CHECKS = 100;

/**
 * Builds every chain from a certificate to an authority and returns the valid ones. A trusted certificate is a chain of
 * its own.
 */
export async function verifyCertificate(leaf: Certificate, options: VerifyOptions): Promise<Verification> {
  const search = new Search(options);
  const problem = search.problemOf('leaf', leaf, []);
  if (problem !== undefined) return { error: problem, dependsOnTime: search.dependsOnTime };
  const found = options.authorities.has(leaf) ? { chains: [[leaf]] } : await search.chainsFrom(leaf, [leaf]);
  if (found.chains.length === 0)
    return { error: found.error ?? unknownAuthority(undefined), dependsOnTime: search.dependsOnTime };
  const chains: Chain[] = [];
  let refusal: X509Error | undefined;
  for (const chain of found.chains) {
    const error =
      purposeProblem(chain, options.extendedKeyUsages ?? [ExtendedKeyUsage.clientAuth]) ?? namesProblem(chain);
    if (error === undefined) chains.push(chain);
    // A name constraint error takes precedence over a usage error.
    else if (refusal === undefined || error.problem === 'NameConstraint') refusal = error;
  }
  if (chains.length > 0 || refusal === undefined) return { chains };
  return { error: refusal, dependsOnTime: search.dependsOnTime };
}

/** A candidate issuer that was rejected, and the reason. */
interface Hint {
  readonly error: X509Error;
  readonly candidate: Certificate;
}

interface Found {
  readonly chains: Chain[];
  readonly error?: X509Error | undefined;
}

type Role = 'leaf' | 'intermediate' | 'authority';

/** One search for chains. */
class Search {
  readonly #options: VerifyOptions;
  readonly #intermediates: CertificatePool;
  #signatureChecks = 0;
  /** Whether a certificate was rejected because of the time. */
  dependsOnTime = false;

  constructor(options: VerifyOptions) {
    this.#options = options;
    this.#intermediates = new CertificatePool(options.intermediates ?? []);
  }

  /** Returns the chains that start with `chain`, whose last certificate is `child`. */
  async chainsFrom(child: Certificate, chain: Chain): Promise<Found> {
    const chains: Chain[] = [];
    let error: X509Error | undefined;
    let hint: Hint | undefined;
    for (const [role, candidate] of this.#candidatesFor(child)) {
      this.#signatureChecks += 1;
      if (this.#signatureChecks > MAX_SIGNATURE_CHECKS) {
        error = new X509Error(
          'Limit',
          'x509: signature check attempts limit reached while verifying certificate chain',
        );
        break;
      }
      if (isInChain(candidate, chain)) continue;
      const unsigned = await signatureProblem(child, candidate);
      error = unsigned === undefined ? this.problemOf(role, candidate, chain) : error;
      const refusal = unsigned ?? error;
      if (refusal !== undefined) hint ??= { error: refusal, candidate };
      else if (role === 'authority') chains.push([...chain, candidate]);
      else {
        const further = await this.chainsFrom(candidate, [...chain, candidate]);
        appendAll(chains, further.chains);
        error = further.error;
        if (error?.problem === 'Limit') break;
      }
    }
    return chains.length > 0 ? { chains } : { chains, error: error ?? unknownAuthority(hint) };
  }

  *#candidatesFor(child: Certificate): Generator<readonly [Role, Certificate]> {
    for (const candidate of this.#options.authorities.candidatesFor(child)) yield ['authority', candidate];
    for (const candidate of this.#intermediates.candidatesFor(child)) yield ['intermediate', candidate];
  }

  /** Returns why a certificate cannot follow `chain`, or undefined when it can. */
  problemOf(role: Role, certificate: Certificate, chain: Chain): X509Error | undefined {
    const { unhandledCritical, basicConstraints } = certificate;
    if (unhandledCritical.length > 0)
      return new X509Error('UnhandledCriticalExtension', 'x509: unhandled critical extension');
    const untimely = timeProblem(certificate, this.#options.now);
    if (untimely !== undefined) {
      this.dependsOnTime = true;
      return untimely;
    }
    if (role === 'intermediate' && basicConstraints?.isAuthority !== true) {
      return new X509Error('NotAuthorizedToSign', 'x509: certificate is not authorized to sign other certificates');
    }
    const { pathLength } = basicConstraints ?? {};
    if (pathLength !== undefined && chain.length - 1 > pathLength) {
      return new X509Error('TooManyIntermediates', 'x509: too many intermediates for path length constraint');
    }
    return undefined;
  }
}

function timeProblem({ notBefore, notAfter }: Certificate, now: number): X509Error | undefined {
  if (now >= notBefore && now <= notAfter) return undefined;
  const relation = now < notBefore ? `before ${formatTime(notBefore)}` : `after ${formatTime(notAfter)}`;
  return new X509Error(
    'Expired',
    `x509: certificate has expired or is not yet valid: current time ${formatTime(now)} is ${relation}`,
  );
}

/**
 * Returns true when a chain already contains a certificate with the same name, key and alternative names. Prevents
 * cycles of cross-signed authorities.
 */
function isInChain(candidate: Certificate, chain: Chain): boolean {
  return chain.some(
    (certificate) =>
      equalBytes(certificate.subject.raw, candidate.subject.raw) &&
      equalBytes(certificate.publicKey.raw, candidate.publicKey.raw) &&
      equalBytes(alternativeNamesOf(certificate), alternativeNamesOf(candidate)),
  );
}

function alternativeNamesOf({ extensions }: Certificate): Uint8Array {
  return extensions.find(({ type }) => type === ExtensionType.subjectAlternativeName)?.value ?? new Uint8Array(0);
}

/**
 * Returns why a parent cannot have signed a certificate. Versions 1 and 2 have no basic constraints, so they are not
 * checked for them.
 */
async function signatureProblem(child: Certificate, parent: Certificate): Promise<X509Error | undefined> {
  const { version, basicConstraints, keyUsages } = parent;
  const mayNot = basicConstraints === undefined ? version === 3 : !basicConstraints.isAuthority;
  if (mayNot || (keyUsages !== undefined && keyUsages.size > 0 && !keyUsages.has('keyCertSign'))) {
    return new X509Error(
      'NotAuthorizedToSign',
      'x509: invalid signature: parent certificate cannot sign this kind of certificate',
    );
  }
  return checkSignature(child, parent.publicKey);
}

/**
 * Returns an error when no requested usage is permitted by every certificate of the chain, including the authority.
 */
function purposeProblem(chain: Chain, requestedUsages: readonly string[]): X509Error | undefined {
  if (requestedUsages.includes(ExtendedKeyUsage.any)) return undefined;
  const remaining = requestedUsages.filter((usage) =>
    chain.every(
      ({ extendedKeyUsages }) =>
        extendedKeyUsages.length === 0 ||
        extendedKeyUsages.includes(usage) ||
        extendedKeyUsages.includes(ExtendedKeyUsage.any),
    ),
  );
  return remaining.length > 0
    ? undefined
    : new X509Error('IncompatibleUsage', 'x509: certificate specifies an incompatible key usage');
}

function namesProblem(chain: Chain): X509Error | undefined {
  const budget = new ComparisonBudget();
  try {
    chain.forEach(({ nameConstraints }, index) => {
      if (nameConstraints === undefined) return;
      for (const { alternativeNames } of chain.slice(0, index))
        if (alternativeNames !== undefined) checkNameConstraints(alternativeNames, nameConstraints, budget);
    });
    return undefined;
  } catch (error) {
    if (error instanceof X509Error) return error;
    throw error;
  }
}

function unknownAuthority(hint: Hint | undefined): X509Error {
  const message = 'x509: certificate signed by unknown authority';
  if (hint === undefined) return new X509Error('UnknownAuthority', message);
  const { subject, serialNumber } = hint.candidate;
  const name = subject.commonName || (subject.organizations[0] ?? `serial:${serialNumber}`);
  return new X509Error(
    'UnknownAuthority',
    `${message} (possibly because of ${goQuote(hint.error.message)} while trying to verify candidate authority certificate ${goQuote(name)})`,
  );
}
