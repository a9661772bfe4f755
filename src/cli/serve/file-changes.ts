import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Name prefix of the links in a folder that is replaced as a whole, such as a mounted Secret: its files are links
 * through these links.
 */
const HIDDEN_LINK = '..';

/**
 * Calls back when a file may have changed, and once immediately, for changes since it was read.
 *
 * It watches the folder, not the file, to notice a file that is replaced, or that links to a replaced file. If the
 * system cannot watch, only the first call happens, so callers must also poll. The watch does not keep the process
 * alive.
 *
 * @returns a function that stops watching
 */
export function onFileChange(path: string, changed: () => void): () => void {
  const watcher = folderWatcher(dirname(path), (name) => {
    if (name === null || name === basename(path) || name.startsWith(HIDDEN_LINK)) changed();
  });
  changed();
  return () => watcher?.close();
}

function folderWatcher(folder: string, changed: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
