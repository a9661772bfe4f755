import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepCompiledCode } from '../../src/cli/compiled-code.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Returns the folder in which code is kept; undefined for none. */
function keptIn(of: () => string = () => home): unknown {
  const enableCompileCache = vi.fn();
  keepCompiledCode({ enableCompileCache }, of);
  return enableCompileCache.mock.lastCall?.[0];
}

it("keeps compiled code in a folder of the program among the user's caches, which only the user can use", () => {
  const folder = String(keptIn());
  expect(folder.slice(home.length)).toMatch(/^.+orch-apiserver.compiled$/);
  if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(keptIn()).toBe(folder);
});

it.skipIf(process.platform === 'win32')('keeps none where another user could change it', () => {
  const folder = String(keptIn());
  for (const open of [folder, join(folder, '..'), join(folder, '../..'), home]) {
    const { mode } = statSync(open);
    for (const more of [0o020, 0o002]) {
      chmodSync(open, mode | more);
      expect([open, keptIn()]).toEqual([open, undefined]);
    }
    chmodSync(open, mode);
  }
  expect(keptIn()).toBe(folder);
});

it('starts where the folder cannot be made', () => {
  mkdirSync(join(home, 'ann'));
  const file = join(home, 'ann', 'file');
  writeFileSync(file, '');
  expect(keptIn(() => file)).toBeUndefined();
});

it('starts where Node keeps no compiled code', () => {
  expect(() => keepCompiledCode({}, () => home)).not.toThrow();
});

it('starts for a user who has no home directory', () => {
  expect(
    keptIn(() => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    }),
  ).toBeUndefined();
});
