/** `backup` and `restore`. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkArchive } from '../../src/cli/backup/archive-reader.js';
import { ArchiveExistsError, writeArchive } from '../../src/cli/backup/archive-writer.js';
import { DATA_FOLDER } from '../support/data-folder.js';
import { command, contentIn, contentOf, makeStore, mapKey, mapText, openStoreIn } from './stores.js';

let directory = '';
let store = '';
let file = '';
beforeEach(async () => {
  directory = await mkdtemp(join(DATA_FOLDER, 'cli-backup-'));
  [store, file] = [join(directory, 'data'), join(directory, 'a.backup')];
});
afterEach(() => rm(directory, { recursive: true }));

const backup = (...words: string[]) => command(['backup', `--data-dir=${store}`, `--to=${file}`, ...words]);
const restore = (target: string, ...words: string[]) =>
  command(['restore', `--data-dir=${target}`, `--from=${file}`, ...words]);
const linesOf = async (): Promise<Record<string, unknown>[]> =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const digestOfFile = async (): Promise<string> =>
  `sha256:${createHash('sha256')
    .update(await readFile(file))
    .digest('hex')}`;

/** An archive of these lines, with a matching checksum. */
async function writeLines(lines: readonly object[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(
    file,
    `${text}${JSON.stringify({ tail: true, records: lines.length - 1, sha256: createHash('sha256').update(text).digest('hex') })}\n`,
  );
}

describe('a backup', () => {
  it('contains a header, every record and a checksum as lines of JSON, readable by its owner only', async () => {
    await makeStore(store, 2);
    const storage = await openStoreIn(store);
    const { modRevision } = await storage.create(mapKey('ü'), mapText('ü', '\u{1f600}'), { ttl: 3_600_000 });
    const expiresAt = (await storage.expiries()).get(mapKey('ü'));
    await storage.close();
    expect(await backup()).toEqual({
      code: 0,
      err: '',
      out: `wrote 4 records of ${store}/store.db at revision 5 to ${file} (${(await stat(file)).size} bytes)\ndigest ${await digestOfFile()}\n`,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'latin1');
    expect(text).toMatch(/^[\x20-\x7e\n]+$/);
    const lines = await linesOf();
    expect(lines[0]).toEqual({
      format: 'orch-apiserver-backup',
      version: 1,
      revision: 5,
      records: 4,
      createdAt: '2024-01-01T00:00:00.000Z',
    });
    expect(lines.find(({ key }) => key === mapKey('ü'))).toEqual({
      key: mapKey('ü'),
      text: mapText('ü', '\u{1f600}')(modRevision),
      createRevision: 5,
      modRevision: 5,
      expiresAt,
    });
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    expect(lines.at(-1)).toEqual({
      tail: true,
      records: 4,
      sha256: createHash('sha256').update(body, 'latin1').digest('hex'),
    });
  });

  it('is made while the store is open, and is one consistent state', async () => {
    await makeStore(store, 700);
    const storage = await openStoreIn(store);
    const writing = Promise.all(
      Array.from({ length: 200 }, (_, index) => storage.create(mapKey(`w${index}`), mapText(`w${index}`))),
    );
    expect((await backup()).code).toBe(0);
    await writing;
    const content = new Map((await contentOf(storage)).map((record) => [(record as { key: string }).key, record]));
    const [head, ...records] = (await linesOf()).slice(0, -1);
    // Every write up to its revision, and none after it.
    expect(records).toHaveLength(Number(head?.['revision']) - 1);
    for (const { expiresAt: _, ...record } of records) expect(record).toEqual(content.get(String(record['key'])));
    await storage.close();
  });

  it('does not replace a file', async () => {
    await makeStore(store, 1);
    await writeFile(file, 'older');
    expect(await backup()).toEqual({
      code: 1,
      out: '',
      err: `orch-apiserver: --to: ${file} exists: choose another file, or replace it with --force\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('older');
    expect(readdirSync(directory).sort()).toEqual(['a.backup', 'data']);
  });

  it('does not replace a file that is made while it is written', async () => {
    const snapshot = {
      revision: 1,
      count: 0,
      async *batches() {
        await writeFile(file, 'of another process');
        yield [];
      },
    };
    const written = writeArchive(snapshot, file, { createdAt: '2024-01-01T00:00:00Z', replace: false });
    await expect(written).rejects.toThrow(ArchiveExistsError);
    expect(await readFile(file, 'utf8')).toBe('of another process');
    expect(readdirSync(directory)).toEqual(['a.backup']);
  });

  it('replaces an older one as a whole with --force', async () => {
    await makeStore(store, 1);
    await writeFile(file, 'older');
    await writeFile(`${file}.incomplete`, 'left by a process that was killed');
    expect((await backup('--force')).code).toBe(0);
    expect((await linesOf()).at(-1)).toMatchObject({ tail: true });
    expect(readdirSync(directory).sort()).toEqual(['a.backup', 'data']);
  });

  it.each<
    [
      words: (it: { store: string; file: string }) => string[],
      code: number,
      line: (it: { store: string; file: string }) => string,
    ]
  >([
    [() => [], 2, () => '--to must be specified: the file to which the backup is written'],
    [
      (at) => [`--to=${at.file}`, '--storage=memory'],
      2,
      () => '--storage memory: only the server itself can access a store in memory',
    ],
    [
      (at) => [`--to=${at.file}`, `--data-dir=${at.store}`],
      1,
      (at) => `--data-dir: the store ${at.store}/store.db does not exist`,
    ],
  ])('requires an existing store (%#)', async (words, code, line) => {
    expect(await command(['backup', ...words({ store, file })])).toEqual({
      code,
      out: '',
      err: `orch-apiserver: ${line({ store, file })}\n`,
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('reports that it cannot be written, and leaves nothing', async () => {
    await makeStore(store, 1);
    await writeFile(join(directory, 'file'), '');
    const { code, err } = await command(['backup', `--data-dir=${store}`, `--to=${directory}/file/a.backup`]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `orch-apiserver: --to: file already exists, mkdir '${directory}/file'\n`,
    });
  });
});

describe('a restored store', () => {
  it('equals the backed-up store: keys, texts, revisions and times', async () => {
    await makeStore(store, 600);
    const storage = await openStoreIn(store);
    await storage.update(mapKey('m1'), mapText('m1', 'new'), 4, { ttl: 3_600_000 });
    await storage.delete(mapKey('m2'), mapText('m2'), 5);
    const [content, expiries] = [await contentOf(storage), await storage.expiries()];
    await storage.close();
    await backup();
    const target = join(directory, 'restored');
    expect(await restore(target)).toEqual({
      code: 0,
      err: '',
      out: `restored 600 records at revision 604 of 2024-01-01T00:00:00.000Z to ${target}/store.db\n`,
    });
    const restored = await openStoreIn(target);
    expect([await contentOf(restored), await restored.expiries()]).toEqual([content, expiries]);
    expect((await restored.create('/registry/next', () => '{}')).modRevision).toBe(605);
    await restored.close();
  });

  it('may skip revisions that were written since', async () => {
    await makeStore(store, 2);
    await backup();
    const target = join(directory, 'restored');
    expect((await restore(target, '--bump-revision=5000')).code).toBe(0);
    const restored = await openStoreIn(target);
    expect([await restored.currentRevision(), await restored.compactedRevision()]).toEqual([5_004, 5_004]);
    await restored.close();
  });

  it('does not replace another one', async () => {
    await makeStore(store, 3);
    await backup();
    const before = await contentIn(store);
    const { code, err } = await restore(store);
    expect({ code, err }).toEqual({
      code: 1,
      err: `orch-apiserver: --data-dir: ${store}/store.db already contains a store, which is left unchanged: move it away or choose another path\n`,
    });
    expect(await contentIn(store)).toEqual(before);
  });
});

describe('an incomplete backup is rejected, and nothing is written', () => {
  const head = {
    format: 'orch-apiserver-backup',
    version: 1,
    revision: 5,
    records: 1,
    createdAt: '2024-01-01T00:00:00Z',
  };
  const record = { key: '/registry/a', text: '{}', createRevision: 2, modRevision: 2 };

  it.each<[what: string, damage: () => Promise<void>, message: string]>([
    ['that is empty', () => writeFile(file, ''), 'it is empty'],
    ['in another format', () => writeFile(file, '{"kind":"List"}\n'), 'it is not a backup of this program'],
    ['that is binary', () => writeFile(file, Buffer.from([0, 1, 2, 10, 255])), 'it is not a backup of this program'],
    [
      'of a later version',
      () => writeLines([{ ...head, version: 2 }]),
      'it is a backup of version 2; this program supports version 1',
    ],
    ['with a damaged header', () => writeLines([{ ...head, revision: 'x' }]), 'its first line is damaged'],
    ['with an invalid record', () => writeLines([head, record, { key: 1 }]), 'it is damaged in line 3'],
    [
      'with a line that is not JSON',
      async () => writeFile(file, `${JSON.stringify(head)}\nnonsense\n`),
      'it is damaged in line 2',
    ],
    [
      'without its end',
      async () => writeFile(file, `${JSON.stringify(head)}\n${JSON.stringify(record)}\n`),
      'it ends early: its last line is missing',
    ],
    [
      'with data after its end',
      async () => {
        await writeLines([head, record]);
        await writeFile(file, `${await readFile(file, 'utf8')}{}\n`);
      },
      'it continues after its end, in line 4',
    ],
    ['that does not exist', async () => undefined, `no such file or directory, open '`],
  ])('one %s', async (_what, damage, message) => {
    await damage();
    const { code, out, err } = await restore(join(directory, 'restored'));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`orch-apiserver: --from: ${file} cannot be restored: ${message}`);
    expect(readdirSync(directory)).not.toContain('restored');
  });

  it('one with any byte changed, or truncated anywhere', { timeout: 300_000 }, async () => {
    await makeStore(store, 3);
    await backup();
    const whole = await readFile(file);
    const target = join(directory, 'restored');
    for (let at = 0; at < whole.length; at += 7) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file, changed);
      expect([at, (await restore(target)).code]).toEqual([at, 1]);
      await writeFile(file, whole.subarray(0, at));
      expect([at, (await restore(target)).code]).toEqual([at, 1]);
    }
    expect(readdirSync(directory)).not.toContain('restored');
    await writeFile(file, whole);
    expect((await restore(target)).code).toBe(0);
  });
});

describe('the expected digest of a backup', () => {
  it('is what backup has printed', async () => {
    await makeStore(store, 3);
    const digest = /^digest (.*)$/m.exec((await backup()).out)?.[1] ?? '';
    const target = join(directory, 'restored');
    expect(await restore(target, `--expect-digest=${digest.toUpperCase().replace('SHA256', 'sha256')}`)).toMatchObject({
      code: 0,
      err: '',
    });
    expect(await contentIn(target)).toEqual(await contentIn(store));
  });

  it('refuses another valid backup, and nothing is written', async () => {
    await makeStore(store, 3);
    const expected = /^digest (.*)$/m.exec((await backup()).out)?.[1] ?? '';
    // Whoever changes a backup can also change its checksum.
    const [head, ...records] = (await linesOf()).slice(0, -1);
    await writeLines([head ?? {}, ...records.map((record) => ({ ...record, text: String(record['text']) + ' ' }))]);
    const target = join(directory, 'restored');
    expect(await restore(target, `--expect-digest=${expected}`)).toEqual({
      code: 1,
      out: '',
      err: `orch-apiserver: --from: ${file} cannot be restored: its digest is ${await digestOfFile()}, not ${expected}\n`,
    });
    expect(readdirSync(directory)).not.toContain('restored');
    expect((await restore(target)).code).toBe(0);
  });

  it('also holds for what is read again to be written', async () => {
    await makeStore(store, 600);
    const expected = /^digest (.*)$/m.exec((await backup()).out)?.[1] ?? '';
    const archive = await checkArchive(file, expected);
    const [head, ...records] = (await linesOf()).slice(0, -1);
    await writeLines([head ?? {}, ...records.map((record) => ({ ...record, text: '{}' }))]);
    const read = async (): Promise<void> => {
      for await (const _ of archive.batches());
    };
    await expect(read()).rejects.toThrow(`its digest is ${await digestOfFile()}, not ${expected}`);
  });

  it.each(['sha256:12', 'a'.repeat(64), `sha512:${'a'.repeat(64)}`, `sha256:${'g'.repeat(64)}`])(
    'is refused as %s',
    async (digest) => {
      expect(await restore(join(directory, 'restored'), `--expect-digest=${digest}`)).toEqual({
        code: 2,
        out: '',
        err: `orch-apiserver: invalid argument "${digest}" for "--expect-digest" flag: must be sha256: and 64 hexadecimal digits\n`,
      });
    },
  );
});
