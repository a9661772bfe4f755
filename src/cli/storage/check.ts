import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseKeptStore, type KeptChoice } from './choice.js';
import { keptStoreFlags } from './flags.js';
import { placeOf } from './open.js';
import { dialectProblem, presentDirectory } from './store-dialect.js';
import { Progress } from './progress.js';
import { withReport, type StoreReport } from './report.js';
import { Inventory } from './inventory.js';

/** The flags of `check`. */
export const checkFlags = keptStoreFlags;

/** Reads all of a store, and says what is in it and what is wrong with it. */
export const check = defineCommand({
  name: 'check',
  summary: 'Reads all of a store, and says what is in it and what is wrong with it. Changes nothing.',
  flags: checkFlags,
  run,
});

/** Problems that are shown; the others are counted. */
const MOST_SHOWN = 50;

async function run(values: FlagValues<typeof checkFlags>, host: Host): Promise<number> {
  const choice = await chooseKeptStore(values, presentDirectory);
  const inventory = new Inventory();
  const problems: string[] = [];
  try {
    await withReport(choice, host, async (report) => {
      problems.push(...report.problems);
      await takeStock(report, inventory, host);
      host.stdout.write(factsOf(choice, report, inventory));
    });
  } catch (error) {
    problems.push(reasonOf(error));
  }
  problems.push(
    ...inventory.problems,
    ...[dialectProblem('the store', inventory.mark?.dialect, values.dialect)].filter(
      (problem) => problem !== undefined,
    ),
  );
  host.stdout.write(problems.length === 0 ? 'Nothing is wrong with it.\n' : problemsText(choice, problems));
  return problems.length === 0 ? 0 : 1;
}

async function takeStock(report: StoreReport, inventory: Inventory, host: Host): Promise<void> {
  const progress = new Progress(host, 'checking');
  let done = 0;
  for await (const batch of report.records()) {
    for (const record of batch) inventory.add(record);
    progress.at((done += batch.length), report.count);
  }
  progress.end();
}

function factsOf(choice: KeptChoice, { revision, compacted, facts }: StoreReport, inventory: Inventory): string {
  const lines = [
    ['store', placeOf(choice)],
    ...facts,
    ['layout', inventory.mark === undefined ? 'not marked' : String(inventory.mark.layout)],
    ['dialect', inventory.mark?.dialect ?? 'unknown'],
    ['revision', `${revision}, with history since ${compacted}`],
    ['objects', String(inventory.objects)],
  ];
  return `${lines.map(([name = '', value = '']) => `${name.padEnd(10)}${value}\n`).join('')}\n${inventory.table()}\n`;
}

function problemsText(choice: KeptChoice, problems: readonly string[]): string {
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => `  ${problem}\n`);
  const more = problems.length > MOST_SHOWN ? `  and ${problems.length - MOST_SHOWN} more\n` : '';
  return `${problems.length === 1 ? 'One thing is' : `${problems.length} things are`} wrong with ${placeOf(choice)}:\n${shown.join('')}${more}`;
}
