import { fstatSync } from 'node:fs';
import type { Clock, Timer } from '../foundation/index.js';

/** Time between two checks of the parent, in milliseconds. */
const CHECK_MS = 500;
const STDIN = 0;

/**
 * Watches the parent process: it has ended when the pipe at stdin closes, or when the process has another parent. A
 * stdin that is not a pipe, such as a terminal or `/dev/null`, is not read.
 *
 * @param ended called once
 * @returns a function that ends the watch
 */
export function watchParent(clock: Clock, ended: () => void): () => void {
  const parent = process.ppid;
  const { stdin } = process;
  const piped = isPipe();
  let timer: Timer | undefined;
  const forget = (): void => {
    timer?.cancel();
    if (!piped) return;
    stdin.off('end', end).off('close', end).off('error', end);
    stdin.destroy();
  };
  const end = (): void => {
    forget();
    ended();
  };
  const check = (): void => {
    if (process.ppid !== parent) end();
    else timer = clock.after(CHECK_MS, check);
  };
  check();
  // The output of the parent is discarded.
  if (piped) stdin.on('end', end).on('close', end).on('error', end).resume();
  return forget;
}

function isPipe(): boolean {
  try {
    const stat = fstatSync(STDIN);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    // There is no stdin.
    return false;
  }
}
