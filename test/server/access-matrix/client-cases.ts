import type { Client, ObjectOf, ResourceClient, ResourceDefinition } from '../../../src/entries/index.js';
import { isComputed, isVirtual, manifestOf, nameOf, SPACE, type Row } from './kinds.js';
import type { Admission, Question } from './ledger.js';

type AnyClient = ResourceClient<ObjectOf<ResourceDefinition>, ObjectOf<ResourceDefinition>>;
type Manifest = ObjectOf<ResourceDefinition>;

/** A call of the in-process client on behalf of a user, and the questions it must ask. */
export interface ClientCase {
  readonly title: string;
  /** Objects that exist before the call. */
  readonly present: readonly object[];
  /** @param objects the client of the kind in its namespace; `all` covers all namespaces */
  readonly run: (objects: AnyClient, made: readonly Manifest[], all: AnyClient) => Promise<unknown>;
  readonly asks: readonly Pick<Question, 'verb' | 'namespace' | 'name' | 'subresource'>[];
  readonly admits: readonly Pick<Admission, 'operation' | 'name' | 'dryRun' | 'objects' | 'subresource'>[];
}

/** A client of a kind, in the matrix's namespace if the kind has namespaces. */
export function clientsOf(
  client: Client,
  definition: ResourceDefinition,
): { readonly objects: AnyClient; readonly all: AnyClient } {
  const all = client.resource(definition) as unknown as AnyClient;
  return { objects: definition.scope === 'Namespaced' ? all.namespace(SPACE) : all, all };
}

let serial = 0;
const freshName = (row: Row): string => nameOf(row, `c-${(serial += 1)}`);
const replaced = (object: Manifest): Manifest => ({
  ...object,
  metadata: { ...object.metadata, annotations: { replaced: 'true' } },
});

/** Every verb of a stored kind; each case uses its own names. */
export function clientCases(row: Row, createdByUpdate: boolean, hasStatus: boolean): ClientCase[] {
  if (row.subresource !== '' || isVirtual(row)) return [];
  const make = (): ClientCase[] => namedCases(row, createdByUpdate, hasStatus);
  return make().map((_, index) => make()[index] as ClientCase);
}

