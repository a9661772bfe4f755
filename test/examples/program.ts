import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { COMMAND } from '../conformance/kubectl/server.js';

/** The folder of the examples. */
export const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** The command by which the helpers in the examples run orch-apiserver, without a build. */
export const ORCH_APISERVER = COMMAND.slice(0, -1).join(' ');

/** Makes Go link programs without what only a debugger reads, in half the time. */
export const QUICKLY = '-ldflags=-s -w';

/** The outcome of a program. */
export interface Outcome {
  /** The exit code; undefined when the program is not installed. */
  readonly code: number | null | undefined;
  /** Its output, on both streams. */
  readonly output: string;
}

/** Runs a program to its end. */
export async function outcomeOf(
  program: string,
  words: readonly string[],
  { cwd = EXAMPLES, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ORCH_APISERVER, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  try {
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, output: out + err };
  } catch (error) {
    return { code: undefined, output: String(error) };
  }
}
