import { hostModule } from './host-module.js';

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
export function hostHeapLimit(): number | undefined {
  const module = hostModule('node:v8');
  return isHeapModule(module) ? module.getHeapStatistics().heap_size_limit : undefined;
}
