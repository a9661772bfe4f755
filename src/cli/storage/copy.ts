import { goQuote } from '../../foundation/index.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import { topic } from '../flags/topic.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { etcdAt, postgresAt, sqliteIn, type DurableChoice } from './choice.js';
import {
  etcdAccessFlags,
  flagsFor,
  postgresAccessFlags,
  type EtcdAccessValues,
  type PostgresAccessValues,
} from './flags.js';
import { interruptible } from './interruptible.js';
import { placeOf } from './open.js';
import { withSnapshot } from './source.js';
import { checkTargetFlags, fillTarget, targetFlags } from './target.js';

/** The flags of `copy`. */
export const copyFlags = {
  from: text(
    'STORE',
    '',
    'Source store: sqlite:DIR, a URL of PostgreSQL (postgres://…), or etcd: and the URLs of its members, separated by commas. Servers may keep using it; later writes are not copied.',
  ),
  to: text('STORE', '', 'Target store, which must be new; same syntax.'),
  ...targetFlags,
  ...topic('Source store', { ...flagsFor('from', etcdAccessFlags), ...flagsFor('from', postgresAccessFlags) }),
  ...topic('Target store', { ...flagsFor('to', etcdAccessFlags), ...flagsFor('to', postgresAccessFlags) }),
  ...commonFlags,
};

type Values = FlagValues<typeof copyFlags>;
type AccessValues = EtcdAccessValues & PostgresAccessValues;

/** The command `copy`. */
export const copy = defineCommand({
  name: 'copy',
  summary: 'Copies a store to a new store, between any two durable engines.',
  flags: copyFlags,
  run,
});

async function run(values: Values, host: Host): Promise<number> {
  const from = await storeOf('from', values.from, accessOf(values, 'from'));
  const to = await storeOf('to', values.to, accessOf(values, 'to'));
  if (placeOf(from) === placeOf(to)) throw new UsageError('--from and --to are the same store');
  checkTargetFlags(to, values);
  await interruptible(host, (signal) =>
    withSnapshot(from, host, async (snapshot) => {
      await fillTarget(to, snapshot, values, host, signal);
      host.stdout.write(
        `copied ${snapshot.count} records of ${placeOf(from)} at revision ${snapshot.revision} to ${placeOf(to)}\n`,
      );
    }),
  );
  return 0;
}

/** Returns the access flags of one side, by name without the side. */
function accessOf(values: Values, side: 'from' | 'to'): AccessValues {
  return {
    'etcd-prefix': values[`${side}-etcd-prefix`],
    'etcd-cafile': values[`${side}-etcd-cafile`],
    'etcd-certfile': values[`${side}-etcd-certfile`],
    'etcd-keyfile': values[`${side}-etcd-keyfile`],
    'etcd-username': values[`${side}-etcd-username`],
    'etcd-password-file': values[`${side}-etcd-password-file`],
    'postgres-schema': values[`${side}-postgres-schema`],
  };
}

async function storeOf(side: 'from' | 'to', name: string, access: AccessValues): Promise<DurableChoice> {
  const [, engine, place = ''] = /^(sqlite|etcd|postgres|postgresql):(.+)$/s.exec(name) ?? [];
  if (engine === undefined) throw new UsageError(`--${side}${problemOf(name)} ${FORMS}`);
  const own = engine === 'etcd' ? 'etcd-' : engine === 'sqlite' ? undefined : 'postgres-';
  for (const [flag, value] of Object.entries(access))
    if (value !== undefined && (own === undefined || !flag.startsWith(own)))
      throw new UsageError(`--${side}-${flag} is for a store in ${flag.startsWith('etcd-') ? 'etcd' : 'PostgreSQL'}`);
  if (engine === 'etcd') return etcdAt(side, place.split(','), access, `${side}-`);
  return engine === 'sqlite' ? sqliteIn(side, place) : postgresAt(side, name, access);
}

const FORMS = 'sqlite:DIR, postgres://USER@HOST:PORT/NAME, or etcd:URL,URL';

const problemOf = (name: string): string =>
  name === '' ? ' must be specified:' : `: ${goQuote(name)} is not a store: must be`;
