/** Progress of long commands: a bar on a terminal, lines elsewhere. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Progress } from '../../src/cli/storage/progress.js';
import { startTestServer } from '../../src/entries/testing.js';
import { createManualClock } from '../../src/testing/time/manual-clock.js';
import { widgetDefinition } from '../kinds/custom/definitions.js';
import { configuration, entry, KEY_1, provider } from '../storage/encrypted/configurations.js';
import { DATA_FOLDER } from '../support/data-folder.js';
import { createFakeHost, type FakeHost } from './fake-host.js';
import { command, openStoreIn } from './stores.js';

/** Reports 0 to 200 of 200 records, 20 ms apart. */
async function work(host: FakeHost): Promise<Progress> {
  const progress = new Progress(host, 'writing');
  for (let done = 0; done <= 200; done += 1) {
    progress.at(done, 200);
    await host.clock.advance(20);
  }
  return progress;
}

it('is a line every two seconds where there is no terminal', async () => {
  const host = createFakeHost();
  (await work(host)).end();
  expect(host.err()).toBe('writing: 100 of 200 records\nwriting: 200 of 200 records\n');
});

it('is a bar on a terminal, redrawn ten times a second and erased at the end', async () => {
  const host = createFakeHost({ logsToTTY: true });
  const progress = await work(host);
  const drawn = host.err().split('\r\u001B[K').slice(1);
  expect(drawn).toHaveLength(40);
  expect(drawn[0]).toBe(`writing [${' '.repeat(24)}]   2% 5 of 200 records`);
  expect(drawn[19]).toBe(`writing [${'='.repeat(12)}${' '.repeat(12)}]  50% 100 of 200 records`);
  expect(drawn.at(-1)).toBe(`writing [${'='.repeat(24)}] 100% 200 of 200 records`);
  progress.end();
  progress.end();
  expect(host.err().endsWith('200 of 200 records\r\u001B[K')).toBe(true);
});

it('draws nothing of work that is done at once, and nothing wrong of no records', async () => {
  const host = createFakeHost({ logsToTTY: true });
  const progress = new Progress(host, 'writing');
  progress.at(1, 1);
  progress.end();
  expect(host.err()).toBe('');
  await host.clock.advance(100);
  progress.at(0, 0);
  expect(host.err()).toContain('100% 0 of 0 records');
});

/** A host with a terminal, for which every look at its clock takes a tenth of a second. */
function slowTerminal(): FakeHost {
  const clock = createManualClock();
  let nowMs = clock.now();
  return createFakeHost({ logsToTTY: true, clock: { ...clock, now: () => (nowMs += 100) } });
}

it('is shown by all commands that take long, and gone at their end', async () => {
  const directory = await mkdtemp(join(DATA_FOLDER, 'cli-progress-'));
  const at = (name: string): string => join(directory, name);
  const [store, keys] = [`--data-dir=${at('data')}`, at('keys.yaml')];
  await writeFile(keys, JSON.stringify(configuration(entry(['secrets'], provider('aescbc', { one: KEY_1 })))));
  {
    await using running = await startTestServer({ storage: () => openStoreIn(at('data')), crds: [widgetDefinition()] });
    const widgets = running.client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' }).namespace('default');
    await widgets.create({ metadata: { name: 'w' }, spec: { color: 'red' } });
  }
  for (const [words, bars] of [
    [['backup', store, `--to=${at('backup')}`], ['writing']],
    [
      ['restore', `--data-dir=${at('restored')}`, `--from=${at('backup')}`],
      ['reading the backup', 'writing'],
    ],
    [['copy', `--from=sqlite:${at('data')}`, `--to=sqlite:${at('copied')}`], ['writing']],
    [['check', store], ['checking']],
    [['migrate', store], ['migrating']],
    [
      ['migrate', store, `--encryption-provider-config=${keys}`],
      ['migrating', 'encrypting'],
    ],
  ] as const) {
    const host = slowTerminal();
    expect(await command(words, host), words.join(' ')).toMatchObject({ code: 0 });
    for (const bar of bars) expect(host.err(), words.join(' ')).toContain(`\r\u001B[K${bar} [`);
    expect(host.err(), words.join(' ')).toMatch(/\r\u001B\[K$/);
  }
  await rm(directory, { recursive: true });
});
