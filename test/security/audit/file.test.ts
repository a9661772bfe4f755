import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { auditFile, type AuditFile, type AuditFileOptions } from '../../../src/transport/node/index.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Size of a line in the tests, in bytes, and the size in megabytes at which two of them fit. */
const LINE = `${'x'.repeat(511)}\n`;
const TWO_LINES = 1024 / 2 ** 20;

let folder: string;
let clock: ManualClock;
let file: AuditFile | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-file-'));
  clock = createManualClock();
});
afterEach(async () => {
  await file?.close();
  file = undefined;
  await rm(folder, { recursive: true });
});

const open = (options: Partial<AuditFileOptions> = {}): AuditFile =>
  (file = auditFile({ path: join(folder, 'audit.log'), clock, ...options }));
const names = async (): Promise<string[]> => (await readdir(folder)).sort();
const content = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

describe('the audit file', () => {
  test('is appended to, in a new folder, for its owner only', async () => {
    const path = join(folder, 'deep', 'er', 'audit.log');
    open({ path }).write('one\n');
    await file?.close();
    open({ path }).write('two\n');
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('is rotated before it becomes too large; lines are never split', async () => {
    const log = open({ maxSizeMegabytes: TWO_LINES });
    log.write(LINE);
    log.write(LINE);
    expect(await names()).toEqual(['audit.log']);
    log.write('next\n');
    expect(await names()).toEqual(['audit-2024-01-01T00-00-00.000.log', 'audit.log']);
    expect(await content('audit-2024-01-01T00-00-00.000.log')).toBe(LINE + LINE);
    expect(await content('audit.log')).toBe('next\n');
    // A line that is larger than the maximum has a file of its own.
    log.write(LINE.repeat(5));
    log.write('last\n');
    expect((await names()).length).toBe(4);
    expect(await content('audit.log')).toBe('last\n');
  });

  test('counts what was in it before', async () => {
    await writeFile(join(folder, 'audit.log'), LINE + LINE);
    open({ maxSizeMegabytes: TWO_LINES }).write('next\n');
    expect(await content('audit.log')).toBe('next\n');
  });

  test('keeps a number of old files, the newest', async () => {
    const log = open({ maxBackups: 2 });
    for (const day of [1, 2, 3, 4]) {
      log.write(`${day}\n`);
      log.rotate();
      await clock.advance(DAY_MS);
    }
    await log.tidied();
    expect(await names()).toEqual([
      'audit-2024-01-03T00-00-00.000.log',
      'audit-2024-01-04T00-00-00.000.log',
      'audit.log',
    ]);
  });

  test('keeps old files for a time, and touches no other file', async () => {
    await writeFile(join(folder, 'audit-notes.log'), '');
    await writeFile(join(folder, 'audit-2020-01-01T00-00-00.000.txt'), '');
    await writeFile(join(folder, 'other-2020-01-01T00-00-00.000.log'), '');
    await writeFile(join(folder, 'audit-2020-01-01T00-00-00.000.log.gz'), '');
    const log = open({ maxAge: '48h' });
    log.rotate();
    await clock.advance(3 * DAY_MS);
    log.rotate();
    await log.tidied();
    expect(await names()).toEqual([
      'audit-2020-01-01T00-00-00.000.txt',
      'audit-2024-01-04T00-00-00.000.log',
      'audit-notes.log',
      'audit.log',
      'other-2020-01-01T00-00-00.000.log',
    ]);
  });

  test('compresses old files, also those of an earlier run', async () => {
    await writeFile(join(folder, 'audit-2023-12-31T00-00-00.000.log'), 'earlier\n');
    const log = open({ compress: true });
    log.write('now\n');
    log.rotate();
    log.rotate();
    await log.tidied();
    expect(await names()).toEqual([
      'audit-2023-12-31T00-00-00.000.log.gz',
      'audit-2024-01-01T00-00-00.000.log.gz',
      'audit-2024-01-01T00-00-00.001.log.gz',
      'audit.log',
    ]);
    const zipped = await readFile(join(folder, 'audit-2024-01-01T00-00-00.000.log.gz'));
    expect(gunzipSync(zipped).toString()).toBe('now\n');
    expect((await stat(join(folder, 'audit-2024-01-01T00-00-00.000.log.gz'))).mode & 0o777).toBe(0o600);
  });

  test('is opened again after a rotation that failed', async () => {
    const log = open({ path: join(folder, 'sub', 'audit.log') });
    await rm(join(folder, 'sub'), { recursive: true });
    expect(() => log.rotate()).toThrow(/ENOENT/);
    expect(() => log.write('lost\n')).toThrow(/ENOENT/);
    await mkdir(join(folder, 'sub'));
    log.write('back\n');
    expect(await readFile(join(folder, 'sub', 'audit.log'), 'utf8')).toBe('back\n');
  });

  test.each<[string, object, string]>([
    ['no path', {}, 'the option path is required'],
    ['an unknown option', { path: 'x', maxage: 1 }, 'unknown option "maxage"'],
    ['a wrong size', { path: 'x', maxSizeMegabytes: 0 }, 'maxSizeMegabytes'],
  ])('refuses %s', (_, options, message) => {
    expect(() => auditFile(options as AuditFileOptions)).toThrow(message);
  });
});
