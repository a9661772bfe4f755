import { NEVER, type History, type Operation } from './history.js';
import type { Violation } from './violation.js';

/** Maximum number of states that the search of a key visits. */
const MAX_VISITED = 2_000_000;
const ABSENT = 0;

/** An operation on one key, without revisions: the value that it needs, and the value that it leaves. */
interface Step {
  readonly row: number;
  readonly invoked: number;
  readonly returned: number;
  /** Value of the key before it; {@link ABSENT} for none. */
  readonly needs: number;
  readonly leaves: number;
  readonly isRead: boolean;
}

/** A place in the search: the value of the key, and which operations in flight have taken effect already. */
interface Place {
  readonly value: number;
  readonly done: readonly number[];
}

/**
 * Checks, without trust in revisions, that each key behaves as a register: that its operations can be put in an order that
 * keeps the order of calls that did not overlap, in which each has the outcome that it had (Wing and Gong's search with
 * Lowe's cache of visited states). The search advances answer by answer, so only operations in flight are open, and
 * wherever there are none the history is cut.
 */
export function checkLinearizable(history: History, maxVisited = MAX_VISITED): Violation[] {
  const byKey = new Map<number, Step[]>();
  for (const operation of history.operations()) {
    const step = stepOf(operation, history);
    if (step === undefined) continue;
    const steps = byKey.get(operation.key);
    if (steps === undefined) byKey.set(operation.key, [step]);
    else steps.push(step);
  }
  return [...byKey].flatMap(([key, steps]) => new KeySearch(key, steps, maxVisited).run() ?? []);
}

/** @returns undefined for an operation that says nothing of a key at the time of its call, or that did not take effect */
function stepOf(
  { row, kind, outcome, value, replaced, invoked, returned }: Operation,
  history: History,
): Step | undefined {
  const times = { row, invoked, returned };
  const [shown] = history.shown(row);
  const reads = (needs: number): Step => ({ ...times, needs, leaves: needs, isRead: true });
  if (kind === 'get') return outcome === 'ok' ? reads(shown?.value ?? ABSENT) : undefined;
  if (kind !== 'create' && kind !== 'update' && kind !== 'delete') return undefined;
  if (outcome === 'exists' || outcome === 'conflict') return reads(shown?.value ?? ABSENT);
  if (outcome === 'notFound') return reads(ABSENT);
  if (outcome !== 'ok' && outcome !== 'unknown') return undefined;
  const needs = kind === 'create' ? ABSENT : replaced;
  return { ...times, needs, leaves: kind === 'delete' ? ABSENT : value, isRead: false };
}

class KeySearch {
  readonly #key: number;
  readonly #steps: readonly Step[];
  readonly #maxVisited: number;
  /** Operations in flight, by their rows, and those of unknown outcome. */
  readonly #open = new Map<number, Step>();
  #places: readonly Place[] = [{ value: ABSENT, done: [] }];
  #visited = 0;

  constructor(key: number, steps: readonly Step[], maxVisited: number) {
    this.#key = key;
    this.#maxVisited = maxVisited;
    // A write of unknown outcome whose value nobody saw can come last: nothing can follow it.
    const seen = new Set(steps.flatMap(({ isRead, needs }) => (isRead || needs !== ABSENT ? [needs] : [])));
    this.#steps = steps.filter(({ returned, leaves }) => returned !== NEVER || leaves === ABSENT || seen.has(leaves));
  }

  run(): Violation | undefined {
    const calls = [...this.#steps].sort((left, right) => left.invoked - right.invoked);
    const answers = this.#steps
      .filter(({ returned }) => returned !== NEVER)
      .sort((left, right) => left.returned - right.returned);
    let next = 0;
    for (const answer of answers) {
      for (let call = calls[next]; call !== undefined && call.invoked < answer.returned; call = calls[(next += 1)])
        this.#open.set(call.row, call);
      const before = this.#places;
      this.#places = this.#after(answer);
      const place = { key: this.#key, row: answer.row, at: answer.returned };
      if (this.#visited > this.#maxVisited)
        return { rule: 'undecided', message: `after ${this.#visited} states of the search`, ...place };
      if (this.#places.length === 0) {
        const values = [...new Set(before.map(({ value }) => value))].join(' or ');
        const message = `needs value ${answer.needs}, but it can only be ${values} or what is in flight`;
        return { rule: 'linearizable', message, ...place };
      }
      this.#open.delete(answer.row);
      this.#forget();
    }
    return undefined;
  }

  /** Returns the places that are possible after an answer: those in which the operation has taken effect. */
  #after(answer: Step): readonly Place[] {
    const visited = new Set<string>();
    const found = new Map<string, Place>();
    const waiting = [...this.#places];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const name = nameOf(place);
      if (visited.has(name)) continue;
      visited.add(name);
      if ((this.#visited += 1) > this.#maxVisited) return [];
      const { value, done } = place;
      if (done.includes(answer.row)) {
        const after = { value, done: done.filter((row) => row !== answer.row) };
        found.set(nameOf(after), after);
        continue;
      }
      for (const { row, needs, leaves } of this.#open.values())
        if (needs === value && !done.includes(row))
          waiting.push({ value: leaves, done: [...done, row].sort((left, right) => left - right) });
    }
    return [...found.values()];
  }

  /** Forgets operations of unknown outcome that have taken effect in every place, or cannot do so any more. */
  #forget(): void {
    const values = new Set(this.#places.map(({ value }) => value));
    for (const { row, returned, needs } of this.#open.values()) {
      if (returned !== NEVER) continue;
      const isDone = this.#places.every(({ done }) => done.includes(row));
      // A value is written once: it does not come back.
      const comesBack = needs === ABSENT || values.has(needs) || this.#isOpen(needs);
      if (!isDone && comesBack) continue;
      this.#open.delete(row);
      this.#places = this.#places.map(({ value, done }) => ({ value, done: done.filter((each) => each !== row) }));
    }
  }

  #isOpen(value: number): boolean {
    for (const { leaves, isRead } of this.#open.values()) if (!isRead && leaves === value) return true;
    return false;
  }
}

const nameOf = ({ value, done }: Place): string => `${value}:${done.join()}`;
