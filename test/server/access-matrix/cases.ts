import { isComputed, isNamedByFields, isVirtual, manifestOf, nameOf, SIGNER, SPACE, type Row } from './kinds.js';
import type { Admission, Question } from './ledger.js';

/** A request, the objects it finds, and the questions it must ask. Its names are used by no other case. */
export interface MatrixCase {
  readonly title: string;
  readonly method: string;
  readonly target: string;
  readonly contentType?: string;
  /** The body; a replacement makes it from the first object of `before`. */
  readonly body?: string | ((present: Manifest) => object);
  /** Objects that exist before the request. */
  readonly present?: readonly Manifest[];
  /** Allowed statuses of the answer. */
  readonly status: readonly number[];
  /** Every question, in order; omitted attributes come from the row. */
  readonly asks: readonly Partial<Question>[];
  /** Each call is expected twice: mutating, then validating. */
  readonly admits: readonly Pick<Admission, 'operation' | 'name' | 'dryRun' | 'objects'>[];
  /** The answer is a stream of events, also over WebSocket. */
  readonly watch?: true;
}

/** An object as a client writes it. */
export type Manifest = ReturnType<typeof manifestOf>;

/** Kinds that an update creates when they are missing, named as in discovery. */
export const CREATED_BY_UPDATE: ReadonlySet<string> = new Set([
  'events',
  'leases',
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'endpoints',
  'services',
  'limitranges',
]);

const PATCHES: readonly (readonly [type: string, body: string])[] = [
  ['application/json-patch+json', '[{"op":"add","path":"/metadata/annotations","value":{"patched":"json"}}]'],
  ['application/merge-patch+json', '{"metadata":{"annotations":{"patched":"merge"}}}'],
  ['application/strategic-merge-patch+json', '{"metadata":{"annotations":{"patched":"strategic"}}}'],
];
const APPLY = 'application/apply-patch+yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';

let serial = 0;
/** A name that no other case has. */
const freshName = (row: Row): string => nameOf(row, `m-${(serial += 1)}`);

/** The path of a collection in the matrix's namespace, or of one object. */
export function pathOf(
  { root, namespaced, resource }: Row,
  name = '',
  shape: 'usual' | 'all' | 'watch' | 'watch-all' = 'usual',
): string {
  const space = namespaced && !shape.endsWith('all') ? `/namespaces/${SPACE}` : '';
  return `${root}${shape.startsWith('watch') ? '/watch' : ''}${space}/${resource}${name === '' ? '' : `/${name}`}`;
}

/** Built-in kinds accept strategic merge patches. */
const isBuiltin = ({ group }: Row): boolean => !group.endsWith('.example.com');

/** The namespace of a question about one object: a namespace lies within itself. */
const spaceOn = (row: Row, name: string): string =>
  row.namespaced ? SPACE : row.resource === 'namespaces' ? name : '';

const namespaceOf = (row: Row): string => (row.namespaced ? SPACE : '');

const labelled = (manifest: Manifest): object => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { replaced: 'true' } },
});

/** Every case of a main resource that its verbs require. */
export function mainCases(row: Row): MatrixCase[] {
  return row.verbs.flatMap((verb) => MAIN[verb]?.(row) ?? []);
}

type Maker = (row: Row) => MatrixCase[];

const MAIN: Readonly<Record<string, Maker>> = {
  create: createCases,
  get: (row) => ['', '?resourceVersion=0', '?watch=false', '?pretty=true'].map((query) => getCase(row, query)),
  list: listCases,
  watch: watchCases,
  update: updateCases,
  patch: patchCases,
  delete: (row) => [false, true].map((dryRun) => deleteCase(row, dryRun)),
  deletecollection: (row) => [false, true].map((dryRun) => deleteCollectionCase(row, dryRun)),
};

