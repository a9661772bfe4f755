import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSerializer } from '../../../src/server/codec/json/json.js';
import { parseJson, parseJsonText } from '../../../src/server/codec/json/json-decode.js';
import { scanJson } from '../../../src/server/codec/json/json-scan.js';
import { decodeUtf8 } from '../../../src/foundation/encoding/utf8.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { writtenNumber } from '../../../src/foundation/json/written-number.js';
import { bytes } from './golden.js';

const messageOf = (text: string): string => {
  try {
    parseJsonText(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('duplicates', () => {
  it.each<[string, string[]]>([
    ['{"a":1,"b":{"a":2}}', []],
    [
      '{"metadata":{"labels":{"a":"1","a":"2"}},"data":{"k":"x","k":"y"},"immutable":false,"immutable":false}',
      ['metadata.labels.a', 'data.k', 'immutable'],
    ],
    ['{"spec":{"containers":[{"x":1},{"x":1,"x":2}]}}', ['spec.containers[1].x']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"a":{"b":1},"a":{"b":1,"b":2}}', ['a', 'a.b']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['[[{"k":1}],[{"k":1,"k":[{"z":1,"z":2}]}]]', ['[1][0].k', '[1][0].k[0].z']],
    ['{"a\\"b":1,"a\\"b":2}', ['a"b']],
    ['{"a\\\\":1,"b":"\\\\","b":1}', ['b']],
    ['{"{":"}","[":"]",",":"{\\"a\\":1,\\"a\\":2}"}', []],
  ])('%s', (text, expected) => {
    expect(scanJson(text, 100)).toEqual(expected);
    expect(parseJsonText(text).value).toEqual(JSON.parse(text));
  });

  it('finds one duplicate among many keys', () => {
    const members = Array.from({ length: 40 }, (_, index) => `"k${index}":{"x":${index}}`);
    expect(scanJson(`{${members.join(',')},"k7":1}`, 100)).toEqual(['k7']);
    expect(scanJson(`{${members.join(',')},"last":{"y":1,"y":2}}`, 100)).toEqual(['last.y']);
  });

  it('reports at most 100', () => {
    const members = Array.from({ length: 300 }, (_, index) => `"k${index}":1,"k${index}":2`);
    expect(scanJson(`{${members.join(',')}}`, 100)).toHaveLength(100);
  });

  /** A JSON text with duplicate keys, and the paths that a naive parser finds. */
  type Tree =
    | { readonly kind: 'scalar'; readonly text: string }
    | { readonly kind: 'list'; readonly items: Tree[] }
    | { readonly kind: 'object'; readonly members: [string, Tree][] };
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc
        .constantFrom('1', '-2.5e3', 'true', 'null', '"x"', '"a\\\\\\"{[,:"', '"\\u00e9"')
        .map((text): Tree => ({ kind: 'scalar', text })),
      fc.array(tie('tree'), { maxLength: 3 }).map((items): Tree => ({ kind: 'list', items })),
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', 'key', 'kez', 'q"', 'é'), tie('tree')), { maxLength: 5 })
        .map((members): Tree => ({ kind: 'object', members })),
    ),
  }));
  const textOf = (node: Tree): string =>
    node.kind === 'scalar'
      ? node.text
      : node.kind === 'list'
        ? `[ ${node.items.map(textOf).join(' ,')}]`
        : `{${node.members.map(([key, value]) => `${JSON.stringify(key)} : ${textOf(value)}`).join(', ')} }`;
  const naive = (node: Tree, path: string, found: string[]): string[] => {
    if (node.kind === 'list') node.items.forEach((item, index) => naive(item, `${path}[${index}]`, found));
    if (node.kind !== 'object') return found;
    const seen = new Set<string>();
    for (const [key, value] of node.members) {
      const below = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) found.push(below);
      seen.add(key);
      naive(value, below, found);
    }
    return found;
  };
  it('agrees with a naive parser', () => {
    fc.assert(
      fc.property(tree, (node) => {
        expect(scanJson(textOf(node), 100)).toEqual([...new Set(naive(node, '', []))]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('limits', () => {
  it.each(['[', '{"a":', '[{"a":'])('rejects 100,000 levels of %s before parsing', (open) => {
    expect(messageOf(open.repeat(100_000))).toBe('exceeded max depth');
  });
  it('accepts 10,000 levels and not one more', () => {
    expect(messageOf(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe('no error');
    expect(messageOf(`${'['.repeat(10_001)}${']'.repeat(10_001)}`)).toBe('exceeded max depth');
  });
  it.each(['9007199254740992', '-9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'has the integer %s exactly',
    (literal) => {
      const text = `{"a":${literal},"b":[1,[2,${literal} ]],"c":"${literal}","d":4.0,"e":1e3}`;
      const { value, asWritten } = parseJsonText(text);
      const exact = BigInt(literal);
      expect(value).toEqual({ a: exact, b: [1, [2, exact]], c: literal, d: 4, e: 1000 });
      const written = asWritten?.() as Record<string, JsonValue>;
      expect([written['a'], written['b'], written['c']]).toEqual([exact, [1, [2, exact]], literal]);
      expect([writtenNumber(written['d']), writtenNumber(written['e'])]).toEqual(['4.0', '1e3']);
    },
  );
  it('keeps a text that looks like half of a pair apart from an integer', () => {
    const { value } = parseJsonText(String.raw`["\ud8009007199254740993",9007199254740993]`);
    expect(value).toEqual(['\ufffd9007199254740993', 9007199254740993n]);
  });
  it.each([
    '9007199254740991',
    '-9007199254740991',
    '1e300',
    '0.1234567890123456789',
    '12345678901234567890.5',
    '9223372036854775808',
    '123456789012345678901234567890',
  ])('accepts the number %s', (literal) => {
    expect(parseJsonText(`[${literal}]`).value).toEqual([Number(literal)]);
  });
  it('rejects a number that would become infinite', () => {
    expect(messageOf('[1e400]')).toBe('json: cannot unmarshal number 1e400 into Go value of type float64');
  });
});

describe('text', () => {
  it('replaces every invalid byte as Go does', () => {
    expect(decodeUtf8(Uint8Array.of(0x61, 0xe2, 0x82, 0x62, 0xff, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80))).toBe(
      'a\ufffd\ufffdb\ufffd\ufffd\ufffd\ufffd😀',
    );
  });
  it('never throws and keeps valid text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expect(decodeUtf8(body).replaceAll('\ufffd', '')).toBe(
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(body).replaceAll('\ufffd', ''),
        );
      }),
    );
  });
  it('replaces lone surrogates in values and keys', () => {
    expect(parseJsonText('{"\\ud800":["\\udc00x","\\ud83d\\ude00"]}').value).toEqual({ '\ufffd': ['\ufffdx', '😀'] });
  });
  it('keeps __proto__ as a key', () => {
    const value = parseJsonText('{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"s":"\\ud800"}')
      .value as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 's']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });
});

describe('syntax errors', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{"metadata": {"name": "x"', 'unexpected end of JSON input'],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['01', "invalid character '1' after top-level value"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ])('%j: %s', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });
  it('reports an error for every text that JSON.parse rejects', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]:,"\\0-1.e tfn') }), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        fc.pre(!valid);
        expect(messageOf(text)).toMatch(/^(invalid character|unexpected end|exceeded|the integer|json: cannot)/);
      }),
    );
  });
});

