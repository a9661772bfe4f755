/** Selectors, continue tokens and other texts in the address: no body is needed. */
import { configMap, fill, MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import type { World } from '../world.js';

const URL_CHARACTERS = 30_000;

const joined = (make: (index: number) => string, separator = ','): string => {
  let text = make(0);
  for (let index = 1; ; index += 1) {
    const longer = text + separator + make(index);
    if (encodeURIComponent(longer).length > URL_CHARACTERS) return text;
    text = longer;
  }
};

/** Values of parameters of a list. */
const QUERIES: Readonly<Record<string, () => string>> = {
  'labels in a long set': () => `labelSelector=${encodeURIComponent(`a in (${joined((i) => `v${i}`)})`)}`,
  'labels not in a long set': () => `labelSelector=${encodeURIComponent(`a notin (${joined((i) => `v${i}`)})`)}`,
  'many requirements': () => `labelSelector=${encodeURIComponent(joined((i) => `!k${i}`))}`,
  'many sets': () => `labelSelector=${encodeURIComponent(joined((i) => `a notin (x${i})`))}`,
  comparisons: () => `labelSelector=${encodeURIComponent(joined((i) => `a>${i}`))}`,
  'open parentheses': () => `labelSelector=${encodeURIComponent(`a in ${'('.repeat(9_000)}`)}`,
  fields: () => `fieldSelector=${encodeURIComponent(joined((i) => `metadata.name!=n${i}`))}`,
  'escaped fields': () => `fieldSelector=${encodeURIComponent(`metadata.name=${'\\\\'.repeat(4_000)}`)}`,
  'a continue token': () => `limit=1&continue=${'A'.repeat(URL_CHARACTERS)}`,
  'many parameters': () => joined((i) => `a${i}`, '&'),
  'one parameter many times': () => 'limit=1&'.repeat(3_500),
  'a limit of many digits': () => `limit=${'7'.repeat(URL_CHARACTERS)}`,
  'a timeout of many digits': () => `timeoutSeconds=${'7'.repeat(URL_CHARACTERS)}`,
  'a resource version of many digits': () => `resourceVersion=${'7'.repeat(URL_CHARACTERS)}`,
  'broken escapes': () => `labelSelector=${'%zz'.repeat(9_000)}`,
};

const prepare = (world: World): Promise<void> =>
  fill(world, MAPS, 10_000, (index) =>
    configMap(`m-${index}`, { a: 'b' }).replace('"metadata":{', `"metadata":{"labels":{"a":"v${index}"},`),
  );

const PODS = '/api/v1/namespaces/attack/pods';
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Large objects, and a list that has their kind indexed. */
const INDEXED: Readonly<Record<string, { readonly path: string; readonly query: string; readonly large: object }>> = {
  'pods with 10,000 variables': {
    path: PODS,
    query: 'fieldSelector=spec.nodeName%3Dnone',
    large: {
      spec: {
        containers: [
          { name: 'c', image: 'i', env: numbers(10_000).map((i) => ({ name: `E${i}`, value: 'some text' })) },
        ],
      },
    },
  },
  'maps of 100,000 keys': {
    path: MAPS,
    query: 'labelSelector=a%3Dnone',
    large: { data: Object.fromEntries(numbers(100_000).map((i) => [`k${i}`, ''])) },
  },
  'maps with 40,000 labels': {
    path: MAPS,
    query: 'labelSelector=a%3Dnone',
    large: { metadata: { labels: Object.fromEntries(numbers(40_000).map((i) => [`k${i}`, 'v'])) } },
  },
};

const indexed = Object.entries(INDEXED).map(([name, { path, query, large }]): Row => {
  const list = { method: 'GET', path: `${path}?${query}` };
  return {
    name: `${name} in an index, 20`,
    rights: 'edit',
    prepare: ({ owner }) => owner.must(list),
    sends: [
      {
        request: (index) => ({
          ...{ method: 'POST', path },
          body: JSON.stringify({ ...large, metadata: { ...Reflect.get(large, 'metadata'), name: `o${index}` } }),
        }),
        times: 20,
        atOnce: 4,
      },
      { request: list, times: 20 },
    ],
    statuses: [200, 201],
    keepsMb: 100,
  };
});

const lists = Object.entries(QUERIES).flatMap(([name, query]): Row[] =>
  [4, 64].map((times): Row => ({
    name: `${name}, ${times} lists of 10,000 objects`,
    rights: 'view',
    prepare,
    sends: [{ request: { method: 'GET', path: `${MAPS}?${query()}` }, times }],
    statuses: [200, 400, 410, 422],
  })),
);

/** The rows. */
export const selectors: readonly Row[] = [...lists, ...indexed];
