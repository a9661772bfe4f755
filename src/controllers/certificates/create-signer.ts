import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import type { FieldError } from '../../meta/field-error.js';
import {
  aBoolean,
  aFunction,
  aName,
  aText,
  aNumber,
  checkOptions,
  listOf,
  matching,
  nested,
  oneOf,
  withMethods,
  type OptionChecks,
} from '../../meta/options.js';
import { systemClock } from '../../meta/system-runtime.js';
import { signerNameErrors } from '../../resources/shared/signer-name.js';
import { consoleLogger } from '../../meta/logger.js';
import { runController, stopController, type Controller } from '../controller.js';
import { settle } from '../settle.js';
import { requestController, type RequestAnswer, type RequestStage, type SigningRequest } from './request-controller.js';
import { usageDemands, type Demands } from './signer-demands.js';
import type { LifetimePolicy } from './signer-lifetime.js';
import type { IssueCertificate } from './signer-issue.js';
import { grantOf, type SignerPolicy } from './signer-policy.js';
import { SigningRefusal } from './signer-refusal.js';
import { trustBundlePublisher } from './trust-bundle-publisher.js';

/** What a signer of one's own is made of. */
export interface SignerOptions {
  /** May list and watch requests and write their status, and has the verb `sign` on the signer's name. With `approves` it may also write approvals, and has the verb `approve`. */
  readonly client: Client;
  /** `domain/path`; requests that name another signer are never looked at. */
  readonly signerName: string;
  /** Makes the certificate. */
  readonly issue: IssueCertificate;
  /** What is signed. Default: what was approved, but for certificates of authorities. */
  readonly policy?: SignerPolicy;
  /**
   * A last word on requests that the policy permits: true, false, or undefined for none. By default it is asked about requests that somebody
   * has approved: false makes them fail, and true and undefined are the same. See {@link SignerOptions.approves}. A {@link SigningRefusal} that
   * it throws is false with words of its own; on any other error it is asked again.
   */
  readonly authorize?: (request: SigningRequest) => Promise<boolean | undefined> | boolean | undefined;
  /**
   * Whether the signer approves and denies by itself, without anybody who looks: a request that `authorize` answers with true is approved, one that
   * the policy does not permit or `authorize` answers with false is denied. On undefined it waits for somebody else. Default false.
   */
  readonly approves?: boolean;
  /**
   * Authorities by which the certificates are to be trusted, PEM: published as the one ClusterTrustBundle of the signer, in place of
   * whatever others have its name. Needs a server that has the kind, and the verb `attest`. Default: nothing is published.
   */
  readonly trustBundle?: string;
  /** Default the host's clock. */
  readonly clock?: Clock;
  /** Called with failures; the signer tries again after a pause that grows. What it throws is dropped. Default: they are reported on `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** A signer that {@link createSigner} has made. */
export interface Signer {
  /** Begins to follow requests, and works also on those that wait already. */
  start(): void;
  /** Ends for good. Resolves when nothing runs any more. */
  stop(): Promise<void>;
  /** Resolves when nothing is left to do about what happened before the call. What is tried again after a failure does not count. */
  settled(): Promise<void>;
}

/**
 * Makes a signer: it follows the requests for its name, and writes into those that are approved the certificate, or why there is none
 * (the condition `Failed`). It does nothing before it is started, and works through the client alone.
 *
 * @throws TypeError when the name is none of a signer; when `approves` is set and nobody is there to say what is approved; or when the
 *   server of the client does not serve what the signer works on
 * @throws Error when the policy names a usage that there is not
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
  client: withMethods('a client, as server.client() returns', 'resource'),
  signerName: aText,
  issue: matching(
    'a function from a request to its certificate, as issuedBy(authority) returns',
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
      defaultSeconds: aNumber('seconds', 1),
      minSeconds: aNumber('seconds'),
      maxSeconds: aNumber('seconds', 1),
      requested: oneOf('bounded', 'refused', 'ignored'),
      backdateSeconds: aNumber('seconds'),
    } satisfies OptionChecks<LifetimePolicy>),
    authorities: oneOf('refused', 'ignored', 'permitted'),
  } satisfies OptionChecks<SignerPolicy>),
  authorize: aFunction,
  approves: aBoolean,
  trustBundle: aName,
  clock: withMethods('a clock', 'now', 'after'),
  onError: aFunction,
};

function check(options: SignerOptions): void {
  checkOptions('createSigner', options, checks, ['client', 'signerName', 'issue']);
  const { signerName, approves = false, authorize, policy } = options;
  const errors: FieldError[] = [];
  signerNameErrors(errors, 'signerName', signerName);
  const [first] = errors;
  if (first !== undefined) throw new TypeError(String(first));
  usageDemands(policy?.usages);
  if (approves && authorize === undefined) throw new TypeError('a signer that approves must have authorize');
}

function controllersOf(options: SignerOptions): Controller[] {
  const { client, signerName, approves = false, trustBundle, clock = systemClock, onError = reportFailure } = options;
  const stages: readonly RequestStage[] = approves ? ['approval', 'signing'] : ['signing'];
  const common = { client, clock, onError };
  return [
    requestController({
      ...common,
      name: signerName,
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
    const word = await authorize?.(request);
    if (word === false) throw new SigningRefusal('NotAuthorized', 'the signer does not sign this request');
    if (stage === 'signing') return { certificate: await issue(request, grant) };
    return word === true
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