function createCases(row: Row): MatrixCase[] {
  const verb = 'create';
  const asks = [{ verb, namespace: namespaceOf(row), name: '' }];
  const make = (
    title: string,
    name: string,
    metadata: object,
    query: string,
    contentType = 'application/json',
  ): MatrixCase => ({
    title: `create ${title}`,
    method: 'POST',
    target: pathOf(row) + query,
    contentType,
    body: JSON.stringify(manifestOf(row, name, metadata)),
    status: [201],
    asks,
    admits: [{ operation: 'CREATE', name, dryRun: query !== '', objects: 'new' }],
  });
  if (isVirtual(row))
    return [
      make('', '', {}, ''),
      make('dry run', '', {}, '?dryRun=All'),
      make('YAML', '', {}, '', 'application/yaml'),
    ].map(
      // A binding without a name names no pod.
      (made) => (row.resource === 'bindings' ? { ...made, status: [400] } : made),
    );
  return [
    make('', freshName(row), {}, ''),
    make('dry run', freshName(row), {}, '?dryRun=All'),
    make('YAML', freshName(row), {}, '', 'application/yaml'),
    ...(isNamedByFields(row) ? [] : [make('generated name', '', { generateName: 'g-' }, '')]),
  ];
}

function getCase(row: Row, query: string): MatrixCase {
  const name = freshName(row);
  return {
    title: `get ${query}`,
    method: 'GET',
    target: pathOf(row, name) + query,
    present: isComputed(row) ? [] : [manifestOf(row, name)],
    status: [200],
    asks: [{ verb: 'get', namespace: spaceOn(row, name), name }],
    admits: [],
  };
}

/** Path shapes of a collection, with the namespace that each is about. */
function collectionShapes(row: Row): readonly (readonly [shape: 'usual' | 'all', namespace: string])[] {
  return row.namespaced
    ? [
        ['usual', SPACE],
        ['all', ''],
      ]
    : [['usual', '']];
}

function listCases(row: Row): MatrixCase[] {
  const name = freshName(row);
  const queries = [
    ['', ''],
    ['?limit=1', ''],
    ['?labelSelector=a%3Db', ''],
    [`?fieldSelector=metadata.name%3D${name}`, name],
    [`?fieldSelector=metadata.name!%3D${name}`, ''],
  ] as const;
  return collectionShapes(row).flatMap(([shape, namespace]) =>
    queries.map(([query, selected]) => ({
      title: `list ${shape} ${query}`,
      method: 'GET',
      target: pathOf(row, '', shape) + query,
      status: [200],
      asks: [{ verb: 'list', namespace, name: selected }],
      admits: [],
    })),
  );
}

function watchCases(row: Row): MatrixCase[] {
  const verb = 'watch';
  const name = freshName(row);
  const selector = `fieldSelector=metadata.name%3D${name}`;
  const make = (title: string, target: string, namespace: string, on: string): MatrixCase => ({
    title: `watch ${title}`,
    method: 'GET',
    target,
    status: [200],
    asks: [{ verb, namespace, name: on }],
    admits: [],
    watch: true,
  });
  return [
    ...collectionShapes(row).flatMap(([shape, namespace]) => [
      make(shape, `${pathOf(row, '', shape)}?watch=1`, namespace, ''),
      make(`${shape} selected`, `${pathOf(row, '', shape)}?watch=true&${selector}`, namespace, name),
      make(`${shape} legacy`, pathOf(row, '', shape === 'all' ? 'watch-all' : 'watch'), namespace, ''),
      // A /watch/ path takes the name only from the path: a role limited by name must not grant access through a
      // selector.
      make(
        `${shape} legacy selected`,
        `${pathOf(row, '', shape === 'all' ? 'watch-all' : 'watch')}?${selector}`,
        namespace,
        '',
      ),
    ]),
    make('one', `${pathOf(row, name)}?watch=true`, spaceOn(row, name), name),
    make('one legacy', pathOf(row, name, 'watch'), spaceOn(row, name), name),
  ];
}

