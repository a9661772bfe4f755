import type { DecodeLimits } from '../codec/index.js';
import { defaultDecodeLimits } from '../codec/codec.js';

/**
 * What the bodies of requests may hold. They may nest less deeply than the parsers could read: what is stored goes through
 * many walkers, and each must come back from the deepest object with stack to spare.
 */
export const bodyDecodeLimits: DecodeLimits = { ...defaultDecodeLimits, maxDepth: 1000 };
