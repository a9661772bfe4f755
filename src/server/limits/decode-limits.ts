import { defaultDecodeLimits, type DecodeLimits } from '../codec/codec.js';
import type { ServerLimits } from './server-limits.js';

/**
 * Returns the limits of request bodies. The maximum depth is below that of the parsers: many recursive functions walk a
 * stored object, and each must handle the deepest object without exhausting the stack.
 */
export function bodyDecodeLimits({ bodyContainers }: Pick<ServerLimits, 'bodyContainers'>): DecodeLimits {
  return { ...defaultDecodeLimits, maxDepth: 1000, maxContainers: bodyContainers };
}
