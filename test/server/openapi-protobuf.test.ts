import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/foundation/json/json.js';
import { atOnce } from '../../src/foundation/work/work.js';
import { documentHash, hashSteps } from '../../src/server/discovery/documents.js';
import { encodeVersion2 } from '../../src/server/openapi/protobuf.js';
import { documentBytes } from '../../src/server/openapi/text.js';
import { turnsDuring } from '../support/turns.js';

const varint = (value: number): Buffer => Buffer.from(value < 128 ? [value] : [(value & 127) | 128, value >> 7]);

// Numbers and wire types are those of OpenAPIv2.proto.
const delimited = (number: number, ...content: readonly Buffer[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};
const text = (number: number, value: string): Buffer => delimited(number, Buffer.from(value));
const yes = (number: number): Buffer => Buffer.concat([varint(number * 8), varint(1)]);
const named = (number: number, name: string, ...value: readonly Buffer[]): Buffer =>
  delimited(number, text(1, name), delimited(2, ...value));
const any = (number: number, yaml: string): Buffer => delimited(number, text(2, yaml));

it.each<[what: string, document: JsonObject, bytes: readonly Buffer[]]>([
  [
    'head',
    { swagger: '2.0', info: { title: 'T', version: 'v' } },
    [text(1, '2.0'), delimited(2, text(1, 'T'), text(2, 'v'))],
  ],
  [
    'security',
    {
      security: [{ BearerToken: [] }, { Other: ['a'] }],
      securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
    [
      delimited(12, named(1, 'BearerToken')),
      delimited(12, named(1, 'Other', text(1, 'a'))),
      delimited(
        13,
        named(1, 'BearerToken', delimited(2, text(1, 'apiKey'), text(2, 'authorization'), text(3, 'header'))),
      ),
    ],
  ],
  [
    'named parameters and responses, and references to them',
    {
      paths: {
        '/x': {
          get: { responses: { '404': { $ref: '#/responses/no' } }, deprecated: true },
          parameters: [{ $ref: '#/parameters/p' }, { in: 'nowhere', name: 'left out' }],
        },
      },
      parameters: { p: { in: 'header', name: 'h', type: 'string', enum: ['a'] } },
      responses: { no: { description: 'No.' } },
    },
    [
      delimited(
        8,
        named(
          2,
          '/x',
          delimited(2, delimited(9, named(1, '404', delimited(2, text(1, '#/responses/no')))), yes(11)),
          delimited(9, delimited(2, text(1, '#/parameters/p'))),
        ),
      ),
      delimited(
        10,
        named(1, 'p', delimited(2, delimited(1, text(2, 'header'), text(4, 'h'), text(5, 'string'), any(20, '"a"')))),
      ),
      delimited(11, named(1, 'no', text(1, 'No.'))),
    ],
  ],
  [
    'definitions',
    {
      definitions: {
        A: {
          description: 'An A.',
          type: 'object',
          required: ['b'],
          properties: {
            b: { $ref: '#/B', 'x-p': ['k'] },
            c: { type: 'array', items: { type: 'string', enum: ['x', 1] } },
          },
        },
        M: { additionalProperties: { type: 'string' } },
        N: { additionalProperties: true },
      },
    },
    [
      delimited(
        9,
        named(
          1,
          'A',
          text(4, 'An A.'),
          text(19, 'b'),
          delimited(22, text(1, 'object')),
          delimited(
            25,
            named(1, 'b', text(1, '#/B'), delimited(31, text(1, 'x-p'), any(2, '["k"]'))),
            named(
              1,
              'c',
              delimited(22, text(1, 'array')),
              delimited(23, delimited(1, any(20, '"x"'), any(20, '1'), delimited(22, text(1, 'string')))),
            ),
          ),
        ),
        named(1, 'M', delimited(21, delimited(1, delimited(22, text(1, 'string'))))),
        named(1, 'N', delimited(21, yes(2))),
      ),
    ],
  ],
  [
    'parameters',
    {
      paths: {
        '/a': {
          parameters: [
            { uniqueItems: true, type: 'string', name: 'p', in: 'path', required: true },
            { type: 'integer', name: 'q', in: 'query' },
          ],
        },
      },
    },
    [
      delimited(
        8,
        named(
          2,
          '/a',
          delimited(
            9,
            delimited(1, delimited(2, delimited(4, yes(1), text(2, 'path'), text(4, 'p'), text(5, 'string'), yes(19)))),
          ),
          delimited(9, delimited(1, delimited(2, delimited(3, text(2, 'query'), text(4, 'q'), text(6, 'integer'))))),
        ),
      ),
    ],
  ],
  [
    'operations',
    {
      paths: {
        '/a': {
          post: {
            tags: ['t'],
            operationId: 'o',
            consumes: ['c'],
            produces: ['p'],
            parameters: [{ name: 'body', in: 'body', required: true, schema: { $ref: 'r' } }],
            responses: { 200: { description: 'OK', schema: { $ref: 's' } } },
            'x-a': 'post',
          },
        },
      },
    },
    [
      delimited(
        8,
        named(
          2,
          '/a',
          delimited(
            4,
            text(1, 't'),
            text(5, 'o'),
            text(6, 'p'),
            text(7, 'c'),
            delimited(
              8,
              delimited(1, delimited(1, text(2, 'body'), text(3, 'body'), yes(4), delimited(5, text(1, 'r')))),
            ),
            delimited(9, named(1, '200', delimited(1, text(1, 'OK'), delimited(2, delimited(1, text(1, 's')))))),
            delimited(13, text(1, 'x-a'), any(2, '"post"')),
          ),
        ),
      ),
    ],
  ],
])('%s', async (_what, document, bytes) => {
  expect(Buffer.from(await encodeVersion2(document)).toString('latin1')).toBe(Buffer.concat(bytes).toString('latin1'));
});

describe('a long document', () => {
  const properties = (count: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string', enum: ['a', 'b'], 'x-b': [index] }]),
    );
  const document: JsonObject = {
    swagger: '2.0',
    definitions: { big: { type: 'object', properties: properties(3000) }, small: { type: 'string' } },
    paths: { '/a': { get: { operationId: 'a' } } },
  };

  test.each([
    ['in protobuf', () => encodeVersion2(document)],
    ['as JSON', () => documentBytes(document)],
  ])('leaves the event loop to others while it is encoded %s', async (_form, encode) => {
    expect(await turnsDuring(encode)).toBeGreaterThan(20);
  });

  test('has the JSON of one piece, and its hash', async () => {
    const odd: JsonObject = {
      ...document,
      list: [1, [properties(2000), null]],
      none: undefined,
      text: 'ü😁'.repeat(70_000),
    };
    const bytes = await documentBytes(odd);
    const text = Buffer.from(bytes).toString();
    expect(text === `${JSON.stringify(odd)}\n`).toBe(true);
    expect(atOnce(hashSteps([text.slice(0, 100), text.slice(100)]))).toBe(documentHash(text));
    expect(atOnce(hashSteps([bytes]))).toBe(documentHash(text));
  });
});
