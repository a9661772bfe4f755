import { isGone } from '../gone.js';
import type { NodeResponse } from '../peer.js';
import type { WritePace } from '../responses/write-pace.js';

/** Waits until the client has read the written data. Resolves to false when it disconnects instead. */
export function drained(response: NodeResponse, pace: WritePace | undefined): Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false);
  pace?.blocked();
  return new Promise((resolve) => {
    const settle = (drained: boolean): void => {
      response.off('drain', onDrain).off('close', onClose);
      pace?.flowing();
      resolve(drained);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    response.once('drain', onDrain).once('close', onClose);
  });
}
