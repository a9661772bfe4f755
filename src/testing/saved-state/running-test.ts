import { messageOf } from '../../foundation/index.js';
import type { FailedTest } from './format.js';

/** The context that vitest gives a test, and the hooks around it. */
export interface VitestTest {
  readonly task: {
    readonly name: string;
    /** Name of the test after those of the blocks that it is in. */
    readonly fullTestName?: string | undefined;
    readonly file?: { readonly filepath?: string | undefined } | undefined;
    /** Whether the test is meant to fail. */
    readonly fails?: boolean | undefined;
    /** How often a test that fails is tried again, or when. */
    readonly retry?: unknown;
    readonly result?:
      | {
          readonly retryCount?: number | undefined;
          readonly errors?:
            readonly { readonly message?: string | undefined; readonly stack?: string | undefined }[] | undefined;
        }
      | undefined;
  };
  /** Calls back once the test and the hooks after it have ended, if it has failed. */
  readonly onTestFailed: (run: () => Promise<void>) => unknown;
}

/** The context that `node:test` gives a test, and the hooks around it. */
export interface NodeTest {
  readonly name: string;
  readonly fullName?: string | undefined;
  readonly filePath?: string | undefined;
  readonly passed?: boolean | undefined;
  readonly error?: unknown;
  /** Calls back when the test has ended. */
  readonly after: (run: () => Promise<void>) => unknown;
}

/** The context of a running test: that of vitest or `node:test`. */
export type RunningTest = VitestTest | NodeTest;

/** Returns whether a value is the context of a running test. */
export const isRunningTest = (value: unknown): value is RunningTest => isVitest(value) || isNode(value);

const isVitest = (value: unknown): value is VitestTest =>
  isObject(value) && typeof value['onTestFailed'] === 'function' && isObject(value['task']);

const isNode = (value: unknown): value is NodeTest =>
  isObject(value) && typeof value['after'] === 'function' && 'name' in value;

/** The context of vitest is a function with members. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);

/**
 * Calls back once, when a test has failed for good. The hooks after the test have run, so its servers may be closed.
 */
export function onFailure(test: RunningTest, run: (failed: FailedTest) => Promise<void>): void {
  if (isVitest(test)) {
    const { task } = test;
    test.onTestFailed(async () => {
      if (task.fails === true || (task.result?.retryCount ?? 0) < retriesOf(task.retry)) return;
      const [error] = task.result?.errors ?? [];
      const { name, fullTestName = name, file } = task;
      await run({ name: fullTestName, file: file?.filepath ?? '', error: errorText(error) });
    });
  } else
    test.after(async () => {
      if (test.passed !== false) return;
      const { name, fullName = name, filePath = '', error } = test;
      await run({ name: fullName, file: filePath, error: errorText(error) });
    });
}

/** Returns how often vitest tries a test again that fails. A condition may end that earlier. */
function retriesOf(retry: unknown): number {
  const count = isObject(retry) ? retry['count'] : retry;
  return typeof count === 'number' ? count : 0;
}

/** Longest text of an error, in characters. */
const LONGEST = 64 * 1024;

/** Returns what was thrown, as a text with its stack. */
export function errorText(error: unknown): string {
  if (error === undefined || error === null) return '';
  const { message, stack } = isObject(error) ? error : {};
  const said = typeof message === 'string' ? message : messageOf(error);
  // The stack of V8 begins with the message; that of others does not.
  const text = typeof stack !== 'string' ? said : stack.includes(said) ? stack : `${said}\n${stack}`;
  return withoutColours(text).slice(0, LONGEST);
}

/** Removes the codes by which terminals show colours. */
const withoutColours = (text: string): string => text.replaceAll(COLOUR, '');
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
