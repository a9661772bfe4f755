import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { readText } from './files.js';

/** The token of a server's owner, as this program makes it and writes it. */
const TOKEN_LINE = /^ *token: "?([0-9a-f]{64})"?$/m;

/**
 * The token of the owner in the kubeconfig of an earlier run, so that copies of it stay good. A file that others could have
 * read or written is not gone by, and neither is what this program did not write: there is a new token then. So there is
 * when somebody removes the file.
 */
export async function keptOwnerToken(path: string): Promise<string | undefined> {
  try {
    return path !== '' && isPrivate(await stat(path)) ? TOKEN_LINE.exec(await readText(path))?.[1] : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file is its owner's alone, and that is who runs this program. A system without such owners keeps nothing to itself. */
function isPrivate(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o077) === 0 && stats.uid === userInfo().uid;
}