function namedCases(row: Row, createdByUpdate: boolean, hasStatus: boolean): ClientCase[] {
  const name = freshName(row);
  const missing = freshName(row);
  const space = row.namespaced ? SPACE : '';
  const manifest = manifestOf(row, name) as Manifest;
  const absent = manifestOf(row, missing) as Manifest;
  const on = (verb: string, at = name, subresource = '') => ({
    verb,
    name: at,
    subresource,
    namespace: row.resource === 'namespaces' ? at : space,
  });
  const over = (verb: string, namespace = space, at = '') => ({ verb, name: at, subresource: '', namespace });
  const admitted = (
    operation: Admission['operation'],
    objects: Admission['objects'],
    at = name,
    dryRun = false,
    subresource = '',
  ) => ({ operation, objects, name: at, dryRun, subresource });
  const present = isComputed(row) ? [] : [manifest];
  const none: never[] = [];
  const ended = (client: AnyClient, parameters: object = {}) =>
    client
      .watch({ timeoutSeconds: 1, signal: AbortSignal.abort(), ...parameters })
      .next()
      .catch(() => undefined);
  const cases: (ClientCase & { readonly verb: string })[] = [
    {
      verb: 'create',
      title: 'create',
      present: none,
      run: (objects) => objects.create(manifest),
      asks: [over('create')],
      admits: [admitted('CREATE', 'new')],
    },
    {
      verb: 'create',
      title: 'create in the namespace of the object',
      present: none,
      run: (_objects, _made, all) => all.create(manifest, { dryRun: true }),
      asks: [over('create')],
      admits: [admitted('CREATE', 'new', name, true)],
    },
    { verb: 'get', title: 'get', present, run: (objects) => objects.get(name), asks: [on('get')], admits: none },
    {
      verb: 'list',
      title: 'list',
      present: none,
      run: (objects) => objects.list(),
      asks: [over('list')],
      admits: none,
    },
    {
      verb: 'list',
      title: 'list of one',
      present: none,
      run: (objects) => objects.list({ fieldSelector: `metadata.name=${name}` }),
      asks: [over('list', space, name)],
      admits: none,
    },
    {
      verb: 'list',
      title: 'list of all namespaces',
      present: none,
      run: (_objects, _made, all) => all.list(),
      asks: [over('list', '')],
      admits: none,
    },
    ...(row.namespaced
      ? []
      : [
          {
            verb: 'get',
            title: 'get ignores the namespace',
            present,
            run: (objects: AnyClient) => objects.namespace('elsewhere').get(name),
            asks: [on('get')],
            admits: none,
          },
        ]),
    ...(row.namespaced
      ? []
      : [
          {
            verb: 'list',
            title: 'list ignores the namespace',
            present: none,
            run: (objects: AnyClient) => objects.namespace('elsewhere').list(),
            asks: [over('list')],
            admits: none,
          },
        ]),
    {
      verb: 'watch',
      title: 'watch',
      present: none,
      run: (objects) => ended(objects),
      asks: [over('watch')],
      admits: none,
    },
    {
      verb: 'watch',
      title: 'watch of one',
      present: none,
      run: (objects) => ended(objects, { fieldSelector: `metadata.name=${name}` }),
      asks: [over('watch', space, name)],
      admits: none,
    },
    {
      verb: 'update',
      title: 'update',
      present,
      run: (objects, [made]) => objects.update(replaced(made ?? manifest)),
      asks: [on('update')],
      admits: [admitted('UPDATE', 'both')],
    },
    {
      verb: 'update',
      title: 'update in the namespace of the object',
      present,
      run: (_objects, [made], all) => all.update(replaced(made ?? manifest), { dryRun: true }),
      asks: [on('update')],
      admits: [admitted('UPDATE', 'both', name, true)],
    },
    {
      verb: 'update',
      title: 'update of a missing object',
      present: none,
      run: (objects) => objects.update(absent).catch(ifNotFound),
      asks: createdByUpdate ? [on('update', missing), on('create', missing)] : [on('update', missing)],
      admits: createdByUpdate ? [admitted('CREATE', 'new', missing)] : none,
    },
    {
      verb: 'patch',
      title: 'merge patch',
      present,
      run: (objects) => objects.patch(name, { metadata: { labels: { a: 'b' } } }),
      asks: [on('patch')],
      admits: [admitted('UPDATE', 'both')],
    },
    {
      verb: 'patch',
      title: 'JSON patch',
      present,
      run: (objects) => objects.patch(name, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
      asks: [on('patch')],
      admits: [admitted('UPDATE', 'both')],
    },
    {
      verb: 'patch',
      title: 'apply',
      present,
      run: (objects) => objects.apply(manifest, { fieldManager: 'm', force: true }),
      asks: [on('patch')],
      admits: [admitted('UPDATE', 'both')],
    },
    {
      verb: 'patch',
      title: 'apply of a missing object',
      present: none,
      run: (objects) => objects.apply(absent, { fieldManager: 'm' }),
      asks: [on('patch', missing), on('create', missing)],
      admits: [admitted('CREATE', 'new', missing)],
    },
    {
      verb: 'delete',
      title: 'delete',
      present,
      run: (objects) => objects.delete(name),
      asks: [on('delete')],
      admits: [admitted('DELETE', 'old')],
    },
    {
      verb: 'deletecollection',
      title: 'deletecollection',
      present: [manifest, absent].map((object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { set: name } },
      })),
      run: (objects) => objects.deleteCollection({ labelSelector: `set=${name}` }),
      asks: [over('deletecollection')],
      admits: [name, missing].sort().map((at) => admitted('DELETE', 'old', at)),
    },
  ];
  const status: ClientCase[] = [
    {
      title: 'update of the status',
      present,
      run: (objects, [made]) => objects.updateStatus(made ?? manifest),
      asks: [on('update', name, 'status')],
      admits: [admitted('UPDATE', 'both', name, false, 'status')],
    },
    {
      title: 'patch of the status',
      present,
      run: (objects) => objects.patch(name, { metadata: { annotations: { a: 'b' } } }, { subresource: 'status' }),
      asks: [on('patch', name, 'status')],
      admits: [admitted('UPDATE', 'both', name, false, 'status')],
    },
  ];
  return [...cases.filter(({ verb }) => row.verbs.includes(verb)), ...(hasStatus ? status : [])];
}

function ifNotFound(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 404)) throw error;
}
