/** Schemas and columns of custom kinds are compiled when they are needed, in slices, and given up within a bound. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CustomKindVersion } from '../../../src/kinds/custom/source.js';
import { CustomSchema } from '../../../src/kinds/custom/custom-schema.js';
import { customKinds } from '../../../src/kinds/custom/kinds.js';
import { noConversion } from '../../../src/kinds/custom/versions.js';
import { CompiledArtefacts } from '../../../src/foundation/work/compiled-artefacts.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { kubernetes } from '../../../src/foundation/index.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { SchemaConversion } from '../../../src/machinery/schema/openapi/from-json-schema.js';
import { definition, DEFINITIONS, world } from '../builtin/apiextensions/world.js';

afterEach(() => void vi.restoreAllMocks());

const artefacts = (maxBytes: number): CompiledArtefacts =>
  new CompiledArtefacts(maxBytes, () => ({ hold: () => undefined }));

/** A kind whose schema has a number of fields. */
function kindOf(index: number, fields: number, compiled: CompiledArtefacts): ResourceDefinition {
  const properties = Object.fromEntries(
    Array.from({ length: fields }, (_, field) => [`field${field}`, { type: 'string', maxLength: index + 1 }]),
  );
  const version: CustomKindVersion = {
    ...{ name: 'v1', served: true, storage: true },
    schema: {
      openAPIV3Schema: { type: 'object', properties: { kind: { type: 'string', maxLength: 9 }, ...properties } },
    },
    additionalPrinterColumns: [
      { name: `Column ${index}`, type: 'string', jsonPath: `.field${index}` },
      { name: 'Wrong', type: 'string', jsonPath: '.a[' },
    ],
  };
  const names = { plural: `things${index}`, kind: `Thing${index}` };
  const [kind] = customKinds(
    { group: 'example.com', names, scope: 'Namespaced', versions: [version] },
    kubernetes,
    noConversion,
    { compiled },
  );
  if (kind === undefined) throw new Error('no kind');
  return kind;
}

const columnsOf = (kind: ResourceDefinition): readonly (string | undefined)[] =>
  (kind.columns ?? []).map(({ name }) => name);

describe('the schema and the columns of a kind', () => {
  test('take nothing before they are needed', () => {
    const compiled = artefacts(Infinity);
    const kind = kindOf(1, 100, compiled);
    expect(compiled.usedBytes).toBe(0);
    expect(columnsOf(kind)).toEqual(['Name', 'Column 1']);
    const columns = compiled.usedBytes;
    expect(columns).toBeGreaterThan(2000);
    expect(kind.structural?.(kubernetes).properties?.size).toBe(101);
    // Equal schemas are different nodes, since each may have a description of its own.
    expect(compiled.usedBytes - columns).toBe(102 * 600);
  });

  test('are kept while there is room, and are the same each time', () => {
    const convert = vi.spyOn(SchemaConversion.prototype, 'convert');
    const kind = kindOf(1, 10, artefacts(Infinity));
    const schema = kind.structural?.(kubernetes);
    const columns = kind.columns;
    const calls = convert.mock.calls.length;
    expect(kind.structural?.(kubernetes)).toBe(schema);
    expect(kind.columns).toBe(columns);
    expect(convert).toHaveBeenCalledTimes(calls);
  });

  test('are given up beyond the bound, and made again with the same results', () => {
    const bounded = artefacts(200_000);
    const unbounded = artefacts(Infinity);
    const kinds = Array.from(
      { length: 100 },
      (_, index) => [kindOf(index, 50, bounded), kindOf(index, 50, unbounded)] as const,
    );
    for (const _round of [1, 2])
      for (const [kind, reference] of kinds) {
        expect(kind.structural?.(kubernetes)).toEqual(reference.structural?.(kubernetes));
        expect(columnsOf(kind)).toEqual(columnsOf(reference));
        expect(bounded.usedBytes).toBeLessThanOrEqual(200_000);
      }
    expect(unbounded.usedBytes).toBeGreaterThan(10 * 200_000);
  });

  test('are compiled in the slices of the request that needs the schema first', async () => {
    const kind = kindOf(1, 5000, artefacts(Infinity));
    const convert = vi.spyOn(SchemaConversion.prototype, 'convert');
    let slices = 0;
    let units = 0;
    const work: Work = {
      ...UNBOUNDED_WORK,
      spend: (more) => (units += more) >= 10_000 * (slices + 1),
      next: () => Promise.resolve(void (slices += 1)),
    };
    await kind.givenUpSchema?.prepare(work);
    expect(slices).toBe(27);
    const calls = convert.mock.calls.length;
    expect(kind.givenUpSchema?.prepare(work)).toBeUndefined();
    expect(kind.structural?.(kubernetes).properties?.size).toBe(5001);
    expect(convert).toHaveBeenCalledTimes(calls);
  });

  test('are not kept of a request that is over before', async () => {
    const compiled = artefacts(Infinity);
    const kind = kindOf(1, 5000, compiled);
    const over: Work = { ...UNBOUNDED_WORK, spend: () => true, next: () => Promise.reject(new Error('over')) };
    await expect(kind.givenUpSchema?.prepare(over)).rejects.toThrow('over');
    expect(compiled.usedBytes).toBe(0);
  });
});

test('each request of a kind has its schema compiled in its slices', async () => {
  await using made = await world({}, { withControllers: true });
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'integer' } } } } };
  expect((await made.send('POST', DEFINITIONS, definition({ schema }))).status).toBe(201);
  await made.test.settled();
  const prepare = vi.spyOn(CustomSchema.prototype, 'prepare');
  const things = '/apis/example.com/v1/namespaces/default/things';
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { a: 1 } };
  const requests: readonly (readonly [string, string, object?])[] = [
    ['GET', things],
    ['POST', things, thing],
    ['GET', `${things}/a`],
    ['PUT', `${things}/a`, { ...thing, spec: { a: 2 } }],
    ['DELETE', `${things}/a`],
  ];
  for (const [method, path, body] of requests) {
    prepare.mockClear();
    expect((await made.send(method, path, body)).status, method).toBeLessThan(300);
    const [first] = prepare.mock.calls;
    expect(first?.[0], method).not.toBe(UNBOUNDED_WORK);
    expect(first, method).toBeDefined();
  }
});
