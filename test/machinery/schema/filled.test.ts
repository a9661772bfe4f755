import { unitsOfEach } from '../../support/units.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { UNBOUNDED_WORK, atOnce, type JsonObject } from '../../../src/foundation/index.js';
import { FlowSchema } from '../../../src/kinds/builtin/index.js';
import { kubernetes } from '../../../src/foundation/dialect/dialect.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { compileSchema } from '../../../src/machinery/schema/define/compile.js';
import { objectSchema } from '../../../src/machinery/schema/define/object-meta.js';
import { filledSteps } from '../../../src/machinery/schema/read/filled.js';

await FlowSchema.prepare?.();
const flowSchema = new ResourceInfo(FlowSchema, kubernetes).schema;

const user = objectSchema({
  kind: 'Widget',
  schema: compileSchema(
    z.object({
      color: z.string(),
      gloss: z.string().optional(),
      size: z.number().default(3),
      list: z.array(z.object({ name: z.string(), count: z.number().optional() })),
      inner: z.object({ on: z.boolean(), deep: z.object({ text: z.string(), size: z.number().default(2) }) }),
      maybe: z.object({ text: z.string() }).optional(),
      byName: z.record(z.string(), z.object({ text: z.string() })).optional(),
    }),
  ),
});

const filled = (object: JsonObject, schema = user, origin: 'builtin' | 'user' = 'user') =>
  atOnce(filledSteps(object, schema, origin, UNBOUNDED_WORK));

describe('a part of a built-in object', () => {
  test('gets the fields that are always written, at every level that it has', () => {
    expect(filled({ kind: 'FlowSchema' }, flowSchema, 'builtin')).toMatchObject({
      kind: 'FlowSchema',
      metadata: {},
      spec: { matchingPrecedence: 0, priorityLevelConfiguration: { name: '' } },
    });
    expect(filled({ metadata: {}, spec: { matchingPrecedence: 5 } }, flowSchema, 'builtin')).toMatchObject({
      spec: { matchingPrecedence: 5, priorityLevelConfiguration: { name: '' } },
    });
    expect(filled({ spec: { rules: [{}] } }, flowSchema, 'builtin')).toMatchObject({
      spec: { rules: [{ subjects: null }] },
    });
  });

  test('is returned itself when it lacks none', () => {
    const whole = filled({}, flowSchema, 'builtin');
    expect(filled(whole, flowSchema, 'builtin')).toBe(whole);
  });
});

describe('a part of an object of a kind in code', () => {
  test('gets defaults and empty required fields, but no optional ones', () => {
    expect(filled({})).toEqual({
      metadata: {},
      color: '',
      size: 3,
      list: [],
      inner: { on: false, deep: { text: '', size: 2 } },
    });
  });

  test('gets them inside of lists, maps and objects', () => {
    const part = { list: [{ name: 'a' }, {}], byName: { a: {}, ['__proto__']: {} }, maybe: {}, inner: { on: true } };
    expect(filled(part)).toMatchObject({
      list: [{ name: 'a' }, { name: '' }],
      byName: { a: { text: '' } },
      maybe: { text: '' },
      inner: { on: true, deep: { text: '', size: 2 } },
    });
    expect(part.list[1]).toEqual({});
  });

  test('ends where required fields lead back to their type', () => {
    interface Node {
      next: Node;
    }
    const node: z.ZodType<Node> = z.lazy(() => z.object({ next: node }));
    const schema = objectSchema({ kind: 'Chain', schema: compileSchema(z.object({ node })) });
    expect(JSON.stringify(filled({}, schema)).length).toBeLessThan(1_000);
  });
});

test('a large part is filled with pauses', async () => {
  const SLICE = 20_000;
  let units = 0;
  const steps = filledSteps({ list: Array.from({ length: 20_000 }, () => ({})) }, user, 'user', {
    ...UNBOUNDED_WORK,
    spend: (spent) => (units += spent) > SLICE,
  });
  const inPieces = function* (): Generator<() => void> {
    for (let done = false; !done; units = 0) yield () => (done = steps.next().done === true);
  };
  const pieces = await unitsOfEach(inPieces());
  expect(pieces.length).toBeGreaterThan(4);
  expect(Math.max(...pieces)).toBeLessThan(8 * SLICE);
});
