import type { Client } from '../../client/index.js';
import {
  aBoolean,
  aClock,
  aFunction,
  aName,
  aDuration,
  aPositiveDuration,
  aText,
  checkOptions,
  consoleLogger,
  FieldErrorList,
  listOf,
  matching,
  nested,
  oneOf,
  systemClock,
  withMethods,
  type Clock,
  type OptionChecks,
} from '../../foundation/index.js';
import { CertificateSigningRequest, signerNameErrors } from '../../kinds/index.js';
import { runController, stopController, type Controller } from '../runtime/controller.js';
import { settle } from '../runtime/settle.js';
import { SharedInformers } from '../runtime/shared-informers.js';
import { view } from '../runtime/sources.js';
import { requestController, type RequestAnswer, type RequestStage, type SigningRequest } from './request-controller.js';
import { usageDemands, type Demands } from './signer-demands.js';
import type { IssueCertificate } from './signer-issue.js';
import type { LifetimePolicy } from './signer-lifetime.js';
import { grantOf, type SignerPolicy } from './signer-policy.js';
import { SigningRefusal } from './signer-refusal.js';
import { trustBundlePublisher } from './trust-bundle-publisher.js';

/** Options of {@link createSigner}. */
export interface SignerOptions {
  /**
   * Client whose user may list and watch requests, update their status, and `sign` for the signer name. With `approves`
   * it must also be allowed to update approvals and to `approve` for the signer name.
   */
  readonly client: Client;
  /** Signer name, `domain/path`. Requests for other signers are ignored. */
  readonly signerName: string;
  /** Issues the certificate. */
  readonly issue: IssueCertificate;
  /** Restricts the requests that are signed. Default: every approved request, except for CA certificates. */
  readonly policy?: SignerPolicy | undefined;
  /**
   * Final decision on a request that the policy permits: true, false, or undefined for no decision. By default it is
   * called for approved requests: false makes the request fail; true and undefined sign it. With {@link
   * SignerOptions.approves} it is called before approval, too. A {@link SigningRefusal} that it throws counts as false
   * with its own reason; after any other error the request is retried.
   */
  readonly authorize?: ((request: SigningRequest) => Promise<boolean | undefined> | boolean | undefined) | undefined;
  /**
   * Whether the signer approves and denies requests automatically: it approves a request for which `authorize` returns
   * true, and denies one that the policy does not permit or for which `authorize` returns false. When `authorize`
   * returns undefined, the request waits for another approver. Default false.
   */
  readonly approves?: boolean | undefined;
  /**
   * PEM certificates of the authorities that verify the issued certificates. They are published as the only
   * ClusterTrustBundle of the signer, which replaces all others with its name. Needs a server with that kind, and the
   * verb `attest`. Default: none.
   */
  readonly trustBundle?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * Called with each failure; the signer retries after a growing pause. An error that the callback throws is ignored.
   * Default: `console.error`.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A signer that {@link createSigner} returns. */
export interface Signer {
  /** Starts to process requests, including those that are already waiting. */
  start(): void;
  /** Stops permanently. Resolves when nothing runs any more. */
  stop(): Promise<void>;
  /** Resolves when all work caused by changes before the call is done. Retries after failures do not count. */
  settled(): Promise<void>;
}

/**
 * Creates a signer. It watches the requests for its signer name and writes a certificate, or the condition `Failed`
 * with the reason, into approved requests. It does nothing until it is started, and uses nothing but the client.
 *
 * @throws TypeError when the signer name is invalid, when `approves` is set without `authorize`, or when the client's
 *   server does not serve the required kinds
 * @throws Error when the policy names an unknown usage
 */
export function createSigner(options: SignerOptions): Signer {
  check(options);
  const controllers = controllersOf(options);
  let starting: Promise<unknown> | undefined;
  let stopped = false;
  return {
    start() {
      if (!stopped) starting ??= Promise.all(controllers.map(runController));
    },
    async stop() {
      stopped = true;
      await Promise.all(controllers.map(stopController));
      await starting;
    },
    async settled() {
      if (starting === undefined) return;
      await starting;
      await settle(controllers, () => stopped);
    },
  };
}

const demands = nested({
  required: listOf(aName),
  permitted: listOf(aName),
  forbidden: listOf(aName),
} satisfies OptionChecks<Demands>);

const checks: OptionChecks<SignerOptions> = {
  client: withMethods('a client, such as server.client()', 'resource'),
  signerName: aText,
  issue: matching(
    'a function that issues certificates, such as issuedBy(authority)',
    (value) => typeof value === 'function',
  ),
  policy: nested({
    subject: aFunction,
    alternativeNames: aFunction,
    extensions: nested({
      required: listOf(aName),
      permitted: listOf(aName),
      forbidden: listOf(aName),
      accepts: aFunction,
    } satisfies OptionChecks<NonNullable<SignerPolicy['extensions']>>),
    usages: demands,
    lifetime: nested({
      default: aPositiveDuration,
      min: aDuration,
      max: aPositiveDuration,
      requested: oneOf('bounded', 'refused', 'ignored'),
      backdate: aDuration,
    } satisfies OptionChecks<LifetimePolicy>),
    authorities: oneOf('refused', 'ignored', 'permitted'),
  } satisfies OptionChecks<SignerPolicy>),
  authorize: aFunction,
  approves: aBoolean,
  trustBundle: aName,
  clock: aClock,
  onError: aFunction,
};

function check(options: SignerOptions): void {
  checkOptions('createSigner', options, checks, ['client', 'signerName', 'issue']);
  const { signerName, approves = false, authorize, policy } = options;
  const errors = new FieldErrorList();
  signerNameErrors(errors, 'signerName', signerName);
  const [first] = errors;
  if (first !== undefined) throw new TypeError(String(first));
  usageDemands(policy?.usages);
  if (approves && authorize === undefined) throw new TypeError('a signer that approves must have authorize');
}

function controllersOf(options: SignerOptions): Controller[] {
  const { client, signerName, approves = false, trustBundle, clock = systemClock, onError = reportFailure } = options;
  const stages: readonly RequestStage[] = approves ? ['approval', 'signing'] : ['signing'];
  const host = { client, clock, onError: (error: unknown): void => onError(error) };
  const common = { ...host, informers: new SharedInformers(host) };
  return [
    requestController({
      ...common,
      name: signerName,
      requests: view(CertificateSigningRequest, { fieldSelector: `spec.signerName=${signerName}` }),
      signerNames: [signerName],
      stages,
      answer: (request, stage) => answer(options, clock, request, stage),
    }),
    ...(trustBundle === undefined
      ? []
      : [trustBundlePublisher({ ...common, signerName, certificateAuthority: () => trustBundle })]),
  ];
}

async function answer(
  { policy = {}, authorize, issue }: SignerOptions,
  clock: Clock,
  request: SigningRequest,
  stage: RequestStage,
): Promise<RequestAnswer | undefined> {
  try {
    const grant = grantOf(policy, request, clock.now());
    const decision = await authorize?.(request);
    if (decision === false) throw new SigningRefusal('NotAuthorized', 'the signer refuses to sign this request');
    if (stage === 'signing') return { certificate: await issue(request, grant) };
    return decision === true
      ? { condition: 'Approved', reason: 'ApprovedBySigner', message: 'approved by the signer' }
      : undefined;
  } catch (error) {
    if (!(error instanceof SigningRefusal)) throw error;
    return { condition: stage === 'signing' ? 'Failed' : 'Denied', reason: error.reason, message: error.message };
  }
}

function reportFailure(error: unknown): void {
  consoleLogger.error('a signer failed', { error });
}
