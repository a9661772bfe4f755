import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import type { Dialect, DialectSigners } from '../../names/dialect.js';
import type { CertificateAuthority } from '../../pki/index.js';
import type { Controller } from '../controller.js';
import {
  requestController,
  type RequestAnswer,
  type RequestInformer,
  type SigningRequest,
} from './request-controller.js';
import { issuedBy } from './signer-issue.js';
import { grantOf, type SignerPolicy } from './signer-policy.js';
import { signerRules } from './signer-rules.js';

/** By what the platform's signers sign. */
export interface SigningAuthorities {
  /**
   * The authority of a signer as it is now, asked for at each certificate; undefined where nobody signs for that signer.
   *
   * @throws Error when there is one that cannot be had at the moment: the request is tried again
   */
  of(signer: keyof DialectSigners): Promise<CertificateAuthority> | CertificateAuthority | undefined;
  /** How long a certificate is valid that says nothing about it, and at most; in milliseconds. */
  readonly durationMs: number;
}

/** What the signers need. */
export interface SigningOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly authorities: SigningAuthorities;
  /** Follows the requests; shared with others. */
  readonly informer: RequestInformer;
  readonly onError: (error: unknown) => void;
}

/**
 * The platform's own signers: they sign what is approved and fits their rules, and let the rest fail. Requests for other signers are never
 * looked at.
 */
export function requestSigner({ client, clock, dialect, authorities, informer, onError }: SigningOptions): Controller {
  const signers = new Map<string, keyof DialectSigners>();
  for (const signer of Object.keys(signerRules) as (keyof DialectSigners)[])
    signers.set(dialect.signers[signer], signer);

  // What fits the rules is signed for the names and usages that were asked for, and for nothing else that the request has.
  const policy: SignerPolicy = { authorities: 'ignored', lifetime: { defaultSeconds: authorities.durationMs / 1000 } };

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
    name: 'csrsigning',
    client,
    clock,
    signerNames: [...signers.keys()],
    stages: ['signing'],
    informer,
    answer,
    onError,
  });
}
