/** The observed events of one stream of the reference handler. */
export interface Observation {
  /** Number of chunks that the transport has pulled. */
  pulls: number;
  /** Whether the request's signal has aborted. */
  aborted: boolean;
  /** Whether the source was released. */
  released: boolean;
}

interface Entry {
  readonly observation: Observation;
  readonly ended: Promise<void>;
  readonly end: () => void;
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Observations of streams by the `id` in their query, so that a second request can read those of the first. */
export class Observations {
  readonly #entries = new Map<string, Entry>();

  /** Returns the entry of an id; creates it on first use. */
  of(id: string): Entry {
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      const [ended, end] = latch();
      const [opened, open] = latch();
      entry = { observation: { pulls: 0, aborted: false, released: false }, ended, end, opened, open };
      this.#entries.set(id, entry);
    }
    return entry;
  }
}

function latch(): [Promise<void>, () => void] {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return [opened, open];
}
