/** Whether a key is added because an object changed, or because a list has it. */
export type Urgency = 'changed' | 'listed';

/** Of this many keys one is taken because it has waited longest. */
const FAIR_SHARE = 10;

/** The number of taken keys that a list keeps before they are cut off. */
const MOST_TAKEN = 1024;

/** A key with its place in the order of all keys. */
interface Place<Key> {
  readonly key: Key;
  readonly order: number;
}

/** The keys that wait for a worker, each once, in the order of their turn. */
export class ReadyKeys<Key> {
  readonly #changed = new Lane<Key>();
  readonly #listed = new Lane<Key>();
  /** The keys in the second lane; keys that have moved to the first are no longer here. */
  readonly #waiting = new Set<Key>();
  readonly #prefersChanges: boolean;
  #order = 0;
  #taken = 0;
  #size = 0;

  /** @param prefersChanges whether changed keys go first; otherwise the order alone counts */
  constructor(prefersChanges: boolean) {
    this.#prefersChanges = prefersChanges;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a key that does not wait yet. */
  add(key: Key, urgency: Urgency): void {
    this.#size += 1;
    this.#order += 1;
    if (urgency === 'listed' && this.#prefersChanges) {
      this.#waiting.add(key);
      this.#listed.push({ key, order: this.#order });
    } else this.#changed.push({ key, order: this.#order });
  }

  /** Notes that a key which waits has changed. */
  urge(key: Key, urgency: Urgency): void {
    if (urgency === 'listed' || !this.#waiting.delete(key)) return;
    this.#order += 1;
    this.#changed.push({ key, order: this.#order });
  }

  /** Takes the key whose turn it is. To be called when there is one. */
  take(): Key {
    this.#size -= 1;
    this.#taken += 1;
    const listed = this.#firstListed();
    const changed = this.#changed.first;
    const lane =
      listed !== undefined && (changed === undefined || this.#isTurnOf(listed, changed)) ? this.#listed : this.#changed;
    const { key } = lane.take();
    if (lane === this.#listed) this.#waiting.delete(key);
    return key;
  }

  clear(): void {
    this.#size = 0;
    this.#waiting.clear();
    this.#changed.clear();
    this.#listed.clear();
  }

  #isTurnOf(listed: Place<Key>, changed: Place<Key>): boolean {
    return this.#taken % FAIR_SHARE === 0 && listed.order < changed.order;
  }

  /** Returns the first key of the second lane that has not moved to the first. */
  #firstListed(): Place<Key> | undefined {
    for (;;) {
      const place = this.#listed.first;
      if (place === undefined || this.#waiting.has(place.key)) return place;
      this.#listed.take();
    }
  }
}

/** A list that is appended to and taken from the front. */
class Lane<Key> {
  #places: Place<Key>[] = [];
  #head = 0;

  get first(): Place<Key> | undefined {
    return this.#places[this.#head];
  }

  push(place: Place<Key>): void {
    this.#places.push(place);
  }

  /** Takes the first place. To be called when there is one. */
  take(): Place<Key> {
    const place = this.#places[this.#head] as Place<Key>;
    this.#head += 1;
    if (this.#head === this.#places.length) this.clear();
    else if (this.#head > MOST_TAKEN && this.#head * 2 > this.#places.length) {
      this.#places = this.#places.slice(this.#head);
      this.#head = 0;
    }
    return place;
  }

  clear(): void {
    this.#places = [];
    this.#head = 0;
  }
}
