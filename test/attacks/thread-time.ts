import { openSync, readSync } from 'node:fs';

/** Time of a thread, in milliseconds. */
export interface ThreadTime {
  /** On a processor. */
  readonly cpuMs: number;
  /** Ready to run, while the machine ran others. */
  readonly delayedMs: number;
}

/**
 * Returns a function that reads the time of a thread; on other systems than Linux one that reads that of this process.
 *
 * @param process `thread-self`, or the id of a process, for its main thread
 */
export function threadTime(process: string): () => ThreadTime {
  let file: number;
  try {
    file = openSync(`/proc/${process}/schedstat`, 'r');
  } catch {
    return processTime;
  }
  const buffer = Buffer.alloc(128);
  let last: ThreadTime = { cpuMs: 0, delayedMs: 0 };
  return () => {
    try {
      const [cpu = 0, delayed = 0] = buffer
        .toString('latin1', 0, readSync(file, buffer, 0, 128, 0))
        .split(' ')
        .map(Number);
      last = { cpuMs: cpu / 1e6, delayedMs: delayed / 1e6 };
    } catch {
      // The process has ended.
    }
    return last;
  };
}

function processTime(): ThreadTime {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, delayedMs: 0 };
}

/** Returns a function that tells the time since this call, without that in which a thread waited for the machine. */
export function timeWithoutDelays(time: () => ThreadTime): () => number {
  const began = performance.now();
  const { delayedMs } = time();
  return () => performance.now() - began - (time().delayedMs - delayedMs);
}
