/**
 * The policy of a signer: the points that a custom signer must define (identity-resources.md, "A custom signer
 * defines").
 *
 * @module
 */
import {
  ExtensionType,
  readExtensions,
  X509Error,
  type AlternativeNames,
  type AlternativeNamesInput,
  type BasicConstraints,
  type CertificateExtension,
  type DistinguishedName,
  type SubjectNames,
  type Validity,
} from '../../security/index.js';
import type { SigningRequest } from './request-controller.js';
import { checkDemands, checkUsages, type Demands } from './signer-demands.js';
import { validityOf, type LifetimePolicy } from './signer-lifetime.js';
import { SigningRefusal } from './signer-refusal.js';

/** The rules for the requests that a signer signs. A request that the policy does not permit fails with the reason. */
export interface SignerPolicy {
  /**
   * Decides on the subject. True: as requested; false: refused; names or DER: replaces the subject. Default: every
   * subject as requested. A requested subject is encoded again from the names in {@link SubjectNames}, so unknown parts
   * are never signed; return `subject.raw` to keep it whole.
   */
  readonly subject?:
    ((subject: DistinguishedName, request: SigningRequest) => boolean | SubjectNames | Uint8Array) | undefined;
  /**
   * Decides on the subject alternative names in the same way; also called when there are none. Default: as requested.
   * Names other than DNS names, IP addresses, email addresses and URIs are counted in `others` and never issued.
   */
  readonly alternativeNames?:
    ((names: AlternativeNames, request: SigningRequest) => boolean | AlternativeNamesInput) | undefined;
  /**
   * Demands on the requested extensions, by object identifier. Extensions are not copied: only the subject alternative
   * names are issued.
   */
  readonly extensions?:
    | (Demands & {
        /** Returns whether the value of an extension is permitted. */
        readonly accepts?: ((extension: CertificateExtension, request: SigningRequest) => boolean) | undefined;
      })
    | undefined;
  /**
   * Demands on the API's usages, key usages and extended key usages alike: `digital signature`, `client auth` and so
   * on. Two names of the same usage are equal. A certificate without extended usages, or with `any`, is valid for every
   * purpose. Therefore a policy that names an extended usage requires the request to have one, and a policy that
   * forbids one forbids `any`, unless it names `any`.
   */
  readonly usages?: Demands | undefined;
  readonly lifetime?: LifetimePolicy | undefined;
  /**
   * Treatment of requests for CA certificates, by basic constraints or the usage `cert sign`. `refused` (default): the
   * request fails. `ignored`: the certificate is not a CA, whatever its usages. `permitted`: as requested.
   */
  readonly authorities?: 'refused' | 'ignored' | 'permitted' | undefined;
}

/** The contents of a certificate to issue. */
export interface CertificateGrant extends Validity {
  /** Time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** Names, or DER. */
  readonly subject: SubjectNames | Uint8Array;
  readonly alternativeNames: AlternativeNamesInput;
  readonly usages: readonly string[];
  readonly isCertificateAuthority: boolean;
  /** Maximum number of authorities below this one; undefined: unlimited. */
  readonly maxPathLength?: number | undefined;
}

const NOT_AN_AUTHORITY: BasicConstraints = { isAuthority: false, pathLength: undefined };

/**
 * Applies a policy to a request.
 *
 * @param now time of the decision, in milliseconds since the epoch
 * @throws SigningRefusal when the policy does not permit the request
 */
export function grantOf(policy: SignerPolicy, request: SigningRequest, now: number): CertificateGrant {
  const { usages = [], expirationSeconds } = request.object.spec;
  checkExtensions(policy, request);
  const authority = authorityGrant(policy, request);
  checkUsages(usages, policy.usages);
  return {
    now,
    subject: subjectGrant(policy, request),
    alternativeNames: alternativeNamesGrant(policy, request),
    usages,
    ...validityOf(now, expirationSeconds, policy.lifetime),
    ...authority,
  };
}

function checkExtensions({ extensions = {} }: SignerPolicy, request: SigningRequest): void {
  const requested = request.certificateRequest.extensions;
  checkDemands(
    requested.map(({ type }) => type),
    extensions,
    'Extension',
    'extension',
  );
  const rejected = requested.find(
    (extension) => extensions.accepts !== undefined && !extensions.accepts(extension, request),
  );
  if (rejected !== undefined)
    throw new SigningRefusal(
      'ExtensionNotPermitted',
      `the value of the extension ${JSON.stringify(rejected.type)} is not permitted`,
    );
}

function subjectGrant({ subject: decide }: SignerPolicy, request: SigningRequest): SubjectNames | Uint8Array {
  const { subject } = request.certificateRequest;
  const decision = decide === undefined || decide(subject, request);
  if (!decision)
    throw new SigningRefusal(
      'SubjectNotPermitted',
      `the subject with the common name ${JSON.stringify(subject.commonName)} is not permitted`,
    );
  return decision === true ? subject : decision;
}

function alternativeNamesGrant(
  { alternativeNames: decide }: SignerPolicy,
  request: SigningRequest,
): AlternativeNamesInput {
  const { certificateRequest: names } = request;
  const decision = decide === undefined || decide(names, request);
  if (!decision)
    throw new SigningRefusal('AlternativeNamesNotPermitted', 'the subject alternative names are not permitted');
  return decision === true ? names : decision;
}

function authorityGrant(
  { authorities = 'refused' }: SignerPolicy,
  { object, certificateRequest }: SigningRequest,
): Pick<CertificateGrant, 'isCertificateAuthority' | 'maxPathLength'> {
  const notAnAuthority = { isCertificateAuthority: false };
  if (authorities === 'ignored') return notAnAuthority;
  const { isAuthority, pathLength } = constraintsOf(certificateRequest.extensions);
  if (authorities === 'refused') {
    if (isAuthority || object.spec.usages?.includes('cert sign') === true)
      throw new SigningRefusal('AuthorityNotPermitted', 'CA certificates are not issued');
    return notAnAuthority;
  }
  return {
    isCertificateAuthority: isAuthority,
    maxPathLength: isAuthority ? pathLength : undefined,
  };
}

/** Reads the basic constraints. The API accepts requests with invalid ones. */
function constraintsOf(extensions: readonly CertificateExtension[]): BasicConstraints {
  try {
    return (
      readExtensions(extensions.filter(({ type }) => type === ExtensionType.basicConstraints)).basicConstraints ??
      NOT_AN_AUTHORITY
    );
  } catch (error) {
    if (error instanceof X509Error) throw new SigningRefusal('ExtensionNotPermitted', error.message);
    throw error;
  }
}
