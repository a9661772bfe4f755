import type { Clock, Timer } from '../../src/foundation/time/clock.js';
import { Chance } from '../history/driver/chance.js';
import { enterWorld, realTurn, threadsReady, type WorldHost } from './host.js';
import { Trace } from './trace.js';

/** Steps of the measured time at each look, in milliseconds: from slices that nearly never end to one step in each. */
const LOOKS_MS = [1 / 256, 1 / 64, 1 / 8, 1] as const;
/** A turn lets a millisecond pass in one of so many cases. */
const SLOW_TURN = 16;

/** A world with more tasks never comes to its end. */
const MAX_TASKS = 60_000;
/** The last requests for turns that such a world shows. */
const SHOWN_TURNS = 4;
const MAX_LAST_TURNS = 10_000;

/** Something that happens at a time. */
interface Task {
  readonly at: number;
  readonly order: number;
  readonly label: string;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Owns all that happens in a world except promises: timers, turns of the event loop, and deliveries. It runs one task at
 * a time, and the promises that follow from it to their end. Among the tasks that are due, the seed chooses. Turns keep
 * their order, as those of a host do.
 */
export class Scheduler implements WorldHost {
  readonly trace: Trace;
  readonly #chance: Chance;
  readonly #lookMs: number;
  readonly #turns: (() => void)[] = [];
  /** The tasks of the future: a heap by time, and by order at the same time. */
  readonly #future = new TaskHeap();
  /** The tasks that are due. */
  readonly #due: Task[] = [];
  /** Virtual time in milliseconds since the epoch. */
  nowMs: number;
  /** Number of tasks that have run. */
  tasks = 0;
  readonly #asked: string[] = [];
  #measuredMs = 0;
  #order = 0;
  #keys = 0;

  constructor(seed: number, startMs: number, trace: Trace) {
    this.#chance = new Chance(seed);
    this.#lookMs = this.#chance.pick(LOOKS_MS);
    this.nowMs = startMs;
    this.trace = trace;
  }

  measuredMs(): number {
    return (this.#measuredMs += this.#lookMs);
  }

  nextKey(): number {
    return (this.#keys += 1) - 1;
  }

  turn(callback: () => void): void {
    this.#turns.push(callback);
    // Who asks for turns without end is shown.
    if (this.tasks > MAX_TASKS - SHOWN_TURNS) this.#asked.push(new Error('a turn').stack ?? '');
  }

  /** Calls back after some time. @param label names the task in the trace */
  after(ms: number, label: string, run: () => void): Timer {
    const task: Task = { at: this.nowMs + Math.max(0, ms), order: (this.#order += 1), label, run, isCancelled: false };
    this.#future.add(task);
    return { cancel: () => void (task.isCancelled = true) };
  }

  /** Resolves after some time. */
  pause(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => void this.after(ms, label, resolve));
  }

  /** Returns the clock of a process. @param offsetMs how far it is ahead of the time of the world */
  clock(label: string, offsetMs = 0): Clock {
    return {
      now: () => this.nowMs + offsetMs,
      after: (ms, callback) => this.after(ms, label, callback),
    };
  }

  /** The labels of the tasks that have not run and were not cancelled. */
  get pending(): string[] {
    const tasks = [...this.#due, ...this.#future.tasks].filter(({ isCancelled }) => !isCancelled);
    return [...tasks.map(({ label }) => label), ...this.#turns.map(() => 'turn')];
  }

  /**
   * Runs a world until its story has ended.
   *
   * @param limitMs virtual time within which it ends
   * @throws what the story throws; Error when it waits and no task is left, or does not end
   */
  async run<Result>(story: () => Promise<Result>, limitMs = Infinity): Promise<Result> {
    const endMs = this.nowMs + limitMs;
    const leave = enterWorld(this);
    try {
      let outcome: { readonly value: Result } | { readonly error: unknown } | undefined;
      story().then(
        (value) => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      );
      await realPromises();
      while (outcome === undefined) {
        if (this.tasks > MAX_TASKS) throw new Error(`the world does not end; turns go to\n${this.#asked.join('\n')}`);
        if (this.nowMs > endMs) throw new Error(`the world does not end within ${limitMs / 60_000} minutes`);
        if (!this.#runOne()) throw new Error('the world waits for something that is not one of its tasks');
        await realPromises();
      }
      const ended = outcome as { readonly value: Result } | { readonly error: unknown };
      if ('error' in ended) throw ended.error;
      return ended.value;
    } finally {
      await this.#endTurns();
      leave();
    }
  }

  /** The turns belong to the process, which outlives the world: none is left to the next one. */
  async #endTurns(): Promise<void> {
    for (let left = MAX_LAST_TURNS; left > 0 && this.#turns.length > 0; left -= 1) {
      this.#turns.shift()?.();
      await realPromises();
    }
  }

  /** Runs a task. @returns false when there is none */
  #runOne(): boolean {
    this.#collect();
    const hasTurn = this.#turns.length > 0;
    let choices = this.#due.length + (hasTurn ? 1 : 0);
    if (choices === 0) {
      const next = this.#future.first();
      if (next === undefined) return false;
      this.nowMs = Math.max(this.nowMs, next.at);
      this.#collect();
      choices = this.#due.length;
    }
    const choice = choices === 1 ? 0 : this.#chance.below(choices);
    this.tasks += 1;
    const task = this.#due[choice];
    if (task === undefined) {
      this.trace.add(this.nowMs, 'turn');
      if (this.#chance.oneOf(SLOW_TURN)) this.nowMs += 1;
      this.#turns.shift()?.();
      return true;
    }
    this.#due.splice(choice, 1);
    this.trace.add(this.nowMs, task.label);
    task.run();
    return true;
  }

  /** Moves the tasks that are due, and forgets those that were cancelled. */
  #collect(): void {
    for (let index = this.#due.length - 1; index >= 0; index -= 1)
      if (this.#due[index]?.isCancelled === true) this.#due.splice(index, 1);
    for (let next = this.#future.first(); next !== undefined && next.at <= this.nowMs; next = this.#future.first()) {
      this.#future.removeFirst();
      this.#due.push(next);
    }
  }
}

/** Resolves when all promises that are ready have run, and the host's threads have no work of the world. */
async function realPromises(): Promise<void> {
  await new Promise<void>(realTurn);
  for (let threads = threadsReady(); threads !== undefined; threads = threadsReady()) {
    await threads;
    await new Promise<void>(realTurn);
  }
}

/** Tasks by time. */
class TaskHeap {
  readonly tasks: Task[] = [];

  add(task: Task): void {
    const { tasks } = this;
    let at = tasks.push(task) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = tasks[parent] as Task;
      if (!isBefore(task, above)) break;
      tasks[at] = above;
      at = parent;
    }
    tasks[at] = task;
  }

  /** Returns the earliest task that was not cancelled. */
  first(): Task | undefined {
    while (this.tasks[0]?.isCancelled === true) this.removeFirst();
    return this.tasks[0];
  }

  removeFirst(): void {
    const { tasks } = this;
    const last = tasks.pop();
    if (last === undefined || tasks.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [tasks[child], tasks[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) child += 1;
      const least = tasks[child] as Task;
      if (!isBefore(least, last)) break;
      tasks[at] = least;
      at = child;
    }
    tasks[at] = last;
  }
}

const isBefore = (left: Task, right: Task): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order);
