import { appendAll } from '../../foundation/index.js';
import { crdToTypescript, readDefinitions } from '../../kinds/index.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { StartError, UsageError } from '../usage-error.js';

/** The flags of `crd-types`. */
export const crdTypesFlags = { ...commonFlags };

/** The command `crd-types`. */
export const crdTypes = defineCommand({
  name: 'crd-types',
  summary: 'Prints TypeScript types of the objects that custom resource definitions declare.',
  operands: 'FILE...',
  flags: crdTypesFlags,
  run,
});

async function run(_values: FlagValues<typeof crdTypesFlags>, host: Host, files: readonly string[]): Promise<number> {
  if (files.length === 0) throw new UsageError('crd-types needs at least one FILE: a file or directory of definitions');
  const definitions: object[] = [];
  for (const file of files) {
    try {
      appendAll(
        definitions,
        (await readDefinitions(file)).map(({ value }) => value),
      );
    } catch (error) {
      throw new StartError(reasonOf(error));
    }
  }
  host.stdout.write(crdToTypescript(definitions));
  return 0;
}
