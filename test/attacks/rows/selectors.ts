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
  'broken escapes': () => `labelSelector=${'%zz'.repeat(9_000)}`,
};

const prepare = (world: World): Promise<void> =>
  fill(world, MAPS, 10_000, (index) =>
    configMap(`m-${index}`, { a: 'b' }).replace('"metadata":{', `"metadata":{"labels":{"a":"v${index}"},`),
  );

/** The rows. */
export const selectors: readonly Row[] = Object.entries(QUERIES).flatMap(([name, query]): Row[] =>
  [4, 64].map((times): Row => ({
    name: `${name}, ${times} lists of 10,000 objects`,
    rights: 'view',
    prepare,
    sends: [{ request: { method: 'GET', path: `${MAPS}?${query()}` }, times }],
    statuses: [200, 400, 410],
  })),
);
