import type { UntypedObject } from '../../client/index.js';
import {
  changesBetween,
  comparedParts,
  jsonText,
  type FieldChange,
  type ObjectVersion,
} from '../../foundation/index.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { StartError, UsageError } from '../usage-error.js';
import { clusterFlags, withCluster } from './access.js';
import { kindNamed, type KnownServer } from './known-resources.js';
import { FIRST, readHistory } from './object-history.js';
import { printable } from './printable.js';

/** The flags of `history`. */
export const historyFlags = {
  namespace: {
    ...text('NAME', '', 'Namespace of the object. Default: that of the context, or default.'),
    shorthand: 'n',
  },
  ...clusterFlags,
  ...commonFlags,
};

type Values = FlagValues<typeof historyFlags>;

/** The command `history`. */
export const history = defineCommand({
  name: 'history',
  summary: 'Prints the versions of an object on a running server: when, by whom, and what changed.',
  operands: 'KIND NAME',
  flags: historyFlags,
  run,
});

async function run(values: Values, host: Host, operands: readonly string[]): Promise<number> {
  const [kind = '', name = '', ...more] = operands;
  if (kind === '' || name === '' || more.length > 0)
    throw new UsageError('history needs KIND NAME, such as deployment web');
  await withCluster(values, host, (client, read) =>
    print({ client, read, dialect: values.dialect }, { kind, name }, values, host),
  );
  return 0;
}

async function print(
  server: KnownServer,
  { kind: words, name }: { readonly kind: string; readonly name: string },
  values: Values,
  { stdout }: Host,
): Promise<void> {
  const kind = await kindNamed(words, server);
  const { client } = server;
  const namespace = kind.namespaced ? values.namespace || client.namespace || values.dialect.namespaces.default : '';
  const all = client.resource({ apiVersion: kind.apiVersion, kind: kind.kind });
  let before: ObjectVersion<UntypedObject> | undefined;
  let begin = '';
  for await (const part of readHistory(namespace === '' ? all : all.namespace(namespace), name)) {
    if ('version' in part) {
      stdout.write(versionText(part.version, before));
      before = part.version;
    } else if (before === undefined) begin = beginText(part.since);
    else stdout.write('versions are missing here: the server has discarded them while they were read\n');
  }
  const place = namespace === '' ? '' : ` in the namespace ${JSON.stringify(namespace)}`;
  if (before === undefined)
    throw new StartError(
      `the server has no version of ${kind.resource} ${JSON.stringify(name)}${place}${begin && `: ${begin}`}`,
    );
  if (begin !== '') stdout.write(`${begin}\n`);
}

/** Returns where a history begins, unless it is whole. */
function beginText(since: string | undefined): string {
  if (since === FIRST) return '';
  return since === undefined
    ? 'the server keeps no history, or does not say where it begins'
    : `the history of the server begins at version ${since}: what was written before has been discarded`;
}

/** Returns a version and what it changed, in lines. */
function versionText(version: ObjectVersion<UntypedObject>, before: ObjectVersion<UntypedObject> | undefined): string {
  const { type, managers, time } = version;
  const head = [
    version.version,
    type === 'before' ? 'at the beginning of the history' : type,
    ...(time === undefined ? [] : [time]),
    ...(managers.length === 0 ? [] : [`by ${managers.join(', ')}`]),
  ];
  return [head.join('  '), ...changeLines(version, before)].map((line) => `${printable(line)}\n`).join('');
}

function changeLines(
  version: ObjectVersion<UntypedObject>,
  before: ObjectVersion<UntypedObject> | undefined,
): readonly string[] {
  if (version.type === 'before' || version.type === 'deleted') return [];
  const { kind, apiVersion } = version.object;
  const isSecret = kind === 'Secret' && apiVersion === 'v1';
  const former = before === undefined ? {} : comparedParts(before);
  return changesBetween(former, comparedParts(version))
    .filter(({ path: [first = ''] }) => first !== 'kind' && first !== 'apiVersion')
    .flatMap((change) => {
      const field = change.path.join('.');
      const shown = (value: unknown): string => (isSecret && isConfidential(change) ? '***' : jsonText(value));
      return [
        ...(change.before === undefined ? [] : [`  - ${field}: ${shown(change.before)}`]),
        ...(change.after === undefined ? [] : [`  + ${field}: ${shown(change.after)}`]),
      ];
    });
}

/** Returns whether a field of a Secret has what only readers of the Secret may see: a terminal shows it to others. */
function isConfidential({ path: [first, second] }: FieldChange): boolean {
  return (
    first === 'data' ||
    first === 'stringData' ||
    (first === 'metadata' && (second === 'annotations' || second === undefined))
  );
}
