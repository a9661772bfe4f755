import type { Client } from '../../client/index.js';
import { appendAll } from '../../foundation/index.js';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kinds/index.js';
import {
  MASTERS_GROUP,
  rulesAllow,
  type BindingObject,
  type RoleObject,
  type RuleAttributes,
} from '../../security/index.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { bool, text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { clusterFlags, withCluster } from './access.js';
import { unknownVerb, withoutEffect } from './doubts.js';
import { PAGE, resourceNamed, type KnownServer } from './known-resources.js';
import { printable } from './printable.js';

/** The flags of `who-can`. */
export const whoCanFlags = {
  namespace: {
    ...text('NAME', '', 'Namespace of the resource. Default: that of the context, or default.'),
    shorthand: 'n',
  },
  'all-namespaces': {
    ...bool(false, 'Lists who can do it in every namespace: RoleBindings do not count.'),
    shorthand: 'A',
  },
  ...clusterFlags,
  ...commonFlags,
};

type Values = FlagValues<typeof whoCanFlags>;

/** The command `who-can`. */
export const whoCan = defineCommand({
  name: 'who-can',
  summary: 'Lists who can do something by the roles and bindings of a running server.',
  operands: 'VERB RESOURCE [NAME]',
  flags: whoCanFlags,
  run,
});

async function run(values: Values, host: Host, operands: readonly string[]): Promise<number> {
  const [verb = '', resource = '', name = '', ...more] = operands;
  if (verb === '' || resource === '' || more.length > 0)
    throw new UsageError('who-can needs VERB RESOURCE [NAME], such as get pods/log, or get /healthz');
  if (values.namespace !== '' && values['all-namespaces'])
    throw new UsageError('--namespace and --all-namespaces exclude each other');
  const { table, warnings } = await withCluster(values, host, (client, read) =>
    answer({ client, read, dialect: values.dialect }, { verb, resource, name }, values),
  );
  for (const warning of warnings) host.stderr.write(`warning: ${printable(warning)}\n`);
  host.stdout.write(table);
  return 0;
}

/** The words of the command line. */
interface Question {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
}

/** The answer, and what in the question is probably a mistake. */
interface Answer {
  readonly table: string;
  readonly warnings: readonly string[];
}

async function answer(server: KnownServer, question: Question, values: Values): Promise<Answer> {
  const { client } = server;
  const { verb, resource, name } = question;
  const isResource = !resource.startsWith('/');
  if (!isResource && name !== '') throw new UsageError('a path has no NAME');
  const found = isResource ? await resourceNamed(resource, server) : undefined;
  const { group = '', resource: plural = '', subresource = '' } = found ?? {};
  const attributes: RuleAttributes = {
    ...{ verb, isResource, name, subresource, apiGroup: group, resource: plural },
    path: isResource ? '' : resource,
  };
  const namespace =
    !isResource || found?.namespaced === false || values['all-namespaces']
      ? ''
      : values.namespace || client.namespace || values.dialect.namespaces.default;
  const verbs = new Set<string>();
  const rows = await subjectsThatCan(client, attributes, namespace, verbs);
  const warnings = [
    ...withoutEffect(resource, found, values.namespace),
    ...unknownVerb(verb, isResource ? 'resource' : 'path', verbs),
  ];
  return { table: tableOf(rows), warnings };
}

/** A subject, and the binding that allows it. */
type Row = readonly [kind: string, name: string, namespace: string, by: string];

/**
 * Returns who can do something.
 *
 * @param namespace empty for all, and for what has none
 * @param verbs gets the verbs of the roles that count
 */
async function subjectsThatCan(
  client: Client,
  attributes: RuleAttributes,
  namespace: string,
  verbs: Set<string>,
): Promise<Row[]> {
  // Its members can do everything, without a binding.
  const rows: Row[] = [['Group', MASTERS_GROUP, '', 'the server itself']];
  const clusterRoles = await allowing(client.resource(ClusterRole), attributes, verbs);
  appendAll(rows, await rowsOf('ClusterRoleBinding', client.resource(ClusterRoleBinding), clusterRoles, new Set()));
  if (namespace === '') return rows;
  const roles = await allowing(client.resource(Role).namespace(namespace), attributes, verbs);
  const bindings = client.resource(RoleBinding).namespace(namespace);
  appendAll(rows, await rowsOf('RoleBinding', bindings, clusterRoles, roles));
  return rows;
}

/** The part of a client of roles or bindings that reads all of them. */
interface Listed<Item> {
  each(parameters: { readonly limit: number }): AsyncIterable<Item>;
}

/** Returns the names of the roles that allow a request. @param verbs gets the verbs of all of them for such requests */
async function allowing(
  roles: Listed<RoleObject>,
  attributes: RuleAttributes,
  verbs: Set<string>,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { metadata, rules } of roles.each({ limit: PAGE })) {
    for (const { verbs: named, resources, nonResourceURLs } of rules ?? [])
      if ((attributes.isResource ? resources : nonResourceURLs)?.length) for (const verb of named) verbs.add(verb);
    if (rulesAllow(attributes, rules ?? [])) names.add(metadata.name ?? '');
  }
  return names;
}

async function rowsOf(
  kind: string,
  bindings: Listed<BindingObject>,
  clusterRoles: ReadonlySet<string>,
  roles: ReadonlySet<string>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { metadata, roleRef, subjects } of bindings.each({ limit: PAGE })) {
    if (!(roleRef.kind === 'Role' ? roles : clusterRoles).has(roleRef.name)) continue;
    const by = `${kind} ${metadata.name ?? ''}, ${roleRef.kind} ${roleRef.name}`;
    for (const subject of subjects ?? [])
      rows.push([
        subject.kind,
        subject.name,
        subject.kind === 'ServiceAccount' ? subject.namespace || metadata.namespace || '' : '',
        by,
      ]);
  }
  return rows;
}

/** Returns rows with a heading, in columns. */
function tableOf(rows: readonly Row[]): string {
  const table = [['KIND', 'NAME', 'NAMESPACE', 'BY'], ...rows].map((row) => row.map(printable));
  const widths = [0, 1, 2].map((column) => table.reduce((most, row) => Math.max(most, (row[column] ?? '').length), 0));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
