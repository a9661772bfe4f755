import { goQuote } from '../../foundation/index.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { etcdAt, sqliteIn, type DurableChoice } from './choice.js';
import { etcdAccessFlags, flagsFor, type EtcdAccessValues } from './flags.js';
import { interruptible } from './interruptible.js';
import { placeOf } from './open.js';
import { withSnapshot } from './source.js';
import { checkTargetFlags, fillTarget, targetFlags } from './target.js';

/** The flags of `copy`. */
export const copyFlags = {
  from: text(
    'STORE',
    '',
    'Source store: sqlite:DIR, or etcd: and the URLs of its members, separated by commas. Servers may keep using it; later writes are not copied.',
  ),
  to: text('STORE', '', 'Target store, which must be new; same syntax.'),
  ...targetFlags,
  ...flagsFor('from', etcdAccessFlags),
  ...flagsFor('to', etcdAccessFlags),
  ...commonFlags,
};

type Values = FlagValues<typeof copyFlags>;

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

/** Returns the etcd flags of one side, by name without the side. */
function accessOf(values: Values, side: 'from' | 'to'): EtcdAccessValues {
  return {
    'etcd-prefix': values[`${side}-etcd-prefix`],
    'etcd-cafile': values[`${side}-etcd-cafile`],
    'etcd-certfile': values[`${side}-etcd-certfile`],
    'etcd-keyfile': values[`${side}-etcd-keyfile`],
    'etcd-username': values[`${side}-etcd-username`],
    'etcd-password-file': values[`${side}-etcd-password-file`],
  };
}

async function storeOf(side: 'from' | 'to', name: string, access: EtcdAccessValues): Promise<DurableChoice> {
  const [, engine, place = ''] = /^(sqlite|etcd):(.+)$/s.exec(name) ?? [];
  if (engine === 'etcd') return etcdAt(side, place.split(','), access, `${side}-`);
  const [given] = Object.entries(access).find(([, value]) => value !== undefined) ?? [];
  if (engine === 'sqlite' && given !== undefined) throw new UsageError(`--${side}-${given} is for a store in etcd`);
  if (engine === 'sqlite') return sqliteIn(side, place);
  if (name === '') throw new UsageError(`--${side} must be specified: sqlite:DIR, or etcd:URL,URL`);
  throw new UsageError(`--${side}: ${goQuote(name)} is not a store: must be sqlite:DIR, or etcd:URL,URL`);
}
