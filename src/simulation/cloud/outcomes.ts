/**
 * The outcomes that a rule gives to load balancers and volumes. An outcome and its options are compiled to a
 * {@link CloudPlan}.
 *
 * @module
 */
import {
  aCount,
  aDuration,
  aName,
  aText,
  checkOptions,
  durationMs,
  shown,
  suggestion,
  type Duration,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import { addressRanges, type AddressRanges } from './address-pool.js';

/** Times of what a cloud does. */
export interface CloudTimes {
  /** Time until it is there, from the first request for it or the creation of the rule. Default 0. */
  readonly after?: Duration | undefined;
  /** Time until it is deleted, from its release. Default 0. */
  readonly deleteAfter?: Duration | undefined;
}

/** Options of a load balancer that works. */
export interface ReadyOptions extends CloudTimes {
  /** Addresses to choose from; default those of the cloud. */
  readonly addresses?: readonly string[] | undefined;
  /** Host name that the load balancer gets instead of an address. */
  readonly hostname?: string | undefined;
}

/** Options of an outcome in which a request to the cloud fails. */
export interface CloudFailureOptions {
  /** Time until the first failure. Default 0. */
  readonly after?: Duration | undefined;
  /** Message of the cloud. */
  readonly message?: string | undefined;
  /**
   * Number of failures, after which the request succeeds. Default: it always fails. It is repeated after 5 seconds, 10,
   * 20 … up to five minutes.
   */
  readonly times?: number | undefined;
}

/** The outcomes of load balancers and their options. They do not affect a Service that has its address. */
export interface LoadBalancerOutcomes {
  /** The Service gets an address. */
  Ready: ReadyOptions;
  /** The cloud works on it, and never ends. */
  Pending: Record<string, never>;
  /** The cloud refuses it: a warning event on the Service. */
  Failed: CloudFailureOptions;
  /** The cloud refuses to delete it: the Service stays, with its finalizer. */
  DeletionFailed: CloudFailureOptions;
}

/** The outcomes of volumes and their options. They do not affect a claim that has its volume. */
export interface VolumeOutcomes {
  /** The claim gets a volume. */
  Provisioned: CloudTimes;
  /** The cloud works on it, and never ends. */
  Pending: Record<string, never>;
  /** The cloud refuses it: a warning event on the claim. */
  Failed: CloudFailureOptions;
  /** The cloud refuses to delete it: the volume stays, in the phase Failed. */
  DeletionFailed: CloudFailureOptions;
}

/** A request to the cloud that fails. */
export interface PlannedFailure {
  readonly message: string;
  readonly times: number;
}

/** A compiled outcome. */
export interface CloudPlan {
  readonly delayMs: number;
  readonly deleteMs: number;
  /** Whether the cloud never ends to create it. */
  readonly pending: boolean;
  readonly failure: PlannedFailure | undefined;
  readonly deletionFailure: PlannedFailure | undefined;
  readonly addresses: AddressRanges | undefined;
  readonly hostname: string | undefined;
}

/** The plan of a cloud that does at once what it is asked for. */
export const WORKS: CloudPlan = Object.freeze({
  ...{ delayMs: 0, deleteMs: 0, pending: false, failure: undefined, deletionFailure: undefined },
  ...{ addresses: undefined, hostname: undefined },
});

const ms = (duration: Duration | undefined): number => durationMs(duration ?? 0);
const REFUSED = 'a rule of the simulation refuses the request';

const works = ({ after, deleteAfter }: CloudTimes): CloudPlan => ({
  ...WORKS,
  delayMs: ms(after),
  deleteMs: ms(deleteAfter),
});
const failureOf = ({ message = REFUSED, times = Infinity }: CloudFailureOptions): PlannedFailure => ({
  message,
  times,
});
const fails = (options: CloudFailureOptions): CloudPlan => ({
  ...WORKS,
  delayMs: ms(options.after),
  failure: failureOf(options),
});
const failsToDelete = (options: CloudFailureOptions): CloudPlan => ({
  ...WORKS,
  deleteMs: ms(options.after),
  deletionFailure: failureOf(options),
});

const timeChecks: OptionChecks<CloudTimes> = { after: aDuration, deleteAfter: aDuration };
const failureChecks: OptionChecks<CloudFailureOptions> = {
  after: aDuration,
  message: aText,
  times: aCount('failures', 1),
};
const readyChecks: OptionChecks<ReadyOptions> = { ...timeChecks, addresses: addressRanges, hostname: aName };

interface OutcomeEntry<Options> {
  readonly checks: Readonly<Record<string, OptionCheck>>;
  readonly plan: (options: Options) => CloudPlan;
}
type OutcomeTable<Outcomes> = { readonly [Outcome in keyof Outcomes]: OutcomeEntry<Outcomes[Outcome]> };

const shared = {
  Pending: { checks: {}, plan: (): CloudPlan => ({ ...WORKS, pending: true }) },
  Failed: { checks: failureChecks, plan: fails },
  DeletionFailed: { checks: failureChecks, plan: failsToDelete },
};
const BALANCERS: OutcomeTable<LoadBalancerOutcomes> = {
  Ready: {
    checks: readyChecks,
    plan: ({ addresses, hostname, ...times }) => ({ ...works(times), addresses, hostname }),
  },
  ...shared,
};
const VOLUMES: OutcomeTable<VolumeOutcomes> = { Provisioned: { checks: timeChecks, plan: works }, ...shared };

function planOf<Outcomes, Outcome extends keyof Outcomes & string>(
  what: string,
  table: OutcomeTable<Outcomes>,
  outcome: Outcome,
  options: Outcomes[Outcome],
): CloudPlan {
  const known: readonly string[] = Object.keys(table);
  if (typeof outcome !== 'string' || !known.includes(outcome))
    throw new TypeError(
      `${what} cannot become ${shown(outcome)}${typeof outcome === 'string' ? suggestion(outcome, known) : ''}; an outcome is one of ${known.join(', ')}`,
    );
  const { checks, plan } = table[outcome];
  checkOptions(`become(${shown(outcome)})`, options, checks);
  return plan(options);
}

/** Compiles an outcome of load balancers. @throws TypeError for an unknown outcome or an invalid option */
export const loadBalancerPlan = <Outcome extends keyof LoadBalancerOutcomes>(
  outcome: Outcome,
  options: LoadBalancerOutcomes[Outcome],
): CloudPlan => planOf<LoadBalancerOutcomes, Outcome>('load balancers', BALANCERS, outcome, options);

/** Compiles an outcome of volumes. @throws TypeError for an unknown outcome or an invalid option */
export const volumePlan = <Outcome extends keyof VolumeOutcomes>(
  outcome: Outcome,
  options: VolumeOutcomes[Outcome],
): CloudPlan => planOf<VolumeOutcomes, Outcome>('volumes', VOLUMES, outcome, options);
