import type { DecodeLimits } from '../codec/index.js';
import { defaultDecodeLimits } from '../codec/codec.js';

/**
 * Limits of request bodies. The maximum depth is below that of the parsers: many recursive functions walk a stored
 * object, and each must handle the deepest object without exhausting the stack.
 */
export const bodyDecodeLimits: DecodeLimits = { ...defaultDecodeLimits, maxDepth: 1000 };
