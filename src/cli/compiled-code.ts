import * as nodeModule from 'node:module';
import { platform, userInfo } from 'node:os';
import { join } from 'node:path';

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
 * `NODE_COMPILE_CACHE`, nothing changes.
 *
 * @param home returns the home directory of the user of the process. An environment variable could name the folder of
 *   another user, who could then change the code of this process.
 */
export function keepCompiledCode(
  cache: CodeCache = nodeModule as CodeCache,
  home: () => string = () => userInfo().homedir,
): void {
  const directory = cacheDirectory(home);
  if (directory !== undefined) cache.enableCompileCache?.(directory);
}

/** Returns undefined for a user without an entry in the system's list, as in some containers. */
function cacheDirectory(home: () => string): string | undefined {
  try {
    return join(home(), CACHES[platform()] ?? '.cache', 'orch-apiserver', 'compiled');
  } catch {
    return undefined;
  }
}
