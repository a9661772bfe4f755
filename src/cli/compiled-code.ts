import { mkdirSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { platform, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** The part of `node:module` that keeps compiled code; Node has it since 22.1. */
export interface CodeCache {
  readonly enableCompileCache?: ((directory: string) => unknown) | undefined;
}

/** Folder of a user's caches, below the home directory; `.cache` on systems that are not named. */
const CACHES: Partial<Record<NodeJS.Platform, string>> = { darwin: 'Library/Caches', win32: 'AppData/Local' };

/**
 * Lets Node keep the compiled code of modules that are loaded from now on, so that the next start of the program need not
 * compile them again. Node writes it when the process ends, and ignores files that do not match the source or its own
 * version. Where Node cannot keep it, or the user has chosen otherwise with `NODE_DISABLE_COMPILE_CACHE` or
 * `NODE_COMPILE_CACHE`, nothing changes. Whoever can write the files can change the code of this process, so nothing is kept
 * where another user can write the folder, or one above it up to the home directory.
 *
 * @param home returns the home directory of the user of the process. An environment variable could name that of another
 *   user.
 */
export function keepCompiledCode(
  cache: CodeCache = nodeModule as CodeCache,
  home: () => string = () => userInfo().homedir,
): void {
  if (cache.enableCompileCache === undefined) return;
  const directory = privateDirectory(home);
  if (directory !== undefined) cache.enableCompileCache(directory);
}

/**
 * Returns the folder, which is made if needed; undefined where it cannot be, where another user can write it, and for a user
 * without an entry in the system's list, as in some containers.
 */
function privateDirectory(home: () => string): string | undefined {
  try {
    const top = home();
    const directory = join(top, CACHES[platform()] ?? '.cache', 'orch-apiserver', 'compiled');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (let folder = directory; ; folder = dirname(folder)) {
      if (!isOwn(folder)) return undefined;
      if (folder === top || folder === dirname(folder)) return directory;
    }
  } catch {
    return undefined;
  }
}

/** Returns whether only the user of the process can write a folder; true on systems without file owners. */
function isOwn(folder: string): boolean {
  const user = process.geteuid?.();
  const { uid, mode } = statSync(folder);
  return user === undefined || (uid === user && (mode & 0o022) === 0);
}
