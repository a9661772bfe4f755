/** Printer columns, selectable fields and Tables. */
import { ANYTHING, configMap, define, definition, fill, MAPS, pathOf, thing } from '../kinds.js';
import type { Row } from '../row.js';
import { nested, repeated } from '../texts.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const column = (jsonPath: string, index = 0): object => ({ name: `C${index}`, type: 'string', jsonPath });
const wide = (count: number): string => `{"x":[${repeated('{"a":1,"b":[1,2]},', count)}{"a":1}]}`;
const DEEP = nested('{"a":', '{"b":1}', '}', 45);
/** Lists within each other that branch. */
const BRANCHES = (() => {
  let text = '1';
  for (let depth = 0; depth < 9; depth += 1) text = `[${text},${text},${text}]`;
  return `{"x":${text}}`;
})();

/** Columns, and the object that they are evaluated for. */
const COLUMNS: Readonly<Record<string, { readonly columns: readonly object[]; readonly spec: string }>> = {
  'six descents': { columns: [column('.spec..*..*..*..*..*..*..zz')], spec: DEEP },
  'four descents': { columns: [column('.spec..a..a..a..zz')], spec: DEEP },
  'one descent in a wide object': { columns: [column('.spec..zz')], spec: wide(900_000) },
  '128 descents in a wide object': {
    columns: Array.from({ length: 128 }, (_, i) => column('.spec..zz', i)),
    spec: wide(500_000),
  },
  'wildcards of a wide object': { columns: [column('.spec.x[*].b[*]')], spec: wide(900_000) },
  'a filter of a wide object': { columns: [column('.spec.x[?(@.a==2)].b')], spec: wide(900_000) },
  'filters within filters': { columns: [column('.spec.x[?(@.b[?(@>1)])].b[?(@>1)]')], spec: wide(500_000) },
  'branching lists': { columns: [column('.spec..[*]..[*]')], spec: BRANCHES },
  'many wildcards': { columns: [column(`.spec.x${'[*]'.repeat(9)}`)], spec: BRANCHES },
  'a slice with steps': { columns: [column('.spec.x[0:100000:1].a')], spec: wide(900_000) },
  'a path of 10,000 segments': { columns: [column('.spec' + '.a'.repeat(10_000))], spec: DEEP },
  '5,000 columns': { columns: Array.from({ length: 5_000 }, (_, i) => column(`.spec.f${i}`, i)), spec: '{"x":1}' },
};

const columnRows = Object.entries(COLUMNS).flatMap(([name, { columns, spec }]): Row[] =>
  [1, 8].map((times): Row => ({
    name: `columns with ${name}, ${times} tables`,
    rights: 'view',
    prepare: async (world) => {
      // A definition that is refused leaves a kind without these columns.
      const body = definition(ANYTHING, { additionalPrinterColumns: columns });
      const { status } = await world.owner.send({
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        body: JSON.stringify(body),
      });
      if (status !== 201) await define(world, definition(ANYTHING));
      for (
        let tries = 0;
        tries < 100 && (await world.owner.send({ method: 'GET', path: pathOf() })).status !== 200;
        tries += 1
      )
        await new Promise((resolve) => setTimeout(resolve, 50));
      await world.owner.must({ method: 'POST', path: pathOf(), body: thing('wide', spec) });
    },
    sends: [{ request: { method: 'GET', path: pathOf(), accept: TABLE }, times }],
    statuses: [200, 429],
    says: /"kind":"Table"/,
  })),
);

const CORE = '/api/v1/namespaces/attack';
const APPS = '/apis/apps/v1/namespaces/attack';
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const byNumber = (count: number, key: string, value: string): object =>
  Object.fromEntries(numbers(count).map((index) => [`${key}${index}`, value]));
