import { importPostgres } from '../../storage/late-node.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { ifGiven, text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';

/** The flags of `postgres-schema`. */
export const postgresSchemaFlags = {
  'postgres-schema': text('NAME', 'orch', 'Schema of the store, as servers name it.'),
  role: ifGiven(
    text('NAME', '', 'Role that the servers use: it gets the rights that they need. Default: no rights are given.'),
  ),
  ...commonFlags,
};

/** The command `postgres-schema`. */
export const postgresSchema = defineCommand({
  name: 'postgres-schema',
  summary: 'Prints the SQL that makes a store in PostgreSQL, for servers whose role may not make tables.',
  flags: postgresSchemaFlags,
  run,
});

async function run(
  { 'postgres-schema': schema, role }: FlagValues<typeof postgresSchemaFlags>,
  host: Host,
): Promise<number> {
  const { postgresSchemaSql } = await importPostgres();
  try {
    host.stdout.write(postgresSchemaSql(schema, role));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`--postgres-schema: ${error.message.replace(/^schema /, '')}`);
  }
  return 0;
}
