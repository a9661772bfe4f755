import type { Client } from '../../client/index.js';
import { aName, checkOptions, onAbort, systemEntropy, type OptionChecks } from '../../foundation/index.js';
import { contradictionInTimes, leaderElectionChecks, type LeaderElectionTimes } from '../runtime/election/times.js';

/** The election of the process, among several, that runs the controllers. */
export interface ElectionOptions extends LeaderElectionTimes {
  /** Name of the Lease. All processes that may run these controllers give the same. */
  readonly lease: string;
  /** Namespace of the Lease. Default that of the client, else `default`. */
  readonly namespace?: string | undefined;
  /** Name of this process as a candidate. No other process may have it. Default a random one. */
  readonly identity?: string | undefined;
}

/** Checks {@link ElectionOptions}. */
const checks: OptionChecks<ElectionOptions> = {
  lease: aName,
  namespace: aName,
  identity: aName,
  ...leaderElectionChecks,
};

/** The end of a process that no longer leads: another one may run its controllers now. */
export class LeadLostError extends Error {
  override readonly name = 'LeadLostError';
}

const lostLead = (lease: string): LeadLostError =>
  new LeadLostError(`another process may lead now: the Lease ${lease} was not renewed in time`);

/** @throws TypeError that names an invalid option, or the times that contradict each other */
export function checkElection(options: ElectionOptions): void {
  checkOptions('leaderElection', options, checks, ['lease']);
  const contradiction = contradictionInTimes(options);
  if (contradiction !== undefined) throw new TypeError(`leaderElection: ${contradiction}`);
}

/** The work of a process while it leads. */
export interface LeadTerm {
  /** Aborts when the work has to end; with a LeadLostError when another process may lead already. */
  readonly signal: AbortSignal;
  /**
   * Looks at the time, which may have passed while the process did not run.
   *
   * @throws LeadLostError when another process may lead
   */
  readonly check: () => void;
}

/** The parts of {@link runElected}. */
export interface ElectedWork {
  readonly client: Client;
  readonly election: ElectionOptions;
  /** Ends the work, and then releases the Lease. */
  readonly stop: AbortSignal;
  /** Does the work until its signal aborts. It is called at most once. */
  readonly work: (term: LeadTerm) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Waits for the lead, and then does the work. Resolves when it was stopped and the work has ended.
 *
 * @throws LeadLostError when the lead is lost, after the work has ended: the process had better start again, as it does
 *   with controller-runtime
 */
export async function runElected({ client, election, stop, work, onError }: ElectedWork): Promise<void> {
  const { lease, namespace, identity, ...times } = election;
  const { clock, entropy = systemEntropy, namespace: ownNamespace } = client.backend;
  const { LeaderElection } = await import('../runtime/election/leader-election.js');
  const over = new AbortController();
  let lost: unknown;
  const candidate = new LeaderElection({
    ...{ client, clock, entropy, onError, ...times },
    name: lease,
    namespace: namespace ?? ownNamespace ?? 'default',
    identity: identity ?? entropy.uuid(),
    lead: async ({ signal, isHeld }) => {
      if (lost !== undefined) return;
      const ending = new AbortController();
      const check = (): void => {
        if (!isHeld()) throw lostLead(lease);
      };
      const stopListening = onAbort(signal, () => {
        if (!stop.aborted) lost = lostLead(lease);
        ending.abort(lost);
      });
      await work({ signal: ending.signal, check });
      stopListening();
      over.abort();
    },
  });
  const stopListening = onAbort(stop, () => over.abort());
  if (!stop.aborted) {
    void candidate.start();
    await new Promise<void>((resolve) => onAbort(over.signal, resolve));
  }
  stopListening();
  await candidate.stop();
  if (lost !== undefined) throw lost;
}
