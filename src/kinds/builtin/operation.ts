import type { Behaviour } from './behaviour.js';

/** The behaviour of a virtual kind: a performer of the server fills in its status, and nothing is stored. */
export const operation: { readonly behaviour: Behaviour<never> } = { behaviour: { strategy: {} } };
