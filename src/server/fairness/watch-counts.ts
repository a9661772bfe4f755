/** The objects that a watch concerns. Empty strings stand for all. */
export interface WatchTarget {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Counts the watches, in order to estimate the work of the events that a write causes. */
export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a watch. @returns a function to call when it has ended; only the first call counts */
  add(target: WatchTarget): () => void {
    const key = keyOf(target);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let lasts = true;
    return () => {
      if (!lasts) return;
      lasts = false;
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }

  /** Returns the number of watches that a write may concern: of all objects, of its namespace, and of its object. */
  concerned(target: WatchTarget): number {
    if (this.#counts.size === 0) return 0;
    const { group, resource, namespace, name } = target;
    let count = this.#count({ group, resource, namespace: '', name: '' });
    if (namespace !== '') count += this.#count({ group, resource, namespace, name: '' });
    if (name !== '') count += this.#count(target);
    return count;
  }

  #count(target: WatchTarget): number {
    return this.#counts.get(keyOf(target)) ?? 0;
  }
}

/** No name of a group, resource, namespace or object has a space. */
const keyOf = ({ group, resource, namespace, name }: WatchTarget): string =>
  `${group} ${resource} ${namespace} ${name}`;
