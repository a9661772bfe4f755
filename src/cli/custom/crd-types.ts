import { appendAll } from '../../foundation/index.js';
import type { Client } from '../../client/index.js';
import { crdToTypescript, CustomResourceDefinition, readDefinitions } from '../../kinds/index.js';
import { clusterFlags, withCluster } from '../cluster/access.js';
import { PAGE } from '../cluster/known-resources.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { bool } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { StartError, UsageError } from '../usage-error.js';

/** The flags of `crd-types`. */
export const crdTypesFlags = {
  'from-cluster': bool(
    false,
    'Takes the definitions of a running server instead of files: those of the given names, or all.',
  ),
  ...clusterFlags,
  ...commonFlags,
};

/** The command `crd-types`. */
export const crdTypes = defineCommand({
  name: 'crd-types',
  summary: 'Prints TypeScript types of the objects that custom resource definitions declare.',
  operands: 'FILE...',
  flags: crdTypesFlags,
  run,
});

async function run(values: FlagValues<typeof crdTypesFlags>, host: Host, operands: readonly string[]): Promise<number> {
  if (!values['from-cluster'] && (values.kubeconfig !== '' || values.context !== ''))
    throw new UsageError('--kubeconfig and --context are for --from-cluster');
  const definitions = values['from-cluster']
    ? await withCluster(values, host, (client) => definitionsOf(client, operands))
    : await definitionsIn(operands);
  host.stdout.write(crdToTypescript(definitions));
  return 0;
}

/** Returns the definitions of a server, by name, or all. */
async function definitionsOf(client: Client, names: readonly string[]): Promise<readonly object[]> {
  const definitions = client.resource(CustomResourceDefinition);
  if (names.length > 0) return Promise.all(names.map((name) => definitions.get(name)));
  const all: object[] = [];
  for await (const definition of definitions.each({ limit: PAGE })) all.push(definition);
  return all;
}

async function definitionsIn(files: readonly string[]): Promise<readonly object[]> {
  if (files.length === 0)
    throw new UsageError('crd-types needs at least one FILE, a file or directory of definitions, or --from-cluster');
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
  return definitions;
}
