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

/** The rows. */
export const tables: readonly Row[] = [
  ...columnRows,
  {
    name: 'tables of 20,000 small objects, 32 at once',
    rights: 'view',
    prepare: (world) => fill(world, MAPS, 20_000, (index) => configMap(`m-${index}`, { a: 'b' })),
    sends: [{ request: { method: 'GET', path: MAPS, accept: TABLE }, times: 32 }],
    statuses: [200, 429],
  },
];