const address = (index: number): string => `10.0.${index >> 8}.${index & 255}`;
const absent = numbers(20_000).map((index) => ({ key: `k${index}`, operator: 'DoesNotExist' }));
const workload = (selector: object, labels: object = { a: 'b' }): object => ({
  spec: {
    ...{ replicas: 0, selector },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

interface Long {
  /** The path of its kind. */
  readonly path: string;
  readonly fields: object;
  /** A subresource that is read as well. */
  readonly view?: string;
  /** Default `view`. */
  readonly rights?: Row['rights'];
}

/** Objects of built-in kinds whose cells show long lists. */
const LONG: Readonly<Record<string, Long>> = {
  'a service of 20,000 ports': {
    path: `${CORE}/services`,
    fields: { spec: { ports: numbers(20_000).map((index) => ({ name: `p${index}`, port: index + 1 })) } },
  },
  'a service that selects 40,000 labels': {
    path: `${CORE}/services`,
    fields: { spec: { ports: [{ port: 1 }], selector: byNumber(40_000, 'k', 'v') } },
  },
  'endpoints of 20,000 addresses at 20,000 ports': {
    path: `${CORE}/endpoints`,
    fields: {
      subsets: [
        {
          addresses: numbers(20_000).map((index) => ({ ip: address(index) })),
          ports: numbers(20_000).map((index) => ({ name: `p${index}`, port: index + 1 })),
        },
      ],
    },
  },
  'a deployment that selects by 20,000 expressions': {
    path: `${APPS}/deployments`,
    fields: workload({ matchLabels: { a: 'b' }, matchExpressions: absent }),
    ...{ view: 'scale', rights: 'owner' },
  },
  'a replica set that selects 20,000 labels': {
    path: `${APPS}/replicasets`,
    fields: workload({ matchLabels: byNumber(20_000, 'k', 'v') }, byNumber(20_000, 'k', 'v')),
    ...{ view: 'scale', rights: 'owner' },
  },
  'a network policy of 40,000 values': {
    rights: 'owner',
    path: '/apis/networking.k8s.io/v1/namespaces/attack/networkpolicies',
    fields: {
      spec: {
        podSelector: {
          matchExpressions: [{ key: 'a', operator: 'In', values: numbers(40_000).map((index) => `v${index}`) }],
        },
      },
    },
  },
  'a quota of 40,000 amounts': {
    path: `${CORE}/resourcequotas`,
    fields: { spec: { hard: byNumber(40_000, 'count/things', '5') } },
  },
  'a binding of 20,000 subjects': {
    rights: 'owner',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/attack/rolebindings',
    fields: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: numbers(20_000).map((index) => ({ kind: 'User', name: `u${index}` })),
    },
  },
};

const longRows = Object.entries(LONG).map(([name, { path, fields, view, rights = 'view' }]): Row => ({
  name: `tables of ${name}, 8 at once`,
  rights,
  prepare: ({ owner }) =>
    owner.must({ method: 'POST', path, body: JSON.stringify({ metadata: { name: 'long' }, ...fields }) }),
  sends: [
    { request: { method: 'GET', path: `${path}/long`, accept: TABLE }, times: 8 },
    { request: { method: 'GET', path: `${path}?includeObject=None`, accept: TABLE }, times: 8 },
    ...(view === undefined ? [] : [{ request: { method: 'GET', path: `${path}/long/${view}` }, times: 8 }]),
  ],
  statuses: [200, 429],
  says: view === undefined ? /"kind":"Table"/ : /"kind":"(Table|Scale)"/,
}));

/** The forms that kubectl accepts. */
const KUBECTL = `${TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`;
const WIDE_SERVICES = 20;

/** Services of 20,000 ports in the Tables that kubectl asks for. */
const services: Row = {
  name: `tables of ${WIDE_SERVICES} services of 20,000 ports by kubectl, with watches`,
  rights: 'view',
  prepare: (world) =>
    fill(world, `${CORE}/services`, WIDE_SERVICES, (index) =>
      JSON.stringify({
        metadata: { name: `s${index}` },
        spec: { clusterIP: 'None', ...(LONG['a service of 20,000 ports']?.fields as { spec: object }).spec },
      }),
    ),
  sends: [
    { request: { method: 'GET', path: `${CORE}/services?limit=500`, accept: KUBECTL }, times: 16, atOnce: 8 },
    { request: { method: 'GET', path: `${CORE}/services?watch=1`, accept: KUBECTL }, times: 16, reading: 'stream' },
  ],
  statuses: [0, 200, 429],
};

/** The rows. */
export const tables: readonly Row[] = [
  ...columnRows,
  ...longRows,
  services,
  {
    name: 'tables of 20,000 small objects, 32 at once',
    rights: 'view',
    prepare: (world) => fill(world, MAPS, 20_000, (index) => configMap(`m-${index}`, { a: 'b' })),
    sends: [{ request: { method: 'GET', path: MAPS, accept: TABLE }, times: 32 }],
    statuses: [200, 429],
  },
];
