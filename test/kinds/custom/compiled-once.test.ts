/** Rules are compiled once: the programs of the check of a definition serve its objects. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CompiledArtefacts } from '../../../src/foundation/work/compiled-artefacts.js';
import { CheckedRules, CollectedRules } from '../../../src/machinery/cel-rules/checked-rules.js';
import { RuleCompiler } from '../../../src/machinery/cel-rules/compile.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { definition, DEFINITIONS, world, type World } from '../builtin/apiextensions/world.js';

afterEach(() => void vi.restoreAllMocks());

const THINGS = '/apis/example.com/v1/namespaces/default/things';
const ruled = (...rules: readonly string[]): object => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        list: {
          ...{ type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10, ...validations(['self != "x"']) } },
        },
        map: {
          type: 'object',
          maxProperties: 10,
          additionalProperties: { type: 'integer', ...validations(['self > 0']) },
        },
      },
      ...validations(rules),
    },
  },
});
const validations = (rules: readonly string[]): object => ({
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});
const thing = (name: string, spec: object): object => ({
  ...{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name }, spec },
});

async function defined(parts: object): Promise<World> {
  const made = await world({}, { withControllers: true });
  expect((await made.send('POST', DEFINITIONS, definition({ schema: parts }))).status).toBe(201);
  await made.test.settled();
  return made;
}

describe('the rules of a definition', () => {
  test('are compiled by its check only', async () => {
    const compile = vi.spyOn(RuleCompiler.prototype, 'compileInSlices');
    await using made = await defined(ruled('self.list.size() < 3'));
    expect(compile).toHaveBeenCalledTimes(3);
    const refused = await made.send('POST', THINGS, thing('a', { list: ['x', 'y', 'z'], map: { a: 0 } }));
    expect(refused.status).toBe(422);
    const message = String(refused.body['message']);
    for (const rule of ['self.list.size() < 3', 'self != \\"x\\"', 'self > 0'])
      expect(message).toContain(`failed rule: ${rule.replaceAll('\\"', '"')}`);
    expect((await made.send('POST', THINGS, thing('b', { list: ['y'], map: { a: 1 } }))).status).toBe(201);
    expect(compile).toHaveBeenCalledTimes(3);
  });

  test('are those that are stored, whatever was checked later', async () => {
    await using made = await defined(ruled('self.list.size() < 3'));
    const stored = (await made.send('GET', `${DEFINITIONS}/things.example.com`)).body;
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: ruled('self.list.size() > 5') } },
    ];
    const changed = { ...stored, spec: { ...(stored['spec'] as object), versions } };
    const dry = await made.send('PUT', `${DEFINITIONS}/things.example.com?dryRun=All`, changed);
    expect(dry.status).toBe(200);
    expect((await made.send('POST', THINGS, thing('a', { list: ['y'] }))).status).toBe(201);
    expect((await made.send('POST', THINGS, thing('b', { list: ['a', 'b', 'c'] }))).status).toBe(422);
  });
});

describe('what is compiled for a definition', () => {
  /** Defines a kind. Returns the artefacts of the server, which has compiled nothing else. */
  async function made() {
    const group = vi.spyOn(CompiledArtefacts.prototype, 'group');
    const server = await defined(ruled('self.list.size() < 3'));
    const [artefacts] = group.mock.contexts as CompiledArtefacts[];
    if (artefacts === undefined) throw new Error('the kind is not served');
    return { server, artefacts };
  }

  test('is given up when the definition is deleted', async () => {
    const { server, artefacts } = await made();
    await using closed = server;
    expect((await closed.send('POST', THINGS, thing('a', { list: ['y'] }))).status).toBe(201);
    expect(artefacts.usedBytes).toBeGreaterThan(0);
    expect((await closed.send('DELETE', `${DEFINITIONS}/things.example.com`)).status).toBe(200);
    await closed.test.settled();
    expect(artefacts.usedBytes).toBe(0);
  });

  test('is given up when the definition is deleted before its kind was used', async () => {
    const { server, artefacts } = await made();
    await using closed = server;
    expect(artefacts.usedBytes).toBeGreaterThan(0);
    await closed.send('DELETE', `${DEFINITIONS}/things.example.com`);
    await closed.test.settled();
    expect(artefacts.usedBytes).toBe(0);
  });

  test('is that of the current version only', async () => {
    const { server, artefacts } = await made();
    await using closed = server;
    await closed.send('POST', THINGS, thing('a', { list: ['y'] }));
    const used = artefacts.usedBytes;
    const stored = (await closed.send('GET', `${DEFINITIONS}/things.example.com`)).body;
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: ruled('self.list.size() > 5') } },
    ];
    const changed = { ...stored, spec: { ...(stored['spec'] as object), versions } };
    expect((await closed.send('PUT', `${DEFINITIONS}/things.example.com`, changed)).status).toBe(200);
    await closed.test.settled();
    expect((await closed.send('POST', THINGS, thing('b', { list: ['y'] }))).status).toBe(422);
    expect(artefacts.usedBytes).toBe(used);
  });
});

describe('the rules of checked schemas', () => {
  const props = (rule: string): JsonSchemaProps => ({ type: 'object', description: rule });
  const collected = (rule: string): CollectedRules => {
    const found = new CollectedRules();
    const compiled = { rule: { rule }, usesOldSelf: false, maxCost: 0n, messageMaxCost: 0n, reportedPath: '' };
    found.rules.set('', [compiled]);
    return found;
  };
  const schemas = (...rules: readonly string[]) =>
    rules.map((rule) => ({ props: props(rule), collected: collected(rule) }));

  test('are taken once, by the schema', () => {
    const artefacts = new CompiledArtefacts(1_000_000, () => ({ hold: () => undefined }));
    const checked = new CheckedRules(artefacts);
    checked.keep('a', schemas('1 == 1', '2 == 2'));
    expect(checked.take('a', props('3 == 3'))).toBeUndefined();
    expect(checked.take('b', props('1 == 1'))).toBeUndefined();
    expect(checked.take('a', props('2 == 2'))?.get('')?.[0]?.rule.rule).toBe('2 == 2');
    expect(checked.take('a', props('2 == 2'))).toBeUndefined();
    expect(artefacts.usedBytes).toBeGreaterThan(0);
    expect(checked.take('a', props('1 == 1'))).toBeDefined();
    expect(artefacts.usedBytes).toBe(0);
    checked.keep('a', schemas('1 == 1'));
    checked.keep('a', schemas('2 == 2'));
    expect(checked.take('a', props('1 == 1'))).toBeUndefined();
  });

  test('are given up when there is too much', () => {
    const artefacts = new CompiledArtefacts(100_000, () => ({ hold: () => undefined }));
    const checked = new CheckedRules(artefacts);
    for (let index = 0; index < 50; index += 1) checked.keep(`d${index}`, schemas(`${index} == ${'1'.repeat(40)}`));
    expect(artefacts.usedBytes).toBeLessThanOrEqual(100_000);
    expect(checked.take('d0', props(`0 == ${'1'.repeat(40)}`))).toBeUndefined();
    expect(checked.take('d49', props(`49 == ${'1'.repeat(40)}`))).toBeDefined();
  });
});
