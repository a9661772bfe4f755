import type { Client } from '../../client/index.js';
import type { Dialect, DialectSigners } from '../../foundation/index.js';
import { CertificateSigningRequest } from '../../kinds/index.js';
import type { CertificateAuthority } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { requestController, type RequestAnswer, type SigningRequest } from './request-controller.js';
import { issuedBy } from './signer-issue.js';
import { grantOf, type SignerPolicy } from './signer-policy.js';
import { signerRules } from './signer-rules.js';

/** The certificate authorities of the built-in signers. */
export interface SigningAuthorities {
  /**
   * Returns the current authority of a signer; called for each certificate. Undefined when the signer has no authority.
   *
   * @throws Error when the authority is temporarily unavailable; the request is retried
   */
  of(signer: keyof DialectSigners): Promise<CertificateAuthority> | CertificateAuthority | undefined;
  /** Default and maximum lifetime of a certificate, in milliseconds. */
  readonly durationMs: number;
}

/** Options of {@link requestSigner}. */
export interface SigningOptions extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly authorities: SigningAuthorities;
}

/**
 * Runs the built-in signers: they sign approved requests that satisfy their rules and fail the others. Requests for
 * other signers are ignored.
 */
export function requestSigner(options: SigningOptions): Controller {
  const { clock, dialect, authorities } = options;
  const signers = new Map<string, keyof DialectSigners>();
  for (const signer of Object.keys(signerRules) as (keyof DialectSigners)[])
    signers.set(dialect.signers[signer], signer);

  // The rules have checked names and usages. Nothing else of a request is signed.
  const policy: SignerPolicy = { authorities: 'ignored', lifetime: { default: authorities.durationMs } };

  async function answer(request: SigningRequest): Promise<RequestAnswer | undefined> {
    const { signerName, usages = [] } = request.object.spec;
    const signer = signers.get(signerName);
    const authority = signer === undefined ? undefined : authorities.of(signer);
    if (signer === undefined || authority === undefined) return undefined;
    const problem = signerRules[signer](request.certificateRequest, usages);
    if (problem !== undefined) return { condition: 'Failed', reason: 'SignerValidationFailure', message: problem };
    return { certificate: await issuedBy(await authority)(request, grantOf(policy, request, clock.now())) };
  }

  return requestController({
    ...options,
    name: 'csrsigning',
    requests: CertificateSigningRequest,
    signerNames: [...signers.keys()],
    stages: ['signing'],
    answer,
  });
}
