/**
 * What a signer signs: the points that its documentation has to have (identity-resources.md, "A custom signer defines"), as values.
 *
 * @module
 */
import {
  ExtensionType,
  readExtensions,
  type BasicConstraints,
  type CertificateExtension,
} from '../../pki/extensions.js';
import type {
  AlternativeNames,
  AlternativeNamesInput,
  DistinguishedName,
  SubjectNames,
  Validity,
} from '../../pki/index.js';
import { X509Error } from '../../pki/x509-error.js';
import type { SigningRequest } from './request-controller.js';
import { checkDemands, checkUsages, type Demands } from './signer-demands.js';
import { validityOf, type LifetimePolicy } from './signer-lifetime.js';
import { SigningRefusal } from './signer-refusal.js';

/** What a signer signs. What it does not permit it refuses: the request fails, with the reason. */
export interface SignerPolicy {
  /**
   * Which subjects. True: as asked; false: refused; names: these in its place. Default: every subject, as asked. A subject as asked is
   * written anew of the names that {@link SubjectNames} has, so that nothing is signed that was not looked at; `subject.raw` is all of it.
   */
  readonly subject?: (subject: DistinguishedName, request: SigningRequest) => boolean | SubjectNames | Uint8Array;
  /**
   * Which names besides the subject; the same. Asked also when there are none. Default: every name, as asked. Names of other kinds than
   * hosts, addresses, mailboxes and URIs are counted in `others`, and never issued.
   */
  readonly alternativeNames?: (names: AlternativeNames, request: SigningRequest) => boolean | AlternativeNamesInput;
  /** Which extensions the request has, by object identifier. None is copied: of what they ask for only names besides the subject are issued. */
  readonly extensions?: Demands & {
    /** What an extension may say. */ readonly accepts?: (
      extension: CertificateExtension,
      request: SigningRequest,
    ) => boolean;
  };
  /**
   * Which of the usages of the API, of the key and extended ones: `digital signature`, `client auth` … Two names of one usage are the same. A
   * certificate without extended usages, or with `any`, is for every purpose: where the policy names an extended usage a request must, too,
   * and where it forbids one `any` is forbidden unless it is permitted by name.
   */
  readonly usages?: Demands;
  readonly lifetime?: LifetimePolicy;
  /**
   * What becomes of requests for the certificate of an authority, by the extension for that or the usage `cert sign`. `refused` is the
   * default; `ignored`: the certificate is nobody's authority, whatever its usages; `permitted`: as asked.
   */
  readonly authorities?: 'refused' | 'ignored' | 'permitted';
}

/** What is to be issued. */
export interface CertificateGrant extends Validity {
  /** When it was decided, in milliseconds since the epoch. */
  readonly now: number;
  /** Names, or DER. */
  readonly subject: SubjectNames | Uint8Array;
  readonly alternativeNames: AlternativeNamesInput;
  readonly usages: readonly string[];
  readonly isCertificateAuthority: boolean;
  /** How many authorities may follow below this one; undefined: any number. */
  readonly maxPathLength?: number | undefined;
}

const NO_AUTHORITY: BasicConstraints = { isAuthority: false, pathLength: undefined };

/**
 * Decides by a policy what is issued.
 *
 * @throws SigningRefusal for what it does not permit
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
  const asked = request.certificateRequest.extensions;
  checkDemands(
    asked.map(({ type }) => type),
    extensions,
    'Extension',
    'extension',
  );
  const wrong = asked.find((extension) => extensions.accepts !== undefined && !extensions.accepts(extension, request));
  if (wrong !== undefined)
    throw new SigningRefusal(
      'ExtensionNotPermitted',
      `what the extension ${JSON.stringify(wrong.type)} says is not permitted`,
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
    throw new SigningRefusal('AlternativeNamesNotPermitted', 'the names besides the subject are not permitted');
  return decision === true ? names : decision;
}

function authorityGrant(
  { authorities = 'refused' }: SignerPolicy,
  { object, certificateRequest }: SigningRequest,
): Pick<CertificateGrant, 'isCertificateAuthority' | 'maxPathLength'> {
  const nobody = { isCertificateAuthority: false };
  if (authorities === 'ignored') return nobody;
  const { isAuthority, pathLength } = constraintsOf(certificateRequest.extensions);
  if (authorities === 'refused') {
    if (isAuthority || object.spec.usages?.includes('cert sign') === true)
      throw new SigningRefusal('AuthorityNotPermitted', 'certificates of authorities are not issued');
    return nobody;
  }
  return {
    isCertificateAuthority: isAuthority,
    maxPathLength: isAuthority ? pathLength : undefined,
  };
}

/** The API takes requests with basic constraints that nobody can read. */
function constraintsOf(extensions: readonly CertificateExtension[]): BasicConstraints {
  try {
    return (
      readExtensions(extensions.filter(({ type }) => type === ExtensionType.basicConstraints)).basicConstraints ??
      NO_AUTHORITY
    );
  } catch (error) {
    if (error instanceof X509Error) throw new SigningRefusal('ExtensionNotPermitted', error.message);
    throw error;
  }
}
