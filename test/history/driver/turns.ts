import { nextTurn } from '../../../src/foundation/index.js';

/** Lets the event loop turn that often. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}
