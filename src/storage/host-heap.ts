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
