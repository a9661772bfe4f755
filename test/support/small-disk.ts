import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FOLDER } from './data-folder.js';

/** Bytes of a disk that is not full. It takes memory only for what it holds. */
const ROOM = 1024 ** 3;
/** Number of times that its size is read and set, beside somebody who writes. */
const ATTEMPTS = 50;

/** A disk of its own, in memory, that a test makes full. Only root of Linux may mount one: {@link canMount}. */
export class SmallDisk {
  /** The folder where it is mounted. */
  readonly path: string;

  /** @param bytes its size */
  constructor(bytes = ROOM) {
    this.path = mkdtempSync(join(DATA_FOLDER, 'orch-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'tmpfs', this.path], { stdio: 'ignore' });
    } catch (error) {
      rmdirSync(this.path);
      throw error;
    }
  }

  /** Takes all free space: whoever needs more gets `ENOSPC`. */
  fill(): void {
    for (let attempt = 1; ; attempt += 1) {
      const { blocks, bfree, bsize } = statfsSync(this.path);
      try {
        this.#resize((blocks - bfree) * bsize);
        return;
      } catch (error) {
        // Whoever writes meanwhile needs more than that.
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Gives free space again. */
  makeRoom(): void {
    this.#resize(ROOM);
  }

  /** Removes it with all that it holds. */
  remove(): void {
    execFileSync('umount', ['-l', this.path], { stdio: 'ignore' });
    rmdirSync(this.path);
  }

  #resize(bytes: number): void {
    execFileSync('mount', ['-o', `remount,size=${bytes}`, this.path], { stdio: 'ignore' });
  }
}

/** Whether this process may mount disks. */
export const canMount = mayMount();

/** Tries to mount a disk: in a container, root may not. */
function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    new SmallDisk(4096).remove();
    return true;
  } catch {
    return false;
  }
}
