import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { encodeHex, shareTurn, systemEntropy, type JsonObject } from '../../foundation/index.js';
import {
  headLine,
  readHead,
  readLine,
  readTail,
  tailLine,
  type SavedState,
  type StateRecord,
  type StateWrite,
} from './format.js';
import type { GatheredState } from './gather.js';

/** End of the names of the files. */
const SUFFIX = '.state';
/** Longest part of a test's name in that of its file. */
const LONGEST_NAME = 60;
/** Length of a write to the file, in bytes. */
const CHUNK = 256 * 1024;
/** Lines between two looks at the time. */
const STEPS = 32;

/**
 * Returns the folder of the files, if no other is given: in `node_modules`, which is in no version control and which all
 * tests of a project share; in a project without it, a temporary folder.
 */
export function defaultFolder(): string {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    if (existsSync(modules)) return join(modules, '.cache', 'orch-apiserver');
    if (folder === dirname(folder)) return join(tmpdir(), `orch-apiserver-${process.getuid?.() ?? 'states'}`);
  }
}

/** Writes a state to a new file, which only the user may read: it has the Secrets of the test. @returns its path */
export async function writeState(folder: string, { head, lines }: GatheredState): Promise<string> {
  const words = head.test.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const name = words.slice(0, LONGEST_NAME).replaceAll(/^-+|-+$/g, '') || 'test';
  const path = join(folder, `${name}-${encodeHex(systemEntropy.bytes(4))}${SUFFIX}`);
  const temporary = `${path}.incomplete`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(temporary, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let chunk = headLine(head);
    const flush = async (): Promise<void> => {
      hash.update(chunk);
      await file.appendFile(chunk);
      chunk = '';
    };
    for (const line of lines) {
      chunk += line;
      if (chunk.length >= CHUNK) await flush();
    }
    await flush();
    await file.appendFile(tailLine(lines.length, hash.digest('hex')));
    await file.close();
    await rename(temporary, path);
    return path;
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes the oldest files of a folder beyond a number. Other processes may do so, too. */
export async function pruneStates(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
  if (names.length <= keep) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      // Another process may have removed it.
      const { mtimeMs = 0 } = (await stat(path).catch(() => undefined)) ?? {};
      return { path, time: mtimeMs };
    }),
  );
  const oldest = files.sort((a, b) => b.time - a.time).slice(keep);
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
}

/** Reads a file, and checks that it is whole. @throws Error that says what is wrong with it */
export async function readState(path: string): Promise<SavedState> {
  const text = await readFile(path, 'latin1');
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const tail = readTail(text.slice(end));
  const head = readHead(text.slice(0, Math.max(0, text.indexOf('\n'))));
  if (tail === undefined || !text.endsWith('\n')) throw new Error('it ends early: its last line is missing');
  if (createHash('sha256').update(text.slice(0, end), 'latin1').digest('hex') !== tail.sha256)
    throw new Error('it is damaged: its checksum does not match');
  const records: StateRecord[] = [];
  const writes: StateWrite[] = [];
  const requests: JsonObject[] = [];
  let count = 0;
  for (const line of text.slice(text.indexOf('\n') + 1, end).split('\n')) {
    if (line === '') continue;
    const read = readLine(line);
    if ('record' in read) records.push(read.record);
    else if ('write' in read) writes.push(read.write);
    else requests.push(read.request);
    count += 1;
    if (count % STEPS === 0) await shareTurn();
  }
  if (count !== tail.lines) throw new Error('it is damaged: some of its lines are missing');
  return { head, records, writes, requests };
}
