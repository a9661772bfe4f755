import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DATA_FOLDER } from '../../support/data-folder.js';

/** A directory for the files of a test, removed at its end. */
export function storeDirectory(): string {
  const directory = mkdtempSync(join(DATA_FOLDER, 'orch-sqlite-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Copies a store as it is on disk, as after the end of its process. */
export function copyStore(from: string, to: string): void {
  for (const suffix of ['', '-wal']) {
    rmSync(to + suffix, { force: true });
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}
