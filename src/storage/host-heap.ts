/**
 * Shares of the memory of this process.
 *
 * @module
 */
import { hostModule } from '../foundation/index.js';

/** Assumed heap limit when the host does not report one. An ordinary heap limit is 1 GiB or more. */
const HEAP_BYTES_WITHOUT_HOST = 1024 * 1024 * 1024;

/** Returns a share of the host's heap limit, in bytes. */
export function heapShare(share: number): number {
  return Math.floor((hostHeapLimit() ?? HEAP_BYTES_WITHOUT_HOST) * share);
}

/**
 * Bytes outside of the heap whose allocation makes V8 start a collection: it does when they have grown by 64 MiB since the
 * last one.
 */
const NUDGE_BYTES = 72 * 1024 * 1024;

/**
 * Asks the host to collect garbage and to give the freed memory back to the system. V8 marks in steps between other work,
 * so nobody waits for it longer than for any other collection.
 *
 * @returns whether the host was asked
 */
export function askForCollection(): boolean {
  if (hostHeapLimit() === undefined) return false;
  try {
    // It becomes garbage at once. The system never finds pages for it, because nothing is written to it.
    return new ArrayBuffer(NUDGE_BYTES).byteLength > 0;
  } catch (error) {
    // V8 has already collected garbage in search of room.
    if (error instanceof RangeError) return true;
    throw error;
  }
}

interface HeapModule {
  getHeapStatistics(): { readonly heap_size_limit: number };
}

function isHeapModule(module: unknown): module is HeapModule {
  return (
    typeof module === 'object' &&
    module !== null &&
    'getHeapStatistics' in module &&
    typeof module.getHeapStatistics === 'function'
  );
}

/** Returns the maximum heap size of this process in bytes; undefined on a platform that does not report it. */
function hostHeapLimit(): number | undefined {
  const module = hostModule('node:v8');
  return isHeapModule(module) ? module.getHeapStatistics().heap_size_limit : undefined;
}
