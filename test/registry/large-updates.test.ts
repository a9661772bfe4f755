/** The registry compares the versions of a large object in slices of its request. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../../src/foundation/json/json.js';
import type { ApiObject, StoredObject } from '../../src/foundation/objects/object.js';
import { UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';
import { isUnchanged } from '../../src/registry/writes/shared-parts.js';
import { nextGeneration } from '../../src/registry/writes/status.js';
import type { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { cloneInSlices } from '../../src/machinery/schema/read/clone-steps.js';

/** The work of a large request, which counts its units and pauses at each of them. */
function largeWork(): Work & { units: number; pauses: number } {
  return {
    ...UNBOUNDED_WORK,
    isLarge: true,
    units: 0,
    pauses: 0,
    spend(units) {
      this.units += units;
      return units > 0;
    },
    async next() {
      this.pauses += 1;
    },
  };
}

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const part = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), json, { maxKeys: 3 });
const object = fc
  .record({ metadata: part, spec: fc.oneof(part, json), status: fc.oneof(part, json) }, { requiredKeys: ['metadata'] })
  .map((parts) => ({ kind: 'Widget', apiVersion: 'v1', ...parts }) as JsonObject);
const copyOf = (value: JsonObject): ApiObject => cloneJson(value) as JsonObject as ApiObject;

test('compares and shares the parts of a version as for a small object', async () => {
  await fc.assert(
    fc.asyncProperty(object, object, fc.boolean(), async (one, other, shares) => {
      for (const former of [other, one]) {
        const old = copyOf(former) as JsonObject as StoredObject;
        const [small, large] = [copyOf(one), copyOf(one)];
        const work = largeWork();
        expect(await isUnchanged(large, old, shares, work)).toBe(isUnchanged(small, old, shares));
        expect(JSON.stringify(large)).toBe(JSON.stringify(small));
        for (const name of ['metadata', 'spec', 'status'])
          for (const [key, value] of Object.entries((small[name] ?? {}) as JsonObject))
            if (typeof value === 'object' && value !== null)
              expect((large[name] as JsonObject)[key] === (old[name] as JsonObject | undefined)?.[key]).toBe(
                value === (old[name] as JsonObject | undefined)?.[key],
              );
      }
    }),
    { numRuns: 300 },
  );
});

test.each([false, true])(
  'counts the generation as for a small object, with a status subresource: %s',
  async (hasStatus) => {
    const info = { definition: { origin: 'user' }, subresources: new Map(hasStatus ? [['status', {}]] : []) };
    await fc.assert(
      fc.asyncProperty(object, object, async (one, other) => {
        for (const former of [other, one]) {
          const old = { ...former, metadata: { generation: 7 } } as JsonObject as StoredObject;
          const small = nextGeneration(info as unknown as ResourceInfo, copyOf(one), old, undefined);
          expect(small).toBe(
            JSON.stringify(sortedParts(one, hasStatus)) === JSON.stringify(sortedParts(former, hasStatus)) ? 7 : 8,
          );
          expect(await nextGeneration(info as unknown as ResourceInfo, copyOf(one), old, largeWork())).toBe(small);
        }
      }),
    );
  },
);

/** The parts of an object whose changes count, with the members of every object in order. */
function sortedParts({ spec, status }: JsonObject, hasStatus: boolean): JsonValue {
  const inOrder = (value: JsonValue | undefined): JsonValue => {
    if (typeof value !== 'object' || value === null) return value ?? 'absent';
    if (Array.isArray(value)) return value.map((item: JsonValue) => inOrder(item));
    const members = Object.entries(value as JsonObject)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, inOrder(member)]);
    // Unlike a list.
    return { members };
  };
  return [
    spec === undefined ? ['none'] : [inOrder(spec)],
    status === undefined || hasStatus ? ['none'] : [inOrder(status)],
  ];
}

test('pauses between the members of a large object', async () => {
  const wide = (count: number): JsonObject => ({
    ...{ kind: 'Widget', apiVersion: 'v1', metadata: { name: 'x' } },
    spec: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, [index]])),
  });
  const unitsOf = async (count: number): Promise<number> => {
    const work = largeWork();
    expect(await isUnchanged(copyOf(wide(count)), copyOf(wide(count)) as StoredObject, true, work)).toBe(true);
    expect(await cloneInSlices(wide(count), work)).toEqual(wide(count));
    expect(work.pauses).toBeGreaterThan(3 * count);
    return work.units;
  };
  expect((await unitsOf(2_000)) / (await unitsOf(1_000))).toBeLessThan(2.1);
});
