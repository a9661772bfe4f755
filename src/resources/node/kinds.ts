import { builtinKind } from '../builtin-kind.js';
import type { nodeV1 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** RuntimeClass of version v1. */
export const RuntimeClass = builtinKind<nodeV1.RuntimeClass>('node.v1.RuntimeClass', { load: plain });
