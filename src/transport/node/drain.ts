import { isGone } from './gone.js';
import type { NodeResponse } from './peer.js';

/** Waits until the client has taken what was written. False when it went away instead. */
export function drained(response: NodeResponse): Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onDrain = (): void => {
      response.off('close', onClose);
      resolve(true);
    };
    const onClose = (): void => {
      response.off('drain', onDrain);
      resolve(false);
    };
    response.once('drain', onDrain).once('close', onClose);
  });
}
