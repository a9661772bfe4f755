import type { coreV1 } from '../../../types/index.js';
import { builtinKind } from '../../builtin-kind.js';

/** A machine that runs pods. */
export const Node = builtinKind<coreV1.Node>('core.v1.Node', {
  load: () => import('./behaviour.js').then((module) => module.nodeBehaviour),
});

/** An object of the kind {@link Node}. */
export type Node = coreV1.Node;
