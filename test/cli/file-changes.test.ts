import { mkdir, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onFileChange } from '../../src/cli/serve/file-changes.js';

let folder = '';
let file = '';
let end: () => void = () => undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-changes-'));
  file = join(folder, 'watched');
  await writeFile(file, 'one');
});
afterEach(async () => {
  end();
  await rm(folder, { recursive: true, force: true });
});

/** Callbacks that can be awaited. */
function watching(path = file): { readonly count: () => number; readonly next: () => Promise<void> } {
  let count = 0;
  let reported = (): void => undefined;
  let next = new Promise<void>((resolve) => (reported = resolve));
  end = onFileChange(path, () => {
    count += 1;
    reported();
  });
  return {
    count: () => count,
    next() {
      next = new Promise<void>((resolve) => (reported = resolve));
      return next;
    },
  };
}

describe('a watched file', () => {
  it('counts as changed at the start', () => {
    expect(watching().count()).toBe(1);
  });

  it.each<[string, () => Promise<void>]>([
    ['written', () => writeFile(file, 'two')],
    ['replaced', async () => writeFile(`${file}.new`, 'two').then(() => rename(`${file}.new`, file))],
    ['deleted', () => unlink(file)],
    ['in a directory that is a link to another', () => mkdir(join(folder, '..data'))],
  ])('is reported when it is %s', async (_name, change) => {
    const { next } = watching();
    const reported = next();
    await change();
    await reported;
  });

  it('is reported when it exists again after it was removed', async () => {
    const { next } = watching();
    let reported = next();
    await unlink(file);
    await reported;
    reported = next();
    await writeFile(file, 'two');
    await reported;
  });

  it('is not reported when its neighbours change', async () => {
    const { count, next } = watching();
    const reported = next();
    await writeFile(join(folder, 'neighbour'), 'x');
    // Later changes are reported later, and moving a file causes one report.
    await rename(join(folder, 'neighbour'), file);
    await reported;
    expect(count()).toBe(2);
  });

  it('is not reported after the end', async () => {
    const { count } = watching();
    end();
    end();
    await writeFile(file, 'two');
    const { next } = watching();
    const reported = next();
    await writeFile(file, 'three');
    await reported;
    expect(count()).toBe(1);
  });

  it('may be missing, as may its directory', () => {
    expect(watching(join(folder, 'none', 'file')).count()).toBe(1);
  });
});
