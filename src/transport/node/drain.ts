import { isGone } from './gone.js';
import type { NodeResponse } from './peer.js';
import type { WritePace } from './write-pace.js';

/** Waits until the client has taken what was written. False when it went away instead. */
export function drained(response: NodeResponse, pace: WritePace | undefined): Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false);
  pace?.blocked();
  return new Promise((resolve) => {
    const settle = (taken: boolean): void => {
      response.off('drain', onDrain).off('close', onClose);
      pace?.flowing();
      resolve(taken);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    response.once('drain', onDrain).once('close', onClose);
  });
}
