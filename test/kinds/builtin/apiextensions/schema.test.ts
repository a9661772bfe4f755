/** The rules for the schemas of custom kinds. `ROOT` is the path of the schema. */
import { describe, expect, it } from 'vitest';
import { problemsOf, schemaProblems } from './problems.js';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

describe('a valid schema', () => {
  it.each<[string, object]>([
    ['of any object', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['of the names of metadata', object({ metadata: object({ name: { type: 'string', maxLength: 5 } }) })],
    ['of kind and apiVersion', object({ kind: text, apiVersion: text })],
    ['with integers or texts', object({ a: { 'x-kubernetes-int-or-string': true } })],
    ['with integers or texts by anyOf', object({ a: { 'x-kubernetes-int-or-string': true, anyOf: INT_OR_STRING } })],
    [
      'with integers or texts by allOf',
      object({ a: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: INT_OR_STRING }, { minimum: 1 }] } }),
    ],
    [
      'with whole objects',
      object({ a: object({ kind: text, spec: { type: 'object' } }, { 'x-kubernetes-embedded-resource': true }) }),
    ],
    ['with a map', object({ a: { type: 'object', additionalProperties: text } })],
    [
      'with properties and additionalProperties: true',
      object({ a: object({ b: text }, { additionalProperties: true }) }),
    ],
    ['with defaults', object({ a: { type: 'string', default: 'b', enum: ['a', 'b'] } })],
    [
      'with a map list',
      object({
        a: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'l'],
          items: object({ k: text, l: { type: 'integer', default: 1 } }, { required: ['k'] }),
        },
      }),
    ],
    [
      'with conditions',
      object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { properties: { b: { minLength: 1 } } }] }),
    ],
    ['without a type where unknown fields are kept', object({ a: { 'x-kubernetes-preserve-unknown-fields': true } })],
    ['with a format that nobody knows', object({ a: { type: 'string', format: 'colour' } })],
  ])('%s', (_case, schema) => {
    expect(schemaProblems(schema)).toEqual([]);
  });
});

