import { Columns } from './columns.js';

/** The operations of clients. The reads without `At` or `NotOlderThan` are consistent. */
export const KINDS = [
  'create',
  'update',
  'delete',
  'get',
  'getNotOlderThan',
  'list',
  'listAt',
  'listNotOlderThan',
  'compact',
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * The outcomes of an operation. `exists`, `conflict` and `notFound` are refusals of a write; `failed` is an operation that
 * has certainly not taken effect; `unknown` may have taken effect, or may still do so.
 */
export const OUTCOMES = ['unknown', 'ok', 'exists', 'conflict', 'notFound', 'compacted', 'future', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The notifications of a watch. */
export const NOTIFICATIONS = ['create', 'update', 'delete', 'progress', 'compacted', 'closed', 'failed'] as const;
export type NotificationKind = (typeof NOTIFICATIONS)[number];

/** A version of a key as a client saw it. */
export interface Shown {
  readonly key: string;
  /** The number of the value; {@link BAD_VALUE} when the text does not contain the revision of its write. */
  readonly value: number;
  readonly revision: number;
  readonly createRevision: number;
}

/** Stands for the value of a text with another revision than that of its record. No write has it. */
export const BAD_VALUE = -1;
/** Stands for a revision that the asked server does not show, as the API does not show that of a delete. */
export const UNSHOWN = -2;
/** Time of the end of an operation that has not ended. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** The parameters of an operation. */
export interface Invocation {
  readonly client: number;
  readonly server: number;
  readonly kind: Kind;
  /** The key, or the prefix of a list. */
  readonly key: string;
  /** The number of the value of a create or update: each has its own, from 1. */
  readonly value?: number;
  /** The replaced revision of a write, the revision of a read, or the revision of a compaction. */
  readonly argument?: number;
  /** The value of the replaced revision. */
  readonly replaced?: number;
  /** The list starts after this key. */
  readonly after?: string;
  /** Maximum number of records; 0 means no limit. */
  readonly limit?: number;
}

/** An operation with its result. Times are positions in the order of all events of the run. */
export interface Operation extends Required<Omit<Invocation, 'key' | 'after'>> {
  readonly row: number;
  readonly key: number;
  readonly after: number;
  readonly invoked: number;
  /** {@link NEVER} for an operation without an end. */
  readonly returned: number;
  readonly outcome: Outcome;
  readonly revision: number;
  readonly remaining: number;
}

/** A version that an operation showed. The key is a number of {@link History.textOf}. */
export type ShownItem = Omit<Shown, 'key'> & { readonly key: number };

/** A notification of a watch. */
export interface Notification {
  readonly kind: NotificationKind;
  /** Number of the call of the sink that delivered it. */
  readonly delivery: number;
  readonly at: number;
  readonly key: number;
  /** Revision of the write, the bookmark or the compaction. */
  readonly revision: number;
  readonly value: number;
  readonly createRevision: number;
  /** The version before; 0 for none. */
  readonly previousRevision: number;
  readonly previousValue: number;
}

/** A watch with its notifications. */
export interface WatchRecord {
  readonly number: number;
  readonly client: number;
  readonly server: number;
  readonly prefix: string;
  readonly from: number;
  /** Revision up to which it had every opportunity to deliver; 0 when nothing is known. */
  readonly settled: number;
  readonly notifications: readonly Notification[];
}

/**
 * All that clients of one store asked and saw, in order of one clock: a counter that each call and each answer advances. So
 * one operation ended before another began exactly if its number is lower.
 */
export class History {
  /** Revision of the store before the first operation. */
  readonly initialRevision: number;
  /** Whether others write to the store, too, so that it reaches revisions at which no client has written. */
  readonly hasOtherWriters: boolean;
  readonly #operations = new Columns({
    client: 'small',
    server: 'small',
    kind: 'small',
    key: 'small',
    value: 'small',
    argument: 'large',
    replaced: 'small',
    after: 'small',
    limit: 'small',
    invoked: 'large',
    returned: 'large',
    outcome: 'small',
    revision: 'large',
    remaining: 'small',
    items: 'small',
    itemCount: 'small',
  });
  readonly #items = new Columns({ key: 'small', value: 'small', revision: 'large', createRevision: 'large' });
  readonly #watches = new Columns({
    client: 'small',
    server: 'small',
    prefix: 'small',
    from: 'large',
    settled: 'large',
  });
  readonly #notifications = new Columns({
    watch: 'small',
    kind: 'small',
    delivery: 'small',
    at: 'large',
    key: 'small',
    revision: 'large',
    value: 'small',
    createRevision: 'large',
    previousRevision: 'large',
    previousValue: 'small',
  });
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  #time = 0;
  #deliveries = 0;

  constructor(initialRevision = 0, hasOtherWriters = false) {
    this.initialRevision = initialRevision;
    this.hasOtherWriters = hasOtherWriters;
    this.#numberOf('');
  }

  /** Number of operations. */
  get length(): number {
    return this.#operations.length;
  }

  /** Time of the newest event. */
  get time(): number {
    return this.#time;
  }

  /** Returns the key or prefix of a number. */
  textOf(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** Returns the numbers of all keys and prefixes. */
  get textCount(): number {
    return this.#texts.length;
  }

  /** Records a call. @returns the number of the operation */
  invoke(invocation: Invocation): number {
    const { client, server, kind, key, value = 0, argument = 0, replaced = 0, after = '', limit = 0 } = invocation;
    return this.#operations.add({
      client,
      server,
      kind: KINDS.indexOf(kind),
      key: this.#numberOf(key),
      value,
      argument,
      replaced,
      after: this.#numberOf(after),
      limit,
      invoked: (this.#time += 1),
      returned: NEVER,
      outcome: OUTCOMES.indexOf('unknown'),
      revision: 0,
      remaining: 0,
      items: 0,
      itemCount: 0,
    });
  }

  /**
   * Records the answer of a call. One with the outcome `unknown` has no end, since it may still take effect.
   *
   * @param shown the versions that a read returned, or with which a write was refused
   */
  return(
    row: number,
    outcome: Outcome,
    {
      revision = 0,
      remaining = 0,
      shown = [],
    }: { revision?: number; remaining?: number; shown?: readonly Shown[] } = {},
  ): void {
    const time = (this.#time += 1);
    if (outcome === 'unknown') return;
    this.#operations.set('returned', row, time);
    this.#operations.set('outcome', row, OUTCOMES.indexOf(outcome));
    this.#operations.set('revision', row, revision);
    this.#operations.set('remaining', row, remaining);
    this.#operations.set('items', row, this.#items.length);
    this.#operations.set('itemCount', row, shown.length);
    for (const item of shown) this.#items.add({ ...item, key: this.#numberOf(item.key) });
  }

  /** Records the start of a watch. @returns its number */
  watch(watch: { client: number; server: number; prefix: string; from: number }): number {
    this.#time += 1;
    return this.#watches.add({ ...watch, prefix: this.#numberOf(watch.prefix), settled: 0 });
  }

  /** Records events that a watch delivered together. */
  events(
    watch: number,
    events: readonly (Shown & {
      readonly kind: 'create' | 'update' | 'delete';
      readonly previous?: { readonly value: number; readonly revision: number } | undefined;
    })[],
  ): void {
    const at = (this.#time += 1);
    const delivery = (this.#deliveries += 1);
    for (const { kind, key, value, revision, createRevision, previous } of events)
      this.#notifications.add({
        watch,
        kind: NOTIFICATIONS.indexOf(kind),
        delivery,
        at,
        key: this.#numberOf(key),
        revision,
        value,
        createRevision,
        previousRevision: previous?.revision ?? 0,
        previousValue: previous?.value ?? 0,
      });
  }

  /** Records a bookmark, or the end of a watch. @param revision the bookmark, or the compacted revision */
  notify(watch: number, kind: 'progress' | 'compacted' | 'closed' | 'failed', revision = 0): void {
    this.#notifications.add({
      watch,
      kind: NOTIFICATIONS.indexOf(kind),
      delivery: (this.#deliveries += 1),
      at: (this.#time += 1),
      key: 0,
      revision,
      value: 0,
      createRevision: 0,
      previousRevision: 0,
      previousValue: 0,
    });
  }

  /** Records that a watch which has not ended must have delivered everything up to a revision. */
  settle(watch: number, revision: number): void {
    this.#watches.set('settled', watch, revision);
  }

  /** Returns an operation. */
  operation(row: number): Operation {
    const at = (name: 'client' | 'server' | 'key' | 'value' | 'argument' | 'replaced'): number =>
      this.#operations.at(name, row);
    return {
      row,
      client: at('client'),
      server: at('server'),
      kind: KINDS[this.#operations.at('kind', row)] ?? 'get',
      key: at('key'),
      value: at('value'),
      argument: at('argument'),
      replaced: at('replaced'),
      after: this.#operations.at('after', row),
      limit: this.#operations.at('limit', row),
      invoked: this.#operations.at('invoked', row),
      returned: this.#operations.at('returned', row),
      outcome: OUTCOMES[this.#operations.at('outcome', row)] ?? 'unknown',
      revision: this.#operations.at('revision', row),
      remaining: this.#operations.at('remaining', row),
    };
  }

  /** Returns all operations, in order of their calls. */
  *operations(): Generator<Operation> {
    for (let row = 0; row < this.length; row += 1) yield this.operation(row);
  }

  /** Returns the versions that an operation showed. */
  shown(row: number): ShownItem[] {
    const first = this.#operations.at('items', row);
    const items: ShownItem[] = [];
    for (let item = first; item < first + this.#operations.at('itemCount', row); item += 1)
      items.push({
        key: this.#items.at('key', item),
        value: this.#items.at('value', item),
        revision: this.#items.at('revision', item),
        createRevision: this.#items.at('createRevision', item),
      });
    return items;
  }

  /** Returns all watches. */
  watches(): WatchRecord[] {
    const notifications: Notification[][] = [];
    for (let number = 0; number < this.#watches.length; number += 1) notifications.push([]);
    for (let row = 0; row < this.#notifications.length; row += 1)
      notifications[this.#notifications.at('watch', row)]?.push(this.#notification(row));
    return notifications.map((received, number) => ({
      number,
      client: this.#watches.at('client', number),
      server: this.#watches.at('server', number),
      prefix: this.textOf(this.#watches.at('prefix', number)),
      from: this.#watches.at('from', number),
      settled: this.#watches.at('settled', number),
      notifications: received,
    }));
  }

  #notification(row: number): Notification {
    return {
      kind: NOTIFICATIONS[this.#notifications.at('kind', row)] ?? 'failed',
      delivery: this.#notifications.at('delivery', row),
      at: this.#notifications.at('at', row),
      key: this.#notifications.at('key', row),
      revision: this.#notifications.at('revision', row),
      value: this.#notifications.at('value', row),
      createRevision: this.#notifications.at('createRevision', row),
      previousRevision: this.#notifications.at('previousRevision', row),
      previousValue: this.#notifications.at('previousValue', row),
    };
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }
}
