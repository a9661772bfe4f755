import type { StorageEvent, StorageWatch, StorageWatchEnd } from '../../../src/storage/storage.js';
import type { Run, Server } from './run.js';
import { shownOf } from './values.js';

/** A watch whose events are recorded. The watch of a client ends once; that of the run itself is started again. */
export class FollowedWatch {
  readonly prefix: string;
  /** Revision up to which everything has been delivered. */
  position: number;
  readonly #run: Run;
  readonly #client: number;
  readonly #server: Server;
  #number = 0;
  #watch: StorageWatch | undefined;
  #isRunning = false;
  #isStopped = false;

  /** @param client its number; negative for the run itself */
  constructor(run: Run, client: number, server: Server, prefix: string, from: number) {
    this.#run = run;
    this.#client = client;
    this.#server = server;
    this.prefix = prefix;
    this.position = from;
    this.#start();
  }

  /** Whether it has not ended. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether it will deliver more. */
  get isOver(): boolean {
    return this.#isStopped || (!this.#isRunning && this.#client >= 0);
  }

  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  stop(): void {
    this.#isRunning = false;
    this.#isStopped = true;
    this.#watch?.stop();
  }

  /** Ends it. If it runs, it must have delivered everything up to a revision. */
  settle(revision: number): void {
    if (this.#isRunning) this.#run.history.settle(this.#number, revision);
    this.stop();
  }

  #start(): void {
    const { history, servers } = this.#run;
    this.#isRunning = true;
    const server = servers.indexOf(this.#server);
    const number = history.watch({ client: this.#client, server, prefix: this.prefix, from: this.position });
    this.#number = number;
    this.#watch = this.#server.storage.watch(this.prefix, this.position, {
      events: (events) => this.#events(number, events),
      progress: (revision) => {
        history.notify(number, 'progress', revision);
        this.position = Math.max(this.position, revision);
      },
      end: (reason) => this.#end(number, reason),
    });
    // It may have ended at once.
    if (!this.#isRunning) this.#watch.stop();
  }

  #events(number: number, events: readonly StorageEvent[]): void {
    this.#run.history.events(
      number,
      events.map(({ type, record, revision, previous }) => ({
        ...shownOf(record),
        kind: type,
        // The record of an event has the revision of the event.
        revision,
        previous: previous === undefined ? undefined : shownOf(previous),
      })),
    );
    for (const { revision } of events) this.position = Math.max(this.position, revision);
    this.#run.saw(this.position);
  }

  #end(number: number, reason: StorageWatchEnd): void {
    const { history } = this.#run;
    history.notify(number, reason.kind, reason.kind === 'compacted' ? reason.compactRevision : 0);
    this.#isRunning = false;
    if (this.#client >= 0) return;
    void this.#run.answers(this.#server).then(() => {
      if (!this.#isStopped) this.#start();
    });
  }
}
