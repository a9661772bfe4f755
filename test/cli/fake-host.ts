import { createManualClock, type ManualClock } from '../../src/testing/time/manual-clock.js';
import { systemEntropy, type Entropy } from '../../src/foundation/index.js';
import type { Host } from '../../src/cli/host.js';

/** A host whose output is recorded, whose signals the test sends, and whose clock stands still unless one is given. */
export interface FakeHost extends Host {
  readonly clock: ManualClock;
  readonly out: () => string;
  readonly err: () => string;
  /** The parsed log lines of stderr. */
  readonly log: () => readonly Record<string, unknown>[];
  /** The first log line with a message, or its occurrence of the given number, as soon as it exists. */
  readonly logged: (message: string, time?: number) => Promise<Record<string, unknown>>;
  readonly signal: (name: string) => void;
  /** Acts as if the parent process had ended. */
  readonly endParent: () => void;
  readonly exits: readonly number[];
}

export function createFakeHost(
  options: {
    readonly isTTY?: boolean;
    readonly logsToTTY?: boolean;
    readonly startMs?: number;
    readonly clock?: ManualClock;
    readonly entropy?: Entropy;
  } = {},
): FakeHost {
  let out = '';
  let err = '';
  const exits: number[] = [];
  const listeners = new Set<(signal: string) => void>();
  const parentEnds = new Set<() => void>();
  const waiting = new Set<() => void>();
  const log = () =>
    err
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    stdout: { write: (text) => (out += text), isTTY: options.isTTY },
    stderr: {
      isTTY: options.logsToTTY,
      write: (text) => {
        err += text;
        for (const check of waiting) check();
      },
    },
    clock: options.clock ?? createManualClock(options.startMs),
    entropy: options.entropy ?? systemEntropy,
    root: new URL('../../', import.meta.url),
    version: '1.2.3',
    runtime: 'node20',
    platform: 'linux/amd64',
    onSignal(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    onParentEnd(callback) {
      parentEnds.add(callback);
      return () => parentEnds.delete(callback);
    },
    endParent: () => parentEnds.forEach((callback) => callback()),
    exit: (code) => exits.push(code),
    out: () => out,
    err: () => err,
    log,
    logged: (message, time = 1) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = log().filter((line) => line['message'] === message)[time - 1];
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    signal: (name) => listeners.forEach((listener) => listener(name)),
    exits,
  };
}