function updateCases(row: Row): MatrixCase[] {
  const replace = (dryRun: boolean): MatrixCase => {
    const name = freshName(row);
    return {
      title: `update ${dryRun ? 'dry run' : ''}`,
      method: 'PUT',
      target: pathOf(row, name) + (dryRun ? '?dryRun=All' : ''),
      present: [manifestOf(row, name)],
      body: labelled,
      status: [200],
      asks: [{ verb: 'update', namespace: spaceOn(row, name), name }],
      admits: [{ operation: 'UPDATE', name, dryRun, objects: 'both' }],
    };
  };
  const missing = (dryRun: boolean): MatrixCase => {
    const name = freshName(row);
    const on = { namespace: spaceOn(row, name), name };
    const creates = CREATED_BY_UPDATE.has(row.resource);
    return {
      title: `update of a missing object ${dryRun ? 'dry run' : ''}`,
      method: 'PUT',
      target: pathOf(row, name) + (dryRun ? '?dryRun=All' : ''),
      body: JSON.stringify(manifestOf(row, name)),
      status: [creates ? 201 : 404],
      asks: creates
        ? [
            { verb: 'update', ...on },
            { verb: 'create', ...on },
          ]
        : [{ verb: 'update', ...on }],
      admits: creates ? [{ operation: 'CREATE', name, dryRun, objects: 'new' }] : [],
    };
  };
  return [false, true].flatMap((dryRun) => [replace(dryRun), missing(dryRun)]);
}

function patchCases(row: Row): MatrixCase[] {
  const verb = 'patch';
  const make = (contentType: string, body: (name: string) => string, there: boolean, dryRun: boolean): MatrixCase => {
    const name = freshName(row);
    const on = { namespace: spaceOn(row, name), name };
    const apply = contentType === APPLY;
    const unsupported = contentType === STRATEGIC && !isBuiltin(row);
    const creates = apply && !there;
    const query = [...(dryRun ? ['dryRun=All'] : []), ...(apply ? ['fieldManager=matrix&force=true'] : [])].join('&');
    return {
      title: `${contentType} ${there ? '' : 'of a missing object'} ${dryRun ? 'dry run' : ''}`,
      method: 'PATCH',
      target: pathOf(row, name) + (query === '' ? '' : `?${query}`),
      contentType,
      body: body(name),
      present: there ? [manifestOf(row, name)] : [],
      status: [unsupported ? 415 : creates ? 201 : there ? 200 : 404],
      asks: creates
        ? [
            { verb, ...on },
            { verb: 'create', ...on },
          ]
        : [{ verb, ...on }],
      admits: unsupported
        ? []
        : creates
          ? [{ operation: 'CREATE', name, dryRun, objects: 'new' }]
          : there
            ? [{ operation: 'UPDATE', name, dryRun, objects: 'both' }]
            : [],
    };
  };
  const bodies = [
    ...PATCHES.map(([type, text]) => [type, () => text] as const),
    [APPLY, (name: string) => JSON.stringify(manifestOf(row, name))] as const,
  ];
  return bodies.flatMap(([type, body]) =>
    [false, true].flatMap((dryRun) => [make(type, body, true, dryRun), make(type, body, false, dryRun)]),
  );
}

function deleteCase(row: Row, dryRun: boolean): MatrixCase {
  const name = freshName(row);
  return {
    title: `delete ${dryRun ? 'dry run' : ''}`,
    method: 'DELETE',
    target: pathOf(row, name) + (dryRun ? '?dryRun=All' : ''),
    present: [manifestOf(row, name)],
    status: [200, 202],
    asks: [{ verb: 'delete', namespace: spaceOn(row, name), name }],
    admits: [{ operation: 'DELETE', name, dryRun, objects: 'old' }],
  };
}

function deleteCollectionCase(row: Row, dryRun: boolean): MatrixCase {
  const names = [freshName(row), freshName(row), freshName(row)].sort();
  const label = names.join('.');
  return {
    title: `deletecollection ${dryRun ? 'dry run' : ''}`,
    method: 'DELETE',
    target: `${pathOf(row)}?labelSelector=set%3D${label}${dryRun ? '&dryRun=All' : ''}`,
    present: names.map((name) => manifestOf(row, name, { labels: { set: label } })),
    status: [200],
    asks: [{ verb: 'deletecollection', namespace: namespaceOf(row), name: '' }],
    admits: names.map((name) => ({ operation: 'DELETE', name, dryRun, objects: 'old' })),
  };
}

