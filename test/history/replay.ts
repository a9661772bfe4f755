import { NEVER, UNSHOWN, type History, type Notification, type Operation, type Outcome } from './history.js';
import type { Violation } from './violation.js';

/** A write that took effect. */
export interface Write {
  readonly revision: number;
  readonly key: number;
  readonly kind: 'create' | 'update' | 'delete';
  /** The value after it; for a delete, that before it. */
  readonly value: number;
  /** Revision of the write that created the key. */
  readonly createRevision: number;
  readonly previousRevision: number;
  readonly previousValue: number;
  readonly invoked: number;
  readonly row: number;
}

/** Returns the index of the first element above a revision. */
export function firstAbove(writes: readonly { readonly revision: number }[], revision: number): number {
  let [low, high] = [0, writes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((writes[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The states of the store, by revision: the acknowledged writes in order of their revisions, and those of unknown outcome
 * that somebody saw. Values are unique, so that a version which is seen names its write.
 */
export class Replay {
  /** All writes, in order of revision. */
  readonly writes: readonly Write[];
  /** Contradictions between what writers and readers saw of the writes. */
  readonly violations: readonly Violation[];
  readonly #byKey = new Map<number, Write[]>();
  readonly #byPrefix = new Map<string, readonly Write[]>();
  readonly #keysByPrefix = new Map<string, readonly number[]>();
  readonly #history: History;

  constructor(history: History) {
    this.#history = history;
    const effects = new Effects(history);
    const violations = [...effects.violations];
    this.violations = violations;
    this.writes = [...effects.revisions]
      .map(([row, revision]) => ({ operation: history.operation(row), revision }))
      .sort((left, right) => left.revision - right.revision)
      .map(({ operation, revision }) => this.#apply(operation, revision, violations));
  }

  /** Revision of the last write. */
  get last(): number {
    return this.writes[this.writes.length - 1]?.revision ?? this.#history.initialRevision;
  }

  /** Returns the writes of a key, in order of revision. */
  writesOf(key: number): readonly Write[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Returns the newest write of a key at a revision: undefined or a delete if the key was absent. */
  writeAt(key: number, revision: number): Write | undefined {
    const writes = this.writesOf(key);
    return writes[firstAbove(writes, revision) - 1];
  }

  /** Returns the writes of the keys with a prefix, in order of revision. */
  writesBelow(prefix: string): readonly Write[] {
    let writes = this.#byPrefix.get(prefix);
    if (writes === undefined) {
      writes = this.writes.filter(({ key }) => this.#history.textOf(key).startsWith(prefix));
      this.#byPrefix.set(prefix, writes);
    }
    return writes;
  }

  /** Returns the keys with a prefix that were ever written, in order. */
  keysBelow(prefix: string): readonly number[] {
    let keys = this.#keysByPrefix.get(prefix);
    if (keys === undefined) {
      const text = (key: number): string => this.#history.textOf(key);
      keys = [...this.#byKey.keys()]
        .filter((key) => text(key).startsWith(prefix))
        .sort((left, right) => (text(left) < text(right) ? -1 : 1));
      this.#keysByPrefix.set(prefix, keys);
    }
    return keys;
  }

  /** Appends a write to those of its key, and checks that the state before it allowed it. */
  #apply(operation: Operation, revision: number, violations: Violation[]): Write {
    const { key, kind, argument, row, returned, invoked } = operation;
    let writes = this.#byKey.get(key);
    if (writes === undefined) this.#byKey.set(key, (writes = []));
    const last = writes[writes.length - 1];
    const before = last?.kind === 'delete' ? undefined : last;
    // An expiry names the value of its version, since it is foreseen before that has a revision.
    const isExpiry = kind === 'delete' && argument === 0 && before?.value === operation.replaced;
    const needed = kind === 'create' ? 0 : argument;
    if ((before?.revision ?? 0) !== needed && !isExpiry)
      violations.push({
        rule: 'precondition',
        message: `the ${kind} at revision ${revision} needs version ${needed}, but the current one was ${before?.revision ?? 0}`,
        key,
        row,
        at: returned === NEVER ? invoked : returned,
      });
    const write: Write = {
      revision,
      key,
      kind: kind === 'create' || kind === 'update' ? kind : 'delete',
      value: kind === 'delete' ? (before?.value ?? operation.replaced) : operation.value,
      createRevision: kind === 'create' ? revision : (before?.createRevision ?? 0),
      previousRevision: before?.revision ?? 0,
      previousValue: before?.value ?? 0,
      invoked,
      row,
    };
    writes.push(write);
    return write;
  }
}

const isWrite = ({ kind }: Operation): boolean => kind === 'create' || kind === 'update' || kind === 'delete';

/** Finds the writes that took effect, and their revisions. */
class Effects {
  /** Revision by the number of the operation. */
  readonly revisions = new Map<number, number>();
  readonly violations: Violation[] = [];
  readonly #history: History;
  /** Operations by their value. */
  readonly #writers = new Map<number, number>();
  /** Deletes by the deleted value. */
  readonly #deletes = new Map<number, number[]>();

  constructor(history: History) {
    this.#history = history;
    for (const operation of history.operations()) if (isWrite(operation)) this.#add(operation);
    for (const { row, returned } of history.operations())
      for (const { key, value, revision } of history.shown(row)) this.#see(key, value, revision, returned, row);
    for (const { number, notifications } of history.watches())
      for (const notification of notifications) this.#seeEvent(notification, number);
    this.#checkUnshown();
    this.#checkRevisions();
  }

  #add({ kind, value, replaced, outcome, revision, row }: Operation): void {
    if (kind === 'delete') {
      const known = this.#deletes.get(replaced);
      if (known === undefined) this.#deletes.set(replaced, [row]);
      else known.push(row);
    } else this.#writers.set(value, row);
    if (outcome === 'ok' && revision !== UNSHOWN) this.revisions.set(row, revision);
  }

  #seeEvent(notification: Notification, watch: number): void {
    const { kind, key, revision, value, previousRevision, previousValue, at } = notification;
    if (kind === 'create' || kind === 'update') this.#see(key, value, revision, at, undefined, watch);
    if (kind === 'delete') this.#seeDelete(notification, watch);
    if ((kind === 'update' || kind === 'delete') && previousRevision > 0)
      this.#see(key, previousValue, previousRevision, at, undefined, watch);
  }

  /** Somebody saw a version. */
  #see(key: number, value: number, revision: number, at: number, row?: number, watch?: number): void {
    const writer = this.#writers.get(value);
    const place = { key, row, watch, at };
    if (writer === undefined || this.#history.operation(writer).key !== key) {
      this.violations.push({ rule: 'invented', message: `nobody wrote value ${value}, seen at ${revision}`, ...place });
      return;
    }
    this.#took(writer, revision, place);
  }

  #seeDelete({ key, revision, previousValue, at }: Notification, watch: number): void {
    const place = { key, watch, at };
    const deletes = this.#deletes.get(previousValue) ?? [];
    const writer =
      deletes.find((row) => this.revisions.get(row) === revision) ??
      deletes.find((row) => this.#isOpen(row, 'ok')) ??
      deletes.find((row) => this.#isOpen(row, 'unknown')) ??
      deletes[0];
    // A watch that is wrong about the version before is found by the rule of events.
    if (writer !== undefined) this.#took(writer, revision, place);
    else if (![...this.revisions].some(([row, at]) => at === revision && this.#history.operation(row).key === key))
      this.violations.push({ rule: 'invented', message: `nobody made the delete at ${revision}`, ...place });
  }

  /** Whether a delete has an outcome, and its revision is not known. */
  #isOpen(row: number, wanted: Outcome): boolean {
    return !this.revisions.has(row) && this.#history.operation(row).outcome === wanted;
  }

  /** A delete whose answer did not name its revision is seen by somebody. */
  #checkUnshown(): void {
    for (const { row, key, outcome, revision, returned } of this.#history.operations())
      if (outcome === 'ok' && revision === UNSHOWN && !this.revisions.has(row) && this.#isDelete(row))
        this.violations.push({
          rule: 'reliable',
          message: 'nobody saw an acknowledged delete',
          key,
          row,
          at: returned,
        });
  }

  #isDelete(row: number): boolean {
    return this.#history.operation(row).kind === 'delete';
  }

  /** Somebody saw the effect of a write. */
  #took(writer: number, revision: number, place: Pick<Violation, 'key' | 'row' | 'watch' | 'at'>): void {
    const known = this.revisions.get(writer);
    if (known === revision) return;
    const { outcome, kind, revision: answered } = this.#history.operation(writer);
    if (known !== undefined)
      this.violations.push({
        rule: 'revision',
        message: `the ${kind} at revision ${known} was also seen at ${revision}`,
        ...place,
      });
    else if (outcome === 'unknown' || answered === UNSHOWN) this.revisions.set(writer, revision);
    else
      this.violations.push({
        rule: 'undone',
        message: `a ${kind} that was reported as ${outcome} took effect at revision ${revision}`,
        ...place,
      });
  }

  /** Two writes share a revision only if nobody was told so: keys that expire together. */
  #checkRevisions(): void {
    const owners = new Map<number, number>();
    for (const [row, revision] of this.revisions) {
      const other = owners.get(revision);
      owners.set(revision, row);
      if (other === undefined) continue;
      const [one, two] = [this.#history.operation(other), this.#history.operation(row)];
      const expired = [one, two].every(({ kind, outcome }) => kind === 'delete' && outcome === 'unknown');
      if (!expired || one.key === two.key)
        this.violations.push({
          rule: 'revision',
          message: `two writes have revision ${revision}`,
          key: two.key,
          row,
          at: two.returned === NEVER ? two.invoked : two.returned,
        });
    }
  }
}
