import type { Bounds } from './bounds.js';
import { NEVER, UNSHOWN, type History, type Operation, type ShownItem } from './history.js';
import { firstAbove, type Replay, type Write } from './replay.js';
import type { Rule, Violation } from './violation.js';

/**
 * Checks writes and reads by their revisions, in time O(n log n): one that ended before another began has the lower
 * revision, a refusal was true at some time of the call, and a read shows the state of its revision, which is not below
 * one that was known before.
 */
export function checkOperations(history: History, replay: Replay, bounds: Bounds): Violation[] {
  const check = new OperationCheck(history, replay, bounds);
  for (const { row, revision, invoked } of replay.writes) check.order(history.operation(row), revision, invoked);
  for (const operation of history.operations()) check.answer(operation);
  return check.violations;
}

class OperationCheck {
  readonly violations: Violation[] = [];
  readonly #history: History;
  readonly #replay: Replay;
  readonly #bounds: Bounds;

  constructor(history: History, replay: Replay, bounds: Bounds) {
    this.#history = history;
    this.#replay = replay;
    this.#bounds = bounds;
  }

  order(operation: Operation, revision: number, invoked: number): void {
    const reached = this.#bounds.reachedAt(invoked);
    if (revision <= reached)
      this.#fail(operation, 'order', `revision ${revision}, although ${reached} was known before its call`);
  }

  answer(operation: Operation): void {
    const { kind, outcome } = operation;
    if (outcome === 'exists' || outcome === 'conflict') this.#refusal(operation);
    else if (outcome === 'notFound') this.#notFound(operation);
    else if (outcome === 'compacted') this.#compacted(operation);
    else if (outcome === 'future') this.#future(operation);
    else if (outcome !== 'ok') return;
    else if (kind === 'get' || kind === 'getNotOlderThan') this.#get(operation);
    else if (kind === 'list' || kind === 'listAt' || kind === 'listNotOlderThan') this.#list(operation);
  }

  #fail(operation: Operation, rule: Rule, message: string, key = operation.key): void {
    const { row, kind, returned, invoked } = operation;
    const at = returned === NEVER ? invoked : returned;
    this.violations.push({ rule, message: `${kind}: ${message}`, key, row, at });
  }

  /** A refusal shows a version that was current at some time of the call, and forbade the write. */
  #refusal(operation: Operation): void {
    const { key, row, kind, outcome, argument, invoked, returned } = operation;
    const [shown] = this.#history.shown(row);
    if (shown === undefined) return this.#fail(operation, 'refusal', `${outcome} without the current version`);
    const writes = this.#replay.writesOf(key);
    const next = firstAbove(writes, shown.revision);
    const write = writes[next - 1];
    const replacedAt = writes[next]?.revision ?? Infinity;
    if (!isShown(write, shown)) this.#fail(operation, 'refusal', `version ${shown.revision} did not exist`);
    else if (kind !== 'create' && shown.revision === argument)
      this.#fail(operation, 'refusal', `refused for version ${argument}, which was the expected one`);
    else if (replacedAt <= this.#bounds.reachedAt(invoked))
      this.#fail(operation, 'refusal', `version ${shown.revision} had been replaced before the call`);
    else if (write !== undefined && write.invoked > returned)
      this.#fail(operation, 'refusal', `version ${shown.revision} was not written yet`);
  }

  /** The key was absent at some time of the call. */
  #notFound(operation: Operation): void {
    const writes = this.#replay.writesOf(operation.key);
    for (let index = firstAbove(writes, this.#bounds.reachedAt(operation.invoked)) - 1; ; index += 1) {
      const write = writes[index];
      if (write === undefined ? index < 0 : write.kind === 'delete' && write.invoked < operation.returned) return;
      if (write === undefined || write.invoked > operation.returned) break;
    }
    this.#fail(operation, 'refusal', 'the key existed during the whole call');
  }

  #compacted(operation: Operation): void {
    const requested = this.#bounds.compactedAt(operation.returned);
    if (operation.kind !== 'listAt' || operation.argument >= requested)
      this.#fail(operation, 'compaction', `${operation.argument} is compacted, but only ${requested} was requested`);
  }

  #future(operation: Operation): void {
    const reached = this.#bounds.reachedAt(operation.invoked);
    if (operation.argument <= reached)
      this.#fail(operation, 'future', `${operation.argument} has been reached: ${reached} was known before the call`);
  }

  #get(operation: Operation): void {
    const { key, row, revision } = operation;
    // The order of all operations on the key decides which version it may show.
    if (revision === UNSHOWN) return;
    this.#notOlder(operation);
    const write = present(this.#replay.writeAt(key, revision));
    const [shown] = this.#history.shown(row);
    if (write === undefined ? shown !== undefined : shown === undefined || !isShown(write, shown))
      this.#fail(operation, 'state', `at ${revision} it shows ${versionText(shown)} instead of ${versionText(write)}`);
    else this.#notFromFuture(operation, write);
  }

  #list(operation: Operation): void {
    const { row, key, kind, argument, after, limit, revision, remaining } = operation;
    if (kind === 'listAt') {
      if (revision !== argument) this.#fail(operation, 'state', `revision ${revision} instead of ${argument}`);
      if (argument > this.#replay.last && !this.#history.hasOtherWriters)
        this.#fail(operation, 'future', `${argument} was never reached`);
    } else this.#notOlder(operation);
    const start = this.#history.textOf(after);
    const range = this.#replay
      .keysBelow(this.#history.textOf(key))
      .filter((each) => this.#history.textOf(each) > start)
      .flatMap((each) => present(this.#replay.writeAt(each, revision)) ?? []);
    const expected = limit > 0 ? range.slice(0, limit) : range;
    const shown = this.#history.shown(row);
    for (let index = 0; index < Math.max(expected.length, shown.length); index += 1) {
      const [write, item] = [expected[index], shown[index]];
      if (item === undefined || !isShown(write, item))
        return this.#fail(
          operation,
          'state',
          `at ${revision} item ${index} is ${versionText(item)} instead of ${versionText(write)}`,
          write?.key ?? item?.key,
        );
      if (write !== undefined) this.#notFromFuture(operation, write);
    }
    if (remaining !== range.length - expected.length)
      this.#fail(operation, 'state', `${remaining} remain instead of ${range.length - expected.length}`);
  }

  /** A consistent read shows everything that was known before; another one, what it asks for. */
  #notOlder(operation: Operation): void {
    const { kind, argument, invoked, revision } = operation;
    const least = kind === 'get' || kind === 'list' ? this.#bounds.reachedAt(invoked) : argument;
    if (revision < least) this.#fail(operation, 'stale', `it shows revision ${revision}, below ${least}`);
  }

  #notFromFuture(operation: Operation, write: Write | undefined): void {
    if (write !== undefined && write.invoked > operation.returned)
      this.#fail(operation, 'state', `version ${write.revision} was not written yet`, write.key);
  }
}

const present = (write: Write | undefined): Write | undefined => (write?.kind === 'delete' ? undefined : write);

function isShown(write: Write | undefined, shown: ShownItem): boolean {
  return (
    write !== undefined &&
    write.kind !== 'delete' &&
    write.key === shown.key &&
    write.revision === shown.revision &&
    write.value === shown.value &&
    (shown.createRevision === UNSHOWN || write.createRevision === shown.createRevision)
  );
}

function versionText(
  version: { key: number; value: number; revision: number; createRevision: number } | undefined,
): string {
  if (version === undefined) return 'nothing';
  return `value ${version.value} (version ${version.revision}, created at ${version.createRevision})`;
}