/** Further questions that a write asks: an approval asks about its signer. */
function rightsOn({ resource, subresource }: Row): readonly Partial<Question>[] {
  if (resource !== 'certificatesigningrequests' || subresource !== 'approval') return [];
  return [{ verb: 'approve', apiVersion: '*', resource: 'signers', subresource: '', name: SIGNER, path: '' }];
}

const nameIn = (metadata: object): string => ('name' in metadata ? String(metadata.name) : '');

/** Subresources that connect to what a pod, service or node runs, with the status while there is no handler. */
const CONNECTING: Readonly<Record<string, number>> = { attach: 400, exec: 400, log: 204, portforward: 400, proxy: 501 };

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Returns the status of a connection without a handler. A service without endpoints has nothing to connect to. */
const unansweredStatus = ({ resource, subresource }: Row): number | undefined =>
  resource === 'services' && subresource === 'proxy' ? 503 : CONNECTING[subresource];

/** Every case of a subresource that its verbs require. `main` is the row of its resource. */
export function subresourceCases(row: Row, main: Row): MatrixCase[] {
  const at = (name: string): string => `${pathOf(row, name)}/${row.subresource}`;
  const make = (
    verb: string,
    method: string,
    more: Partial<MatrixCase> & {
      readonly query?: string;
      readonly operation?: Admission['operation'];
      readonly objects?: Admission['objects'];
    },
  ): MatrixCase => {
    const name = freshName(row);
    const { query = '', operation, objects = 'both', ...rest } = more;
    const dryRun = query.includes('dryRun=All');
    return {
      title: `${verb} ${more.contentType ?? ''} ${query}`,
      method,
      target: at(name) + query,
      present: [manifestOf(main, name)],
      status: verb === 'create' ? [201] : [200],
      asks: [{ verb, namespace: spaceOn(row, name), name }, ...(operation === undefined ? [] : rightsOn(row))],
      admits: operation === undefined ? [] : [{ operation, name, dryRun, objects }],
      ...rest,
    };
  };
  // A subresource with a kind of its own takes an object of that kind.
  const replacement = (present: Manifest): object =>
    row.kind === main.kind ? labelled(present) : manifestOf(row, nameIn(present.metadata));
  const missing = (made: MatrixCase): MatrixCase => ({
    ...made,
    title: `${made.title} of a missing object`,
    present: [],
    status: [404],
    asks: made.asks.slice(0, 1),
    admits: [],
  });
  const kinds: Readonly<Record<string, () => MatrixCase[]>> = {
    get: () => [make('get', 'GET', {}), missing(make('get', 'GET', {}))],
    create: () =>
      ['', '?dryRun=All'].map((query) =>
        make('create', 'POST', {
          query,
          // The name of the parent, which some operations require.
          body: ({ metadata }) => manifestOf(row, nameIn(metadata)),
          operation: 'CREATE',
          objects: 'new',
        }),
      ),
    update: () =>
      ['', '?dryRun=All'].map((query) => make('update', 'PUT', { query, body: replacement, operation: 'UPDATE' })),
    patch: () => [
      ...PATCHES.filter(([type]) => type !== STRATEGIC || isBuiltin(row)).flatMap(([contentType, body]) =>
        ['', '?dryRun=All'].map((query) => make('patch', 'PATCH', { query, contentType, body, operation: 'UPDATE' })),
      ),
      missing(make('patch', 'PATCH', { contentType: 'application/merge-patch+json', body: '{}' })),
      make('patch', 'PATCH', {
        query: '?fieldManager=matrix',
        contentType: APPLY,
        body: ({ metadata }) => ({
          apiVersion: row.kindVersion,
          kind: row.kind,
          metadata: { name: nameIn(metadata) },
        }),
        operation: 'UPDATE',
      }),
      missing(
        make('patch', 'PATCH', {
          query: '?fieldManager=matrix',
          contentType: APPLY,
          body: JSON.stringify({ apiVersion: row.kindVersion, kind: row.kind, metadata: {} }),
        }),
      ),
    ],
  };
  const unanswered = unansweredStatus(row);
  if (unanswered !== undefined)
    return row.verbs.flatMap((verb) => {
      // A log is read, not connected to.
      const admitted = row.subresource === 'log' ? {} : ({ operation: 'CONNECT', objects: 'new' } as const);
      const connect = (): MatrixCase => make(verb, METHODS[verb] ?? '', { status: [unanswered], ...admitted });
      const without = connect();
      // Admission comes before the object is looked up.
      return [connect(), { ...missing(without), admits: without.admits }];
    });
  return row.verbs.flatMap((verb) => kinds[verb]?.() ?? []);
}

