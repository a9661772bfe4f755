import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BESIDE_THE_REPOSITORY = fileURLToPath(new URL('../../../../shared/golden', import.meta.url));

/**
 * The directory of the recorded conversations: `GOLDEN_DIR`, or `../shared/golden` beside the repository; undefined if
 * it does not exist.
 */
export function recordingsDirectory(): string | undefined {
  const directory = process.env['GOLDEN_DIR'] ?? BESIDE_THE_REPOSITORY;
  return existsSync(`${directory}/replay.mjs`) ? directory : undefined;
}
