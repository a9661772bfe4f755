import type { nodeV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** RuntimeClass of version v1. */
export const RuntimeClass = builtinKind<nodeV1.RuntimeClass>('node.v1.RuntimeClass', {
  load: () => import('./runtime-class.js').then((m) => m.runtimeClassBehaviour),
});

/** An object of the kind {@link RuntimeClass}. */
export type RuntimeClass = nodeV1.RuntimeClass;