/** The verbs of the methods, for paths with and without a name. */
const VERBS: readonly (readonly [method: string, collection: string, named: string])[] = [
  ['GET', 'list', 'get'],
  ['HEAD', 'list', 'get'],
  ['POST', 'create', 'create'],
  ['PUT', 'update', 'update'],
  ['PATCH', 'patch', 'patch'],
  ['DELETE', 'deletecollection', 'delete'],
  ['OPTIONS', '', ''],
];

const ON_COLLECTION: ReadonlySet<string> = new Set(['list', 'create', 'deletecollection']);

/**
 * Requests for what does not exist: verbs that a resource lacks, missing namespaces, superfluous namespaces. Each is
 * authorized before it is refused.
 */
export function refusedCases(row: Row): MatrixCase[] {
  const name = freshName(row);
  const refused = (title: string, method: string, target: string, ask: Partial<Question>): MatrixCase => ({
    title: `${method} ${title} is refused`,
    method,
    target,
    body: '{}',
    status: [404, 405],
    asks: [ask],
    admits: [],
  });
  const served = (method: string, verb: string, named: boolean): boolean =>
    method !== 'HEAD' &&
    row.verbs.includes(verb) &&
    (named || ON_COLLECTION.has(verb)) &&
    !(named && ON_COLLECTION.has(verb));
  const elsewhere = row.namespaced ? `${row.root}/${row.resource}` : `${row.root}/namespaces/${SPACE}/${row.resource}`;
  const misplaced = row.namespaced ? '' : SPACE;
  return VERBS.flatMap(([method, collection, named]) => [
    ...(served(method, collection, false)
      ? []
      : [refused('collection', method, pathOf(row), { verb: collection, namespace: namespaceOf(row), name: '' })]),
    ...(served(method, named, true)
      ? []
      : [refused('one', method, pathOf(row, name), { verb: named, namespace: spaceOn(row, name), name })]),
    ...(row.namespaced && method === 'GET' && row.verbs.includes('list')
      ? []
      : [
          refused('collection out of its scope', method, elsewhere, {
            verb: collection,
            namespace: misplaced,
            name: '',
          }),
        ]),
    refused('one out of its scope', method, `${elsewhere}/${name}`, { verb: named, namespace: misplaced, name }),
    // Below a namespace any other word is a resource.
    ...(row.resource === 'namespaces'
      ? []
      : [
          refused('unknown subresource', method, `${pathOf(row, name)}/nothing`, {
            verb: named,
            namespace: spaceOn(row, name),
            name,
            subresource: 'nothing',
          }),
        ]),
    refused('proxy', method, `${row.root}/proxy${pathOf(row, name).slice(row.root.length)}`, {
      verb: 'proxy',
      namespace: spaceOn(row, name),
      name,
    }),
    refused('too deep', method, `${pathOf(row, name)}/status/more`, {
      verb: named,
      namespace: spaceOn(row, name),
      name,
      subresource: 'status',
    }),
  ]);
}

/** Methods for which a subresource has no verb. */
export function refusedSubresourceCases(row: Row): MatrixCase[] {
  const name = freshName(row);
  // A proxy forwards every method.
  const served = ([method, , verb]: (typeof VERBS)[number]): boolean =>
    row.subresource === 'proxy' || (method !== 'HEAD' && row.verbs.includes(verb));
  return VERBS.filter((one) => !served(one)).map(([method, , verb]) => ({
    title: `${method} is refused`,
    method,
    target: `${pathOf(row, name)}/${row.subresource}`,
    body: '{}',
    status: [405],
    asks: [{ verb, namespace: spaceOn(row, name), name }],
    admits: [],
  }));
}
