import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { keepCompiledCode } from '../../src/cli/compiled-code.js';

it("keeps compiled code in a folder of the program among the user's caches", () => {
  const enableCompileCache = vi.fn();
  keepCompiledCode({ enableCompileCache }, () => join('home', 'ann'));
  expect(enableCompileCache).toHaveBeenCalledOnce();
  expect(enableCompileCache.mock.lastCall?.[0]).toMatch(/^home.ann.+orch-apiserver.compiled$/);
});

it('starts where Node keeps no compiled code', () => {
  expect(() => keepCompiledCode({}, () => 'home')).not.toThrow();
});

it('starts for a user who has no home directory', () => {
  const enableCompileCache = vi.fn();
  keepCompiledCode({ enableCompileCache }, () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  });
  expect(enableCompileCache).not.toHaveBeenCalled();
});
