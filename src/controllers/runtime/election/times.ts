import { aDuration, durationMs, type Duration, type OptionChecks } from '../../../foundation/index.js';

/** Times of a leader election. They have the names and the defaults of client-go. */
export interface LeaderElectionTimes {
  /** Time without a renewal after which another candidate takes the lead. Default 15 s. */
  readonly leaseDuration?: Duration | undefined;
  /** Time without a renewal after which a leader stops. Less than `leaseDuration`. Default 10 s. */
  readonly renewDeadline?: Duration | undefined;
  /** Time between two attempts. `renewDeadline` is more than 1.2 times as long. Default 2 s. */
  readonly retryPeriod?: Duration | undefined;
}

/** The times of an election in milliseconds. */
export interface LeaderElectionMs {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
}

/** The pause between two attempts of a candidate is longer by up to this factor, so that candidates do not meet. */
export const JITTER_FACTOR = 1.2;

const DEFAULT_MS: LeaderElectionMs = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 };

/** Checks {@link LeaderElectionTimes}. */
export const leaderElectionChecks: OptionChecks<LeaderElectionTimes> = {
  leaseDuration: aDuration,
  renewDeadline: aDuration,
  retryPeriod: aDuration,
};

/** Returns the times in milliseconds, with their defaults. */
export const leaderElectionMs = ({
  leaseDuration,
  renewDeadline,
  retryPeriod,
}: LeaderElectionTimes): LeaderElectionMs => ({
  leaseMs: leaseDuration === undefined ? DEFAULT_MS.leaseMs : durationMs(leaseDuration),
  renewMs: renewDeadline === undefined ? DEFAULT_MS.renewMs : durationMs(renewDeadline),
  retryMs: retryPeriod === undefined ? DEFAULT_MS.retryMs : durationMs(retryPeriod),
});

/** Returns the first reason why candidates with these times cannot elect a leader; undefined for valid times. */
export function contradictionInTimes(times: LeaderElectionTimes): string | undefined {
  const { leaseMs, renewMs, retryMs } = leaderElectionMs(times);
  if (leaseMs <= renewMs) return 'leaseDuration must be greater than renewDeadline';
  if (renewMs <= JITTER_FACTOR * retryMs) return `renewDeadline must be greater than ${JITTER_FACTOR} * retryPeriod`;
  return retryMs > 0 ? undefined : 'retryPeriod must be greater than zero';
}
