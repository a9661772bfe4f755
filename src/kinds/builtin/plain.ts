import type { Behaviour } from './behaviour.js';

/** The behaviour of a kind whose objects are stored as they are sent. */
export const plain = (): Promise<Behaviour<never>> => Promise.resolve({ strategy: {} });
