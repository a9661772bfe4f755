import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Whether a child process runs. */
export const isRunning = (child: ChildProcess | undefined): child is ChildProcess =>
  child !== undefined && child.exitCode === null && child.signalCode === null;

/** Returns the number of a child process. @throws Error when it does not run. @param name for the message */
export function pidOf(child: ChildProcess | undefined, name: string): number {
  if (!isRunning(child) || child.pid === undefined) throw new Error(`${name} does not run`);
  return child.pid;
}

/** Resolves when a child process has ended. */
export async function exitOf(child: ChildProcess | undefined): Promise<void> {
  if (isRunning(child)) await once(child, 'exit');
}
