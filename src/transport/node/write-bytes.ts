import type { Duplex } from 'node:stream';

/**
 * Writes bytes to a connection that belongs to another protocol.
 *
 * @returns undefined when it can take more at once, and when it has ended, which drops the bytes; otherwise a promise that
 *   resolves when it can, or ends
 */
export function writeBytes(connection: Duplex, bytes: Uint8Array): Promise<void> | undefined {
  if (!connection.writable || connection.write(bytes)) return undefined;
  return new Promise((resolve) => {
    const settle = (): void => {
      connection.off('drain', settle).off('close', settle);
      resolve();
    };
    connection.once('drain', settle).once('close', settle);
  });
}
