import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What a folder holds whose content is replaced as a whole: its files are links through links with such names. */
const HIDDEN_LINK = '..';

/**
 * Calls back when a file may have changed, and once at the beginning, for what has happened to it since it was read.
 *
 * The folder is watched and not the file, so that a file which is replaced by another of its name is noticed, and one that is
 * a link to what is replaced. Where the system cannot watch, nothing is called back after the beginning; whoever must know looks
 * from time to time. Does not keep the process alive.
 *
 * @returns what ends it
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
