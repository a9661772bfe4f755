import type { Client } from '../../client/index.js';
import type { LeaderElection, LeaderElectionTimes, LeaderTerm } from '../../controllers/index.js';
import { importLeaderElection } from '../../controllers/late.js';
import { loading, onAbort, report, silentLogger, type Entropy } from '../../foundation/index.js';
import type { StorageCondition } from '../../storage/index.js';
import type { ControllerGroup } from './controller-groups.js';
import { ControllerRun } from './controller-run.js';
import type { ControllerName } from './controller-names.js';
import type { ControllerOptions } from './controller-options.js';
import type { LastFailures } from './last-failures.js';

/** How the servers of a store elect, for each group of controllers, the server that runs it. */
export interface GroupElection {
  /** Name of this server as a candidate. No other process that shares the store may have it. */
  readonly identity: string;
  readonly times: LeaderElectionTimes;
  readonly entropy: Entropy;
  /**
   * Begins a term of a group in the store, in which the Lease is what it was at the takeover.
   *
   * @returns the condition that holds until another server takes over
   * @throws StorageError when the Lease has changed since, or the storage fails
   */
  readonly beginTerm: (group: ControllerGroup, lease: LeaderTerm['lease']) => Promise<StorageCondition>;
}

/** Options of {@link GroupCandidate}. */
export interface GroupCandidateOptions {
  readonly group: ControllerGroup;
  readonly names: readonly ControllerName[];
  readonly options: ControllerOptions;
  readonly election: GroupElection;
  /** The client of the election. */
  readonly client: Client;
  /** Returns the client of the controllers, whose writes are refused unless a condition holds. */
  readonly fenced: (condition: StorageCondition) => Client;
  /** Takes what fails in controllers. */
  readonly failures: LastFailures;
  /** Takes what fails in the election, by the group. */
  readonly failedElections: LastFailures;
}

/** A server as a candidate for a group of controllers. They start when it takes over, and stop when it leads no longer. */
export class GroupCandidate {
  readonly #parts: GroupCandidateOptions;
  #election: LeaderElection | undefined;
  #run: ControllerRun | undefined;
  #beginning: Promise<void> | undefined;
  #deciding: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: GroupCandidateOptions) {
    this.#parts = parts;
  }

  get group(): ControllerGroup {
    return this.#parts.group;
  }

  /** The name of the server that leads, as this one last saw it; empty while it has seen none. */
  get leader(): string {
    return this.#election?.holder ?? '';
  }

  /** The controllers of the group; undefined while another server runs them. */
  get run(): ControllerRun | undefined {
    return this.#run;
  }

  /** Seeks the lead. Resolves after the first attempt, with the controllers started if it succeeded. */
  start(): Promise<void> {
    return (this.#deciding ??= this.#start());
  }

  /**
   * Stops the controllers, and then lets other servers take over.
   *
   * @param releases false: they have to wait until the Lease has run out. Default true
   */
  async stop(releases = true): Promise<void> {
    this.#stopped = true;
    await this.#election?.stop(releases);
    await this.#deciding;
  }

  async #start(): Promise<void> {
    const { LeaderElection } = await loading(importLeaderElection());
    if (this.#stopped) return;
    const { group, options, election, client, failedElections } = this.#parts;
    const { dialect, clock, logger = silentLogger } = options;
    this.#election = new LeaderElection({
      client,
      clock,
      entropy: election.entropy,
      namespace: dialect.namespaces.system,
      name: `${dialect.controllerManagerName}-${group}`,
      identity: election.identity,
      ...election.times,
      lead: (term) => this.#lead(term),
      onError: (error) => {
        if (this.#stopped) return;
        failedElections.record(group, error);
        report(() => logger.error('the election of a leader failed and will retry', { group, error }));
      },
    });
    await this.#election.start();
    await this.#beginning;
  }

  async #lead(term: LeaderTerm): Promise<void> {
    const beginning = this.#begin(term);
    this.#beginning = beginning.catch(() => undefined);
    await beginning;
    if (!term.signal.aborted) await new Promise<void>((resolve) => onAbort(term.signal, resolve));
    const run = this.#run;
    this.#run = undefined;
    await run?.stop();
    this.#log('this server no longer runs a group of controllers');
  }

  async #begin({ lease, signal }: LeaderTerm): Promise<void> {
    const { group, names, options, election, fenced, failures } = this.#parts;
    const condition = await election.beginTerm(group, lease);
    if (signal.aborted) return;
    this.#log('this server runs a group of controllers from now on');
    const run = new ControllerRun(options, fenced(condition), failures);
    this.#run = run;
    // Other servers write, too, so none of them can wait for a first object.
    for (const name of names) run.start(name);
  }

  #log(message: string): void {
    const { group, options, election } = this.#parts;
    report(() => options.logger?.info(message, { group, identity: election.identity }));
  }
}
