import { NEVER, type History } from './history.js';

/** Lower bounds of what the store had reached at a time, known from answers that had arrived before. */
export class Bounds {
  readonly #reached: Float64Array;
  readonly #compacted: Float64Array;

  constructor(history: History) {
    this.#reached = new Float64Array(history.time + 1);
    this.#compacted = new Float64Array(history.time + 1);
    const raise = (bounds: Float64Array, time: number, revision: number): void => {
      if (time !== NEVER) bounds[time] = Math.max(bounds[time] ?? 0, revision);
    };
    raise(this.#reached, 0, history.initialRevision);
    raise(this.#compacted, 0, history.initialRevision);
    for (const { row, kind, outcome, revision, argument, invoked, returned } of history.operations()) {
      if (kind === 'compact') raise(this.#compacted, invoked, argument);
      else if (outcome === 'ok') raise(this.#reached, returned, revision);
      if (outcome === 'exists' || outcome === 'conflict')
        for (const shown of history.shown(row)) raise(this.#reached, returned, shown.revision);
    }
    for (const { notifications } of history.watches())
      for (const { kind, at, revision } of notifications)
        if (kind === 'create' || kind === 'update' || kind === 'delete') raise(this.#reached, at, revision);
    for (const bounds of [this.#reached, this.#compacted])
      for (let time = 1; time < bounds.length; time += 1)
        bounds[time] = Math.max(bounds[time] ?? 0, bounds[time - 1] ?? 0);
  }

  /** A revision that the store had reached. */
  reachedAt(time: number): number {
    return this.#reached[Math.min(time, this.#reached.length - 1)] ?? 0;
  }

  /** The highest revision up to which somebody had asked for a compaction. */
  compactedAt(time: number): number {
    return this.#compacted[Math.min(time, this.#compacted.length - 1)] ?? 0;
  }
}
