import { messageOf, shownText, type Clock } from '../../foundation/index.js';
import type { ReportedFailure } from '../../ui/index.js';

/** The last failure of each controller of a server, whether it runs now or did before. There are as many as controllers. */
export class LastFailures {
  readonly #clock: Clock;
  readonly #byName = new Map<string, ReportedFailure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The names of those that have failed. */
  get names(): Iterable<string> {
    return this.#byName.keys();
  }

  /** Returns the last failure of a controller; undefined when none is known. */
  of(name: string): ReportedFailure | undefined {
    return this.#byName.get(name);
  }

  /** @param object the key of the run that has failed; empty for a failure that is not of a run */
  record(name: string, error: unknown, object = ''): void {
    const count = (this.#byName.get(name)?.count ?? 0) + 1;
    const message = shownText(messageOf(error));
    this.#byName.set(name, { time: this.#clock.now(), message, object: shownText(object), count });
  }
}
