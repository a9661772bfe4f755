/** The selection of the store of a command, and of its dialect. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { command, contentIn, makeStore } from './stores.js';
import { DATA_FOLDER } from '../support/data-folder.js';

const before = process.cwd();
let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(DATA_FOLDER, 'cli-dialect-'));
  process.chdir(directory);
});
afterEach(async () => {
  process.chdir(before);
  await rm(directory, { recursive: true });
});

const ORCH = '.orch/data/orch';
const KUBERNETES = '.orch/data/kubernetes';
const BOTH = `orch-apiserver: there are 2 stores, ${ORCH}/store.db and ${KUBERNETES}/store.db: choose one with --dialect or --data-dir\n`;

const commands: readonly [name: string, words: readonly string[]][] = [
  ['backup', ['--to=a.backup', '--force']],
  ['check', []],
  ['compact', []],
];

describe.each(commands)('%s', (name, words) => {
  it.each([ORCH, KUBERNETES])('finds the only existing store: %s', async (place) => {
    await makeStore(place, 2, place.split('/').at(-1));
    const { code, out } = await command([name, ...words]);
    expect([code, out.includes(`${place}/store.db`)]).toEqual([0, true]);
  });

  it('lists both stores if there are two, and uses the selected one', async () => {
    await makeStore(ORCH, 1);
    await makeStore(KUBERNETES, 2, 'kubernetes');
    expect(await command([name, ...words])).toEqual({ code: 2, out: '', err: expect.stringContaining(BOTH) as string });
    for (const choice of ['--dialect=kubernetes', `--data-dir=${KUBERNETES}`]) {
      const { code, out } = await command([name, ...words, choice]);
      expect([code, out.includes(`${KUBERNETES}/store.db`)]).toEqual([0, true]);
    }
  });

  it('rejects a dialect that contradicts the store', async () => {
    await makeStore('data', 1, 'kubernetes');
    const contents = await contentIn('data');
    const { code, out, err } = await command([name, ...words, '--data-dir=data', '--dialect=orch']);
    expect([code, `${out}${err}`]).toEqual([
      1,
      expect.stringMatching(
        /--dialect orch: .* is of the dialect kubernetes; omit the flag, or choose another location/,
      ),
    ]);
    expect([existsSync('a.backup'), await contentIn('data')]).toEqual([false, contents]);
    expect((await command([name, ...words, '--data-dir=data', '--dialect=kubernetes'])).code).toBe(0);
  });

  it('reports both the directory and the cluster if both are given', async () => {
    for (const engine of ['sqlite', 'etcd']) {
      const { code, err } = await command([
        name,
        ...words,
        `--storage=${engine}`,
        '--data-dir=data',
        '--etcd-servers=http://127.0.0.1:1,http://127.0.0.1:2',
      ]);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(
          '--data-dir data and --etcd-servers http://127.0.0.1:1,http://127.0.0.1:2 are two stores: specify only one of them',
        ),
      ]);
    }
  });
});

describe('restore', () => {
  beforeEach(async () => {
    await makeStore('source', 2, 'kubernetes');
    expect((await command(['backup', '--data-dir=source', '--to=a.backup', '--force'])).code).toBe(0);
  });

  it("creates the store where a server of the backup's dialect looks for it", async () => {
    const { code, out } = await command(['restore', '--from=a.backup']);
    expect([code, out.includes(`${KUBERNETES}/store.db`), existsSync(ORCH)]).toEqual([0, true, false]);
    expect(await contentIn(KUBERNETES)).toEqual(await contentIn('source'));
  });

  it.each([[[]], [['--data-dir=target']]])(
    'rejects a dialect that contradicts the backup, and creates nothing (%j)',
    async (words) => {
      expect(await command(['restore', '--from=a.backup', '--dialect=orch', ...words])).toEqual({
        code: 1,
        out: '',
        err: 'orch-apiserver: --dialect orch: the backup a.backup is of the dialect kubernetes; omit the flag, or choose another location\n',
      });
      expect([existsSync('.orch'), existsSync('target/store.db')]).toEqual([false, false]);
    },
  );

  it('requires a path for a store of an unknown dialect', async () => {
    await makeStore('strange', 1, '../../etc');
    await command(['backup', '--data-dir=strange', '--to=a.backup', '--force']);
    const { code, err } = await command(['restore', '--from=a.backup']);
    expect([code, err]).toEqual([
      1,
      'orch-apiserver: --from: the backup a.backup has the dialect ../../etc, for which this program has no default directory: set --data-dir\n',
    ]);
  });

  it('rejects a file that is no backup', async () => {
    await writeFile('b.backup', 'nonsense\n');
    expect(await command(['restore', '--from=b.backup'])).toMatchObject({
      code: 1,
      err: 'orch-apiserver: --from: b.backup cannot be restored: it is not a backup of this program\n',
    });
  });
});

describe('copy', () => {
  it('keeps the dialect', async () => {
    await makeStore('source', 2, 'kubernetes');
    expect((await command(['copy', '--from=sqlite:source', '--to=sqlite:target'])).code).toBe(0);
    expect((await command(['check', '--data-dir=target', '--dialect=kubernetes'])).code).toBe(0);
  });
});
