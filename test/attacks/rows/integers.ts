/** Integers that a double would round: JavaScript has another type for them, which its JSON functions do not know. */
import type { Request } from '../client.js';
import { ANYTHING, creating, define, definition, pathOf, thing, type Schema } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, once, repeated } from '../texts.js';
import type { World } from '../world.js';

const INTEGER = '9007199254740993';
const list = (bytes: number): string => `[${repeated(`${INTEGER},`, bytes)}${INTEGER}]`;
const map = (bytes: number): string => `{${filled((index) => `"k${index}":${INTEGER}`, ',', bytes)}}`;

/** Texts of a `spec` with one key, `x`. */
const SPECS: Readonly<Record<string, () => string>> = {
  'in a list': once(() => `{"x":${list(2_800_000)}}`),
  'in a map': once(() => `{"x":${map(2_800_000)}}`),
  'in objects of a list': once(() => `{"x":[${repeated(`{"a":${INTEGER}},`, 2_800_000)}{"a":1}]}`),
  'beyond 64 bits': once(() => `{"x":[${repeated('99999999999999999999,', 2_800_000)}1]}`),
  'of 100,000 digits': once(() => `{"x":[${repeated(`${'9'.repeat(100_000)},`, 2_800_000)}1]}`),
};

const items = (schema: Schema): Schema => ({ type: 'object', properties: { x: { type: 'array', items: schema } } });

/** Schemas of `spec` for a list of such integers. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  'of any type': ANYTHING,
  'with bounds': items({ type: 'integer', minimum: 9_007_199_254_740_000, maximum: 9.1e15, multipleOf: 3 }),
  'beyond their bounds': items({ type: 'integer', minimum: 9.2e18, maximum: 9_007_199_254_740_000 }),
  'of an enum': items({
    type: 'integer',
    enum: Array.from({ length: 5_000 }, (_, index) => 9_007_199_254_000_000 + index).concat(5),
  }),
  'of a set': {
    type: 'object',
    properties: { x: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' } },
  },
  'that are numbers': items({ type: 'number' }),
  'or strings': items({ 'x-kubernetes-int-or-string': true }),
};

const STATUSES = [200, 201, 400, 409, 413, 422];

const written = Object.entries(SPECS).flatMap(([name, spec]): Row[] =>
  [1, 4].map((times): Row => ({
    name: `integers beyond a double ${name}, ${times} created`,
    rights: 'edit',
    prepare: (world) => define(world, definition(ANYTHING)),
    sends: [{ request: (index) => creating(`o${index}`, spec), times }],
    statuses: STATUSES,
    keepsMb: 64,
  })),
);

const checked = Object.entries(SCHEMAS).map(([name, schema]): Row => ({
  name: `integers beyond a double ${name}, checked twice`,
  rights: 'edit',
  prepare: (world) => define(world, definition(schema)),
  sends: [
    {
      request: (index) =>
        creating(
          `o${index}`,
          once(() => `{"x":${list(1_400_000)}}`),
        ),
      times: 2,
    },
  ],
  statuses: STATUSES,
  keepsMb: 64,
}));

const stored = async (world: World): Promise<void> => {
  await define(world, definition(ANYTHING));
  await world.owner.must({ method: 'POST', path: pathOf(), body: thing('a', `{"x":${map(1_300_000)}}`) });
};

const patch = (type: string, body: () => string, query = ''): Request => ({
  ...{ method: 'PATCH', path: `${pathOf()}/a${query}`, type },
  body: once(body),
});
const get = (accept: string, query = ''): Request => ({ method: 'GET', path: `${pathOf()}${query}`, accept });

/** Requests for an object with many of them. */
const REQUESTS: Readonly<Record<string, Request>> = {
  'a merge patch of them': patch('application/merge-patch+json', () => `{"spec":{"y":${map(1_300_000)}}}`),
  'a merge patch beside them': patch('application/merge-patch+json', () => '{"spec":{"y":1}}'),
  'a JSON Patch of 9,000 of them': patch(
    'application/json-patch+json',
    () =>
      `[${Array.from({ length: 9_000 }, (_, i) => `{"op":"replace","path":"/spec/x/k${i}","value":${INTEGER}}`).join(',')}]`,
  ),
  'a JSON Patch that tests all of them': patch(
    'application/json-patch+json',
    () => `[{"op":"test","path":"/spec/x","value":${map(1_300_000)}}]`,
  ),
  'an apply of them': patch(
    'application/apply-patch+yaml',
    () => thing('a', `{"x":${map(1_300_000)}}`),
    '?fieldManager=attacker&force=true',
  ),
  'an apply in YAML': patch(
    'application/apply-patch+yaml',
    () =>
      `apiVersion: attack.example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  x:\n${Array.from({ length: 40_000 }, (_, i) => `    k${i}: ${INTEGER}\n`).join('')}`,
    '?fieldManager=attacker&force=true',
  ),
  'a list as YAML': get('application/yaml'),
  'a list as pretty JSON': get('application/json', '?pretty=1'),
  'a list as a Table': get('application/json;as=Table;v=v1;g=meta.k8s.io'),
};

const requests = Object.entries(REQUESTS).map(([name, request]): Row => ({
  name: `${name}: integers beyond a double, six times`,
  rights: 'edit',
  prepare: stored,
  sends: [{ request, times: 6 }],
  statuses: STATUSES,
  keepsMb: 64,
}));

/** The rows. */
export const integers: readonly Row[] = [...written, ...checked, ...requests];