describe('a schema that is not structural', () => {
  const STRUCTURAL = 'to be structural';
  it.each<[string, object, string[]]>([
    ['no type at the root', {}, ['ROOT.type: Required value: must not be empty at the root']],
    [
      'another type at the root',
      { type: 'array', items: text },
      ['ROOT.type: Invalid value: "array": must be object at the root'],
    ],
    [
      'no type of items',
      object({ a: { type: 'array', items: {} } }),
      ['ROOT.properties[a].items.type: Required value: must not be empty for specified array items'],
    ],
    [
      'a list without items',
      object({ a: { type: 'array' } }),
      ['ROOT.properties[a].items: Required value: must be specified'],
    ],
    [
      'a map at the root',
      { type: 'object', additionalProperties: text },
      ['ROOT.additionalProperties: Forbidden: must not be used at the root'],
    ],
    [
      'a map without a type of its values',
      object({ a: { type: 'object', additionalProperties: {} } }),
      ['ROOT.properties[a].additionalProperties.type: Required value: must not be empty for specified object fields'],
    ],
    [
      'types within conditions',
      object(
        { a: text },
        {
          allOf: [
            {
              type: 'object',
              title: 'a',
              description: 'b',
              default: {},
              nullable: true,
              additionalProperties: true,
              'x-kubernetes-preserve-unknown-fields': true,
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-int-or-string': true,
              'x-kubernetes-list-map-keys': ['a'],
              'x-kubernetes-list-type': 'atomic',
              'x-kubernetes-map-type': 'atomic',
              'x-kubernetes-validations': [{ rule: 'true' }],
            },
          ],
        },
      ),
      [
        `ROOT.allOf[0].additionalProperties: Forbidden: must be undefined ${STRUCTURAL}`,
        `ROOT.allOf[0].default: Forbidden: must be undefined ${STRUCTURAL}`,
        `ROOT.allOf[0].description: Forbidden: must be empty ${STRUCTURAL}`,
        `ROOT.allOf[0].nullable: Forbidden: must be false ${STRUCTURAL}`,
        `ROOT.allOf[0].title: Forbidden: must be empty ${STRUCTURAL}`,
        `ROOT.allOf[0].type: Forbidden: must be empty ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-embedded-resource: Forbidden: must be false ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-int-or-string: Forbidden: must be false ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-list-type: Forbidden: must be undefined ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-map-type: Forbidden: must be undefined ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false ${STRUCTURAL}`,
        `ROOT.allOf[0].x-kubernetes-validations: Forbidden: must be empty ${STRUCTURAL}`,
        // A list type and keys without a list break these rules, too.
        'ROOT.allOf[0].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
        'ROOT.allOf[0].x-kubernetes-list-type: Invalid value: "atomic": must be map if x-kubernetes-list-map-keys is non-empty',
      ],
    ],
    [
      'fields that only conditions have',
      object({ a: text }, { not: { properties: { b: {}, a: {} } }, oneOf: [{ properties: { c: { items: {} } } }] }),
      [
        'ROOT.properties[b]: Required value: because it is defined in ROOT.not.properties[b]',
        'ROOT.properties[c]: Required value: because it is defined in ROOT.oneOf[0].properties[c]',
      ],
    ],
    [
      'items that only conditions have',
      object({ a: text }, { anyOf: [{ properties: { a: { items: { minLength: 1 } } } }] }),
      ['ROOT.properties[a].items: Required value: because it is defined in ROOT.anyOf[0].properties[a].items'],
    ],
    [
      'values of maps that only conditions have',
      object({ a: { type: 'object' } }, { allOf: [{ properties: { a: { additionalProperties: { minLength: 1 } } } }] }),
      [
        `ROOT.allOf[0].properties[a].additionalProperties: Forbidden: must be undefined ${STRUCTURAL}`,
        'ROOT.properties[a].additionalProperties: Required value: because it is defined in ROOT.allOf[0].properties[a].additionalProperties',
      ],
    ],
    [
      'conditions on metadata',
      object({}, { allOf: [{ properties: { metadata: {} } }] }),
      [
        'ROOT.allOf[0].properties[metadata]: Forbidden: must not be specified in a nested context',
        'ROOT.properties[metadata]: Required value: because it is defined in ROOT.allOf[0].properties[metadata]',
      ],
    ],
    [
      'other metadata',
      object({ metadata: object({ labels: { type: 'object' } }) }),
      [
        'ROOT.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      'metadata that is no object',
      object({ metadata: text, kind: { type: 'integer' } }),
      [
        'ROOT.properties[kind].type: Invalid value: "integer": must be string',
        'ROOT.properties[metadata].type: Invalid value: "string": must be object',
      ],
    ],
    [
      'whole objects that are none',
      object({ a: { type: 'array', items: text, 'x-kubernetes-embedded-resource': true } }),
      [
        'ROOT.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        'ROOT.properties[a].type: Invalid value: "array": must be object if x-kubernetes-embedded-resource is true',
      ],
    ],
    [
      'integers or texts that are more',
      object({ a: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } }),
      [
        'ROOT.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
    [
      'alternatives of types',
      object({ a: { type: 'string', anyOf: INT_OR_STRING.toReversed() } }),
      [
        `ROOT.properties[a].anyOf[0].type: Forbidden: must be empty ${STRUCTURAL}`,
        `ROOT.properties[a].anyOf[1].type: Forbidden: must be empty ${STRUCTURAL}`,
      ],
    ],
    [
      'a pattern with a syntax error',
      object({ a: { type: 'string', pattern: '[a' } }),
      [
        'ROOT.properties[a].pattern: Invalid value: "[a": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[a`',
      ],
    ],
    [
      'a pattern that Go does not know',
      object({ a: { type: 'string', pattern: '(?=a)' } }),
      [
        'ROOT.properties[a].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
  ])('%s', (_case, schema, expected) => {
    const found = schemaProblems(schema).map((problem) =>
      problem.replaceAll('spec.validation.openAPIV3Schema', 'ROOT'),
    );
    expect(found).toEqual(expected);
  });
});

describe('a schema with members that it must not have', () => {
  it.each<[string, object, string[]]>([
    [
      'of JSON schema',
      object({
        a: {
          type: 'object',
          id: 'a',
          $ref: '#/b',
          definitions: { a: text },
          patternProperties: { a: text },
          dependencies: { a: ['b'] },
          additionalItems: true,
        },
      }),
      [
        'ROOT.properties[a].id: Forbidden: id is not supported',
        'ROOT.properties[a].additionalItems: Forbidden: additionalItems is not supported',
        'ROOT.properties[a].patternProperties: Forbidden: patternProperties is not supported',
        'ROOT.properties[a].definitions: Forbidden: definitions is not supported',
        'ROOT.properties[a].dependencies: Forbidden: dependencies is not supported',
        'ROOT.properties[a].$ref: Forbidden: $ref is not supported',
      ],
    ],
    [
      '$schema',
      { type: 'object', $schema: 'a' },
      ['ROOT: Invalid value: "": OpenAPIV3Schema \'schema\' is not supported'],
    ],
    [
      'a list of schemas as items',
      object({ a: { type: 'array', items: [text] } }),
      ['ROOT.properties[a].items: Forbidden: items must be a schema object and not an array'],
    ],
    [
      'nullable at the root',
      { type: 'object', nullable: true },
      ['ROOT.nullable: Forbidden: nullable cannot be true at the root'],
    ],
    [
      'unique items',
      object({ a: { type: 'array', items: text, uniqueItems: true } }),
      [
        'ROOT.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    ],
    [
      'a type that is none',
      object({ a: { type: 'null' }, b: { type: 'text' } }),
      [
        'ROOT.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
        'ROOT.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative',
        'ROOT.properties[b].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      'properties and a map',
      object({ a: object({ b: text }, { additionalProperties: text }) }),
      ['ROOT.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
    ],
    [
      'unknown fields that are not kept',
      object({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }),
      ['ROOT.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
    ],
    [
      'whole objects within metadata',
      object({
        a: object(
          {
            metadata: object({
              b: {
                type: 'object',
                'x-kubernetes-embedded-resource': true,
                'x-kubernetes-preserve-unknown-fields': true,
              },
            }),
          },
          { 'x-kubernetes-embedded-resource': true },
        ),
      }),
      [
        'ROOT.properties[a].properties[metadata].properties[b].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta',
      ],
    ],
  ])('%s', (_case, schema, expected) => {
    expect(schemaProblems(schema)).toEqual(expected);
  });
});

describe('an unknown map type', () => {
  it('does not hide the errors of transition rules below', () => {
    const rule = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    const odd = { type: 'object', 'x-kubernetes-map-type': 'odd', properties: { b: object({ c: rule }) } };
    const problem =
      'Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema';
    expect(schemaProblems(object({ a: odd, d: object({ e: rule }) }))).toEqual([
      'ROOT.properties[a].x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
      `ROOT.properties[a].properties[b].properties[c].x-kubernetes-validations[0].rule: ${problem} within spec.validation.openAPIV3Schema.properties[a]`,
    ]);
  });
});

describe('merge types', () => {
  const field = (schema: object) => object({ a: schema });
  const A = 'ROOT.properties[a]';
  const LIST = 'x-kubernetes-list-type';
  const MAP = 'x-kubernetes-map-type';
  const KEYS = 'x-kubernetes-list-map-keys';
  it.each<[string, object, string[]]>([
    [
      'of a text',
      field({ type: 'string', [LIST]: 'atomic', [MAP]: 'atomic' }),
      [
        `${A}.type: Invalid value: "string": must be object if ${MAP} is specified`,
        `${A}.type: Invalid value: "string": must be array if ${LIST} is specified`,
      ],
    ],
    [
      'of no type',
      field({ 'x-kubernetes-preserve-unknown-fields': true, [LIST]: 'atomic', [MAP]: 'atomic' }),
      [
        `${A}.type: Required value: must be object if ${MAP} is specified`,
        `${A}.type: Required value: must be array if ${LIST} is specified`,
      ],
    ],
    [
      'that do not exist',
      object({ a: { type: 'array', items: text, [LIST]: 'bag' }, b: { type: 'object', [MAP]: 'deep' } }),
      [
        `${A}.${LIST}: Unsupported value: "bag": supported values: "atomic", "set", "map"`,
        `ROOT.properties[b].${MAP}: Unsupported value: "deep": supported values: "atomic", "granular"`,
      ],
    ],
    [
      'of a set of objects',
      field({ type: 'array', [LIST]: 'set', items: { type: 'object', nullable: true } }),
      [
        `${A}.items.${MAP}: Invalid value: "null": must be atomic as item of a list with ${LIST}=set`,
        `${A}.items.nullable: Forbidden: cannot be nullable when ${LIST} is set`,
      ],
    ],
    [
      'of a set of sets',
      field({ type: 'array', [LIST]: 'set', items: { type: 'array', items: text, [LIST]: 'set' } }),
      [`${A}.items.${LIST}: Invalid value: "set": must be atomic as item of a list with ${LIST}=set`],
    ],
    [
      'of a set of atomic objects',
      field({ type: 'array', [LIST]: 'set', items: { type: 'object', [MAP]: 'atomic' } }),
      [],
    ],
    [
      'keys of another list',
      object({
        a: { type: 'array', items: text, [KEYS]: ['k'] },
        b: { type: 'array', items: text, [LIST]: 'set', [KEYS]: ['k'] },
      }),
      [
        `${A}.${LIST}: Required value: must be map if ${KEYS} is non-empty`,
        `ROOT.properties[b].${LIST}: Invalid value: "set": must be map if ${KEYS} is non-empty`,
      ],
    ],
    [
      'a map list without keys',
      field({ type: 'array', [LIST]: 'map', items: { type: 'object' } }),
      [`${A}.${KEYS}: Required value: must not be empty if ${LIST} is map`],
    ],
    [
      'a map list of texts',
      field({ type: 'array', [LIST]: 'map', [KEYS]: ['k'], items: text }),
      [`${A}.items.type: Invalid value: "string": must be object if parent array's ${LIST} is map`],
    ],
    [
      'a map list with other keys',
      field({
        type: 'array',
        [LIST]: 'map',
        [KEYS]: ['k', 'k', 'o', 'x'],
        items: object({ k: { type: 'string', nullable: true }, o: { type: 'object', default: {} } }),
      }),
      [
        `${A}.${KEYS}: Invalid value: []string{"k", "k", "o", "x"}: must not contain duplicate entries`,
        `${A}.items.properties[o].type: Invalid value: "object": must be a scalar type if parent array's ${LIST} is map`,
        `${A}.${KEYS}: Invalid value: []string{"k", "k", "o", "x"}: entries must all be names of item properties`,
        `${A}.items.properties[k].default: Required value: this property is in ${KEYS}, so it must have a default or be a required property`,
        `${A}.items.properties[k].nullable: Forbidden: this property is in ${KEYS}, so it cannot be nullable`,
      ],
    ],
  ])('%s', (_case, schema, expected) => {
    expect([...new Set(schemaProblems(schema))]).toEqual(expected);
  });
});

describe('defaults', () => {
  const field = (schema: object) => object({ a: schema });
  const D = 'ROOT.properties[a].default';
  const embedded = (more: object) =>
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      ...more,
    });
  it.each<[string, object, string[]]>([
    [
      'of another type',
      field({ type: 'integer', default: 'a' }),
      [`${D}: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'outside of the enum',
      field({ type: 'string', enum: ['a'], default: 'b' }),
      [`${D}: Unsupported value: "b": supported values: "a"`],
    ],
    [
      'that the pattern does not match',
      field({ type: 'string', pattern: '^a', default: 'b' }),
      [`${D}: Invalid value: "b":  in body should match '^a'`],
    ],
    ['null where it is nullable', field({ type: 'string', nullable: true }), []],
    [
      'with unknown fields',
      field(object({ b: text }, { default: { b: 'x', c: [1] } })),
      [`${D}: Invalid value: map[string]interface {}{"b":"x", "c":[]interface {}{1}}: must not have unknown fields`],
    ],
    [
      'with unknown fields that are kept',
      field(object({ b: text }, { 'x-kubernetes-preserve-unknown-fields': true, default: { c: 1 } })),
      [],
    ],
    [
      'with values of a map',
      field({ type: 'object', additionalProperties: { type: 'integer' }, default: { b: 1, c: 'd' } }),
      [`${D}.c: Invalid value: "string": .c in body must be of type integer: "string"`],
    ],
    [
      'without a required field',
      field(object({ b: text }, { required: ['b'], default: {} })),
      [`${D}.b: Required value`],
    ],
    [
      'of items',
      object({ a: { type: 'array', items: { type: 'string', default: 1 } } }),
      ['ROOT.properties[a].items.default: Invalid value: "integer":  in body must be of type string: "integer"'],
    ],
    [
      'at the top of the object',
      object({ kind: { type: 'string', default: 'A' }, metadata: object({ name: { type: 'string', default: 'b' } }) }),
      [
        'ROOT.properties[kind].default: Forbidden: must not be set in top-level kind',
        'ROOT.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
      ],
    ],
    [
      'of whole objects without a kind',
      embedded({ default: { apiVersion: 'v1' } }),
      [`${D}.kind: Required value: must not be empty`],
    ],
    ['of whole objects', embedded({ default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'b' }, spec: 1 } }), []],
    [
      'of whole objects with metadata of another type',
      embedded({ default: { apiVersion: 'v1', kind: 'A', metadata: { labels: 'b' } } }),
      [
        `${D}.metadata: Invalid value: map[string]interface {}{"labels":"b"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string`,
      ],
    ],
    [
      'for the kind and version of an embedded object',
      object({
        a: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { apiVersion: { ...text, default: 'a/b/c' }, kind: { ...text, default: '%' } },
        },
      }),
      [
        'ROOT.properties[a].properties[apiVersion].default: Invalid value: "a/b/c": must result in valid metadata: apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        expect.stringMatching(
          /^ROOT\.properties\[a\]\.properties\[kind\]\.default: Invalid value: "%": must result in valid metadata: kind: Invalid value: "%": may have mixed case/,
        ) as unknown as string,
      ],
    ],
    [
      'of metadata within a whole object',
      embedded({ properties: { metadata: object({ name: { type: 'string', default: 'a/b' } }) } }),
      [
        'ROOT.properties[a].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain \'/\'',
      ],
    ],
    [
      'of labels in a map of metadata',
      embedded({
        properties: {
          metadata: object({ labels: { type: 'object', additionalProperties: { type: 'string', default: 'a' } } }),
        },
      }),
      [
        'ROOT.properties[a].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata',
      ],
    ],
  ])('%s', (_case, schema, expected) => {
    expect(schemaProblems(schema)).toEqual(expected);
  });
});

describe('the root of a schema with the status subresource', () => {
  const status = { subresources: { status: {} } };
  const allowed =
    'only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled';

  it('has fields and rules', () => {
    const schema = object(
      { spec: text },
      { description: 'a', required: ['spec'], example: {}, 'x-kubernetes-preserve-unknown-fields': true },
    );
    expect(schemaProblems(schema, status)).toEqual([]);
  });

  it('has no conditions', () => {
    const [first = ''] = schemaProblems(object({ spec: text }, { anyOf: [{ required: ['spec'] }] }), status);
    expect(first).toMatch(
      /^ROOT: Invalid value: apiextensions\.JSONSchemaProps\{ID:"", Schema:"", Ref:\(\*string\)\(nil\)/,
    );
    expect(first).toContain('AnyOf:[]apiextensions.JSONSchemaProps{apiextensions.JSONSchemaProps{ID:""');
    expect(first).toContain(
      'Properties:map[string]apiextensions.JSONSchemaProps{"spec":apiextensions.JSONSchemaProps{',
    );
    expect(first.endsWith(`: ${allowed}`)).toBe(true);
  });

  it('is an object', () => {
    expect(schemaProblems({ type: 'string' }, status)).toContain(
      'ROOT.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    );
  });
});

describe('the texts of rules', () => {
  const rules = (...list: readonly object[]) =>
    object({ a: object({ b: text, 'c.d': text }, { 'x-kubernetes-validations': list }) });
  const at = (index: number, name: string): string => `ROOT.properties[a].x-kubernetes-validations[${index}].${name}`;
  it.each<[string, object, string[]]>([
    [
      'are missing',
      rules({ rule: ' ', messageExpression: ' ', fieldPath: ' ' }),
      [
        `${at(0, 'rule')}: Required value: rule is not specified`,
        `${at(0, 'messageExpression')}: Required value: messageExpression must be non-empty if specified`,
        `${at(0, 'fieldPath')}: Invalid value: " ": fieldPath must be non-empty if specified`,
        `${at(0, 'fieldPath')}: Invalid value: " ": fieldPath must be a valid path`,
      ],
    ],
    [
      'have line breaks',
      rules({ rule: 'true\n&& true' }, { rule: 'true', message: 'a\nb' }, { rule: 'true', message: ' ' }),
      [
        `${at(0, 'message')}: Required value: message must be specified if rule contains line breaks`,
        `${at(1, 'message')}: Invalid value: "a\\nb": message must not contain line breaks`,
        `${at(2, 'message')}: Invalid value: " ": message must be non-empty if specified`,
      ],
    ],
    [
      'have another reason',
      rules({ rule: 'true', reason: 'Bad' }),
      [
        `${at(0, 'reason')}: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      ],
    ],
    ['have paths', rules({ rule: 'true', fieldPath: '.b' }, { rule: 'true', fieldPath: "['c.d']" }), []],
    [
      'have other paths',
      rules(
        { rule: 'true', fieldPath: '.z' },
        { rule: 'true', fieldPath: '.b\n' },
        { rule: 'true', fieldPath: "['b'" },
      ),
      [
        `${at(0, 'fieldPath')}: Invalid value: ".z": fieldPath must be a valid path`,
        `${at(1, 'fieldPath')}: Invalid value: ".b\\n": fieldPath must not contain line breaks`,
        `${at(1, 'fieldPath')}: Invalid value: ".b\\n": fieldPath must be a valid path`,
        `${at(2, 'fieldPath')}: Invalid value: "['b'": fieldPath must be a valid path`,
      ],
    ],
  ])('%s', (_case, schema, expected) => {
    expect(schemaProblems(schema)).toEqual(expected);
  });
});

describe('rules', () => {
  const rule = (text: string, more: object = {}) => ({ 'x-kubernetes-validations': [{ rule: text, ...more }] });
  const at = 'ROOT.properties[a].x-kubernetes-validations[0].rule';

  it('are compiled', () => {
    expect(schemaProblems(object({ a: { type: 'string', maxLength: 5, ...rule("self != 'x'") } }))).toEqual([]);
    const [problem = ''] = schemaProblems(object({ a: { type: 'string', maxLength: 5, ...rule('self') } }));
    expect(problem).toMatch(
      /^ROOT\.properties\[a\]\.x-kubernetes-validations\[0\]\.rule: Invalid value: apiextensions\./,
    );
    expect(problem.endsWith('cel expression must evaluate to a bool')).toBe(true);
  });

  it('of a schema with errors below are not, others are', () => {
    const bad = { type: 'array', uniqueItems: true, items: text };
    const found = schemaProblems(
      object({ a: object({ b: bad }, rule('self')), c: { type: 'string', ...rule('self') } }),
    );
    expect(found.map((problem) => problem.split(': ')[0])).toEqual([
      'ROOT.properties[a].properties[b].uniqueItems',
      'ROOT.properties[c].x-kubernetes-validations[0].rule',
    ]);
  });

  it('must hold for defaults', () => {
    const schema = { type: 'integer', default: 1, ...rule('self > 1', { message: 'too small' }) };
    expect(schemaProblems(object({ a: schema }))).toEqual([
      'ROOT.properties[a].default: Invalid value: "integer": too small',
    ]);
  });

  it('that compare need old values', () => {
    const items = { type: 'string', maxLength: 5, ...rule('self == oldSelf') };
    const schema = object({ a: { type: 'array', maxItems: 3, items } });
    expect(
      schemaProblems(schema).map((problem) => problem.replaceAll('spec.validation.openAPIV3Schema', 'ROOT')),
    ).toEqual([
      `${at.replace('[a]', '[a].items')}: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ROOT.properties[a]`,
    ]);
  });
});

it('the errors of the structure come first, then those of defaults, then the others', () => {
  const list = { type: 'array', uniqueItems: true, items: { type: 'string' } };
  expect(schemaProblems(object({ a: {}, b: { type: 'integer', default: 'x' }, c: list }))).toEqual([
    'ROOT.properties[a].type: Required value: must not be empty for specified object fields',
    'ROOT.properties[c].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
  ]);
  expect(problemsOf({ schema: null })).toEqual([
    'spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required',
  ]);
});
