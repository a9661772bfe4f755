import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const IN_THE_REPOSITORY = fileURLToPath(new URL('recordings', import.meta.url));

/**
 * The directory of the recorded conversations: `GOLDEN_DIR`, or `recordings` beside this file.
 *
 * @throws Error when it has no recordings
 */
export function recordingsDirectory(): string {
  const directory = process.env['GOLDEN_DIR'] ?? IN_THE_REPOSITORY;
  if (!existsSync(`${directory}/replay.mjs`)) throw new Error(`${directory} has no recordings`);
  return directory;
}
