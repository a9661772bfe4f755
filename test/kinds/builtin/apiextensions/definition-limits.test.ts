import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../../../src/entries/index.js';
import {
  DEFAULT_DEFINITION_LIMITS,
  type DefinitionLimits,
} from '../../../../src/foundation/objects/definition-limits.js';
import { atOnce, UNBOUNDED_WORK } from '../../../../src/foundation/work/work.js';
import { kubernetes } from '../../../../src/foundation/index.js';
import {
  noRuleChecks,
  validateDefinitionUpdate,
  type Definition,
} from '../../../../src/kinds/builtin/apiextensions/validation/index.js';
import { loadRules, ruleChecks } from '../../../../src/machinery/cel-rules/index.js';
import { definition, DEFINITIONS, world, type Parts } from './world.js';

const withField = (field: object, more: object = {}): Parts => ({
  schema: { type: 'object', properties: { f: field }, ...more },
});

const withColumn = (...paths: readonly string[]): Parts => ({
  version: {
    schema: { openAPIV3Schema: { type: 'object' } },
    additionalPrinterColumns: paths.map((jsonPath, index) => ({ name: `C${index}`, type: 'string', jsonPath })),
  },
});

const withRule = withField(
  { type: 'string', maxLength: 10 },
  { 'x-kubernetes-validations': [{ rule: 'self.f.size() < 20' }] },
);

const version = { served: true, schema: { openAPIV3Schema: { type: 'object' } } };

const schemaPath = 'spec.validation.openAPIV3Schema';
const columnPath = 'spec.additionalPrinterColumns';

/** A limit that is lowered, a definition that exceeds it but not its default, and the refusal. */
const rows: readonly (readonly [Partial<DefinitionLimits>, Parts, string])[] = [
  [
    { versions: 1 },
    { spec: { versions: ['v1', 'v2'].map((name) => ({ ...version, name, storage: name === 'v1' })) } },
    'spec.versions: Too many: 2: must have at most 1 items',
  ],
  [
    { patternInstructions: 10 },
    withField({ type: 'string', pattern: 'a{20}' }),
    `${schemaPath}.properties[f].pattern: Invalid value: "a{20}": must be a valid regular expression, but isn't: error parsing regexp: expression too large`,
  ],
  [
    { versionPatternInstructions: 10 },
    withField({ type: 'string', pattern: 'a{20}' }),
    `${schemaPath}: Too many: all patterns must have at most 10 instructions`,
  ],
  [
    { conditions: 2 },
    withField({ type: 'string', anyOf: [{}, {}, {}] }),
    `${schemaPath}: Too many: a value would be checked against 3 schemas, at most 2`,
  ],
  [{ schemas: 1 }, withField({ type: 'string' }), `${schemaPath}: Too many: there must be at most 1 schemas`],
  [{ depth: 1 }, withField({ type: 'string' }), `${schemaPath}: Too many: schemas must be nested at most 1 deep`],
  [{ ruleCharacters: 5 }, withRule, `${schemaPath}: Too long: must have at most 5 bytes`],
  [{ columns: 1 }, withColumn('.a', '.b'), `${columnPath}: Too many: 2: must have at most 1 items`],
  [{ pathCharacters: 3 }, withColumn('.spec'), `${columnPath}[0].JSONPath: Too long: must have at most 3 bytes`],
  [
    { pathSegments: 1 },
    withColumn('.a.b'),
    `${columnPath}[0].JSONPath: Invalid value: ".a.b": must not have more than 1 segments`,
  ],
  [
    { pathDescents: 0 },
    withColumn('.a..b'),
    `${columnPath}[0].JSONPath: Invalid value: ".a..b": must not have more than 0 recursive descents`,
  ],
];

const messagesIn = (body: unknown): string => String(Reflect.get(body as object, 'message'));

describe('a limit of definitions', () => {
  test.each(rows)('%o refuses what exceeds it, and the default accepts it', async (definitions, parts, refusal) => {
    await using strict = await world({ definitions });
    await using usual = await world();
    const refused = await strict.send('POST', DEFINITIONS, definition(parts));
    expect(refused.status).toBe(422);
    expect(messagesIn(refused.body)).toContain(refusal);
    const accepted = await usual.send('POST', DEFINITIONS, definition(parts));
    expect([accepted.status, accepted.warnings]).toEqual([201, []]);
  });

  test('can be raised', async () => {
    await using generous = await world({ definitions: { columns: 200, pathDescents: 2 } });
    const parts = withColumn('.a..b..c', ...Array.from({ length: 150 }, () => '.a'));
    expect((await generous.send('POST', DEFINITIONS, definition(parts))).status).toBe(201);
  });

  test('is checked with the options', () => {
    expect(() => new ApiServer({ limits: { definitions: { columns: -1 } } })).toThrow('limits.definitions.columns');
    expect(() => new ApiServer({ limits: { definitions: { rows: 1 } as object } })).toThrow('limits.definitions.rows');
  });
});

describe('what a definition has stored beyond a limit', () => {
  const stored = (parts: Parts, description: string): Definition => {
    const names = { singular: 'thing', listKind: 'ThingList', categories: [description] };
    const status = { acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'], conditions: null };
    return { ...definition({ ...parts, names }), status } as unknown as Definition;
  };

  test.each(rows)('%o is not refused', async (limits, parts, refusal) => {
    const warnings: string[] = [];
    const errors = atOnce(
      validateDefinitionUpdate(stored(parts, 'b'), stored(parts, 'a'), {
        dialect: kubernetes,
        ruleChecks: parts === withRule ? ruleChecks(await loadRules()) : noRuleChecks,
        limits: { ...DEFAULT_DEFINITION_LIMITS, ...limits },
        warn: (text) => void warnings.push(text),
        work: UNBOUNDED_WORK,
      }),
    );
    // A pattern that fits the default has no warning.
    const expected = limits.patternInstructions === undefined ? [refusal] : [];
    expect([errors.map(String), warnings]).toEqual([[], expected]);
  });
});
