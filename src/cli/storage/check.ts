import { appendAll } from '../../foundation/index.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseDurableStore, type DurableChoice } from './choice.js';
import { durableStoreFlags } from './flags.js';
import { encryptionFlags, readEncryption } from './encryption.js';
import { Inventory } from './inventory.js';
import { placeOf } from './open.js';
import { Progress } from './progress.js';
import { withReport, type StoreReport } from './report.js';
import { dialectProblem, existingStoreDirectory } from './store-dialect.js';

/** The flags of `check`. */
export const checkFlags = { ...encryptionFlags, ...durableStoreFlags };

/** The command `check`. */
export const check = defineCommand({
  name: 'check',
  summary: 'Reads a complete store and reports its content and any problems. Changes nothing.',
  flags: checkFlags,
  run,
});

/** Maximum number of problems that are shown; the rest are counted. */
const MAX_SHOWN = 50;

async function run(values: FlagValues<typeof checkFlags>, host: Host): Promise<number> {
  const choice = await chooseDurableStore(values, existingStoreDirectory);
  const setup = await readEncryption(values, choice, values.dialect, host);
  const inventory = new Inventory(setup?.encryption);
  const problems: string[] = [];
  try {
    await withReport(choice, host, async (report) => {
      appendAll(problems, report.problems);
      await countRecords(report, inventory, host);
      host.stdout.write(factsOf(choice, report, inventory));
    });
  } catch (error) {
    problems.push(reasonOf(error));
  } finally {
    setup?.close();
  }
  appendAll(problems, inventory.problems);
  appendAll(
    problems,
    [dialectProblem('the store', inventory.mark?.dialect, values.dialect)].filter((problem) => problem !== undefined),
  );
  host.stdout.write(problems.length === 0 ? 'No problems found.\n' : problemsText(choice, problems));
  return problems.length === 0 ? 0 : 1;
}

async function countRecords(report: StoreReport, inventory: Inventory, host: Host): Promise<void> {
  const progress = new Progress(host, 'checking');
  let done = 0;
  try {
    for await (const batch of report.records()) {
      for (const record of batch) await inventory.add(record);
      progress.at((done += batch.length), report.count);
    }
  } finally {
    progress.end();
  }
}

function factsOf(choice: DurableChoice, { revision, compacted, facts }: StoreReport, inventory: Inventory): string {
  const lines = [
    ['store', placeOf(choice)],
    ...facts,
    ['layout', inventory.mark === undefined ? 'not marked' : String(inventory.mark.layout)],
    ['dialect', inventory.mark?.dialect ?? 'unknown'],
    ['revision', `${revision}, with history since ${compacted}`],
    ['objects', String(inventory.objects)],
    ...inventory.encrypted.map(([provider, count]) => ['encrypted', `${count} values by ${provider}`]),
  ];
  return `${lines.map(([name = '', value = '']) => `${name.padEnd(10)}${value}\n`).join('')}\n${inventory.table()}\n`;
}

function problemsText(choice: DurableChoice, problems: readonly string[]): string {
  const shown = problems.slice(0, MAX_SHOWN).map((problem) => `  ${problem}\n`);
  const more = problems.length > MAX_SHOWN ? `  and ${problems.length - MAX_SHOWN} more\n` : '';
  return `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${placeOf(choice)}:\n${shown.join('')}${more}`;
}