describe('serializer', () => {
  const context = { kind: 'ConfigMap', schema: undefined, schemaFor: () => undefined };
  it('reports an empty body as Kubernetes does', () => {
    expect(() => jsonSerializer().decode(bytes(''), context)).toThrow(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    );
  });
  it('shows the beginning of an invalid body', () => {
    expect(() => jsonSerializer().decode(bytes(`{"a":${' '.repeat(40)}`), context)).toThrow(
      /unexpected end of JSON input \(\{"a": {25} \.\.\.\)$/,
    );
    expect(() => jsonSerializer().decode(bytes('xyz'), context)).toThrow(/\(78797a\)$/);
  });
  it('ends compact JSON with a newline, and indented JSON without one', () => {
    expect(jsonSerializer().encode({ a: 1 }, { pretty: false, schemaFor: () => undefined })).toBe('{"a":1}\n');
    expect(jsonSerializer().encode({ a: [1] }, { pretty: true, schemaFor: () => undefined })).toBe(
      '{\n  "a": [\n    1\n  ]\n}',
    );
  });
  it('parses its own output', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const known = JSON.stringify(JSON.parse(text));
        fc.pre(!/\\u[dD][89a-fA-F]/.test(text) && !/[0-9]{16}/.test(text));
        expect(JSON.stringify(parseJson(bytes(text)).value)).toBe(known);
      }),
    );
  });
});
