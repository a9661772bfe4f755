import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { parseYaml, yamlSerializer } from '../../../src/server/codec/yaml/yaml.js';
import { encodeYaml } from '../../../src/server/codec/yaml/write/yaml-emit.js';
import { bytes, goldenStep } from './golden.js';

const parse = async (text: string): Promise<JsonValue> => (await parseYaml(bytes(text))).value;
const messageOf = async (text: string): Promise<string> =>
  parse(text).then(
    () => 'no error',
    (error: Error) => error.message,
  );

describe('reading', () => {
  it.each<[string, JsonValue]>([
    ['', null],
    ['# nothing\n', null],
    ['a: yes\nb: Off\nc: y\nd: "yes"\n', { a: true, b: false, c: true, d: 'yes' }],
    ['a: 010\nb: 0x1F\nc: 0b11\nd: 1_000\ne: 08\nf: +3\ng: 0o17\n', { a: 8, b: 31, c: 3, d: 1000, e: 8, f: 3, g: 15 }],
    ['a: 1.5\nb: .5\nc: 1e3\nd: 1.\n', { a: 1.5, b: 0.5, c: 1000, d: 1 }],
    ['a: 2024-01-02\nb: 2024-01-02T03:04:05Z\nc: 12:30\n', { a: '2024-01-02', b: '2024-01-02T03:04:05Z', c: '12:30' }],
    ['a:\nb: ~\nc: null\nd: ""\n', { a: null, b: null, c: null, d: '' }],
    ['1: a\ntrue: b\n2.5: c\n"1": d\n', { 1: 'd', true: 'b', 2.5: 'c' }],
    ['a: !!str 1\nb: !!int "2"\nc: !!float 3\nd: !!binary aGk=\ne: !mine x\n', { a: '1', b: 2, c: 3, d: 'hi', e: 'x' }],
    ['a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\nc: *x\n', { a: { k: 1, l: 2 }, b: { k: 3, l: 2 }, c: { k: 1, l: 2 } }],
    ['a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc:\n  <<: [*x, *y]\n', { a: { k: 1 }, b: { k: 2, m: 3 }, c: { k: 1, m: 3 } }],
    ['---\na: 1\n---\n{not: [yaml\n', { a: 1 }],
    ['{"a": {"b": [1, true, null, "x"]}}', { a: { b: [1, true, null, 'x'] } }],
    ['a: >-\n  two\n  lines\nb: |\n  one\n  two\n', { a: 'two lines', b: 'one\ntwo\n' }],
    ['- a\n- - b\n', ['a', ['b']]],
  ])('%j', async (text, expected) => {
    expect(await parse(text)).toEqual(expected);
  });

  it('sorts keys, as the conversion through JSON does', async () => {
    expect(Object.keys((await parse('metadata: 1\ndatum: 2\napiVersion: 3\n')) as object)).toEqual([
      'apiVersion',
      'datum',
      'metadata',
    ]);
  });

  it('keeps __proto__ as a key', async () => {
    const value = (await parse('__proto__: {x: 1}\n')) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect('x' in value).toBe(false);
  });

  it.each([
    ['metadata:\n\tname: x\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: *nope\n', "yaml: unknown anchor 'nope' referenced"],
    ['a: &a [*a]\n', "yaml: anchor 'a' value contains itself"],
    ['? [a]\n: 1\n', 'yaml: invalid map key'],
    ['a: !!int x\n', 'yaml: cannot decode !!str `x` as a !!int'],
    ['a: b: c\n', 'yaml: line 1: mapping values are not allowed in this context'],
    ['a: .inf\n', 'json: unsupported value: +Inf'],
    ['a: .nan\n', 'json: unsupported value: NaN'],
    ['a: \x01\n', 'yaml: control characters are not allowed'],
    ['<<: 1\n', 'yaml: map merge requires map or sequence of maps as the value'],
  ])('rejects %j: %s', async (text, message) => {
    expect(await messageOf(text)).toBe(message);
  });

  it('rejects invalid UTF-8', async () => {
    await expect(parseYaml(Uint8Array.of(0x61, 0xff))).rejects.toThrow('invalid leading UTF-8 octet');
  });
});

describe('attacks', () => {
  it('rejects an alias bomb quickly', async () => {
    let bomb = 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n';
    for (let level = 1; level < 12; level += 1)
      bomb += `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]\n`;
    expect(await messageOf(bomb)).toBe('yaml: document contains excessive aliasing');
  });
  it.each(['[', '{a: ', '- ', '? '])('rejects 50,000 levels of %j', async (open) => {
    expect(await messageOf(open.repeat(50_000))).toBe('yaml: exceeded max depth');
  });
  it('rejects more values than its limit', async () => {
    const limits = { maxDepth: 10, maxContainers: 10, maxYamlValues: 5 };
    expect((await parseYaml(bytes('a: [1, 2, 3]\n'), limits)).value).toEqual({ a: [1, 2, 3] });
    await expect(parseYaml(bytes('a: [1, 2, 3, 4]\n'), limits)).rejects.toThrow('more than 5 values');
    await expect(parseYaml(bytes('a: &a [1]\nb: *a\n'), limits)).rejects.toThrow('more than 5 values');
  });
  it('rejects more objects and lists than its limit with 413', async () => {
    const limits = { maxDepth: 10, maxContainers: 3, maxYamlValues: 100 };
    expect((await parseYaml(bytes('a: [{}]\n'), limits)).value).toEqual({ a: [{}] });
    const failure = { code: 413, message: 'Request entity too large: the body has more than 3 objects and lists' };
    await expect(parseYaml(bytes('a: [{}, []]\n'), limits)).rejects.toMatchObject(failure);
    await expect(parseYaml(bytes('a: &a []\nb: *a\nc: *a\n'), limits)).rejects.toMatchObject(failure);
  });
  it('rejects an object of more than 100,000 members with 413', async () => {
    const keys = (count: number): Uint8Array =>
      bytes(Array.from({ length: count }, (_, index) => `k${index}: 1\n`).join(''));
    expect(Object.keys((await parseYaml(keys(100_000))).value as object)).toHaveLength(100_000);
    await expect(parseYaml(keys(100_001))).rejects.toMatchObject({
      code: 413,
      message: 'Request entity too large: the body has an object with more than 100000 members',
    });
  });
  it('reads levels that would exceed a call stack', async () => {
    const depth = 9000;
    let value = await parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    let levels = 0;
    for (; Array.isArray(value) && value.length > 0; value = value[0] as JsonValue) levels += 1;
    expect(levels).toBe(depth - 1);
  });
});

describe('duplicate keys', () => {
  it('are reported with their line, and the last wins', async () => {
    const text = goldenStep('field-validation', 'POST YAML, Warn: a duplicate key').request?.text ?? '';
    const document = await parseYaml(bytes(text));
    expect(document).toMatchObject({
      duplicates: ['line 7: key "k" already set in map'],
      duplicateForm: 'line',
      value: { data: { k: 'second' } },
    });
  });
  it('are distinguished by type', async () => {
    expect((await parseYaml(bytes('1: a\n"1": b\n1: c\ntrue: x\nyes: y\n'))).duplicates).toEqual([
      'line 3: key 1 already set in map',
      'line 5: key true already set in map',
    ]);
  });
  it('are reported for JSON too', async () => {
    expect((await parseYaml(bytes('{"a":1,\n"a":2}'))).duplicates).toEqual(['line 2: key "a" already set in map']);
  });
});

describe('writing', () => {
  it.each([
    ['content', 'Accept application/yaml is YAML (of a Status)'],
    ['discovery', 'resources of authentication.k8s.io/v1 as YAML'],
  ])('%s: %s', async (family, name) => {
    const recorded = goldenStep(family, name).recorded?.body as string;
    expect(encodeYaml((await parse(recorded)) as JsonObject)).toBe(recorded);
  });

  // Expected texts are the output of Go's YAML library.
  it.each<[JsonValue, string]>([
    [{ a: '' }, 'a: ""\n'],
    [{ a: 'yes', y: 'n' }, 'a: "yes"\n"y": "n"\n'],
    [
      { a: '1', b: '1.5', c: '0x1', d: '08', e: '12:30', f: '1_0' },
      'a: "1"\nb: "1.5"\nc: "0x1"\nd: "08"\ne: "12:30"\nf: "1_0"\n',
    ],
    [{ a: '2024-01-02T03:04:05Z', b: '2024-13-02', c: 'v1' }, 'a: "2024-01-02T03:04:05Z"\nb: 2024-13-02\nc: v1\n'],
    [
      {
        a: '- x',
        b: 'a: b',
        c: 'a #b',
        d: '*',
        e: ' x',
        f: 'x ',
        g: "it's",
        h: "'q'",
        i: '[]',
        j: 'a:b',
        k: '-x',
        l: '?',
      },
      "a: '- x'\nb: 'a: b'\nc: 'a #b'\nd: '*'\ne: ' x'\nf: 'x '\ng: it's\nh: '''q'''\ni: '[]'\nj: a:b\nk: -x\nl: '?'\n",
    ],
    [
      { a: 'tab\there', b: '😀', c: '\u0000\u001b', d: 'é', e: '\u2028' },
      'a: "tab\\there"\nb: "\\U0001F600"\nc: "\\0\\e"\nd: é\ne: "\\L"\n',
    ],
    [
      { a: 'x\ny', b: 'x\ny\n', c: 'x\n\n', d: ' x\ny', e: 'x \ny', f: '\n' },
      'a: |-\n  x\n  y\nb: |\n  x\n  y\nc: |+\n  x\n\nd: |2-\n   x\n  y\ne: "x \\ny"\nf: |2+\n\n',
    ],
    [{ l: [1, [2, [3]], { a: 1, b: [] }, {}], e: [] }, 'e: []\nl:\n- 1\n- - 2\n  - - 3\n- a: 1\n  b: []\n- {}\n'],
    [
      { m: {}, n: null, t: true, f: 1234567.5, g: 0.00001, h: 1e21 },
      'f: 1.2345675e+06\ng: 1e-05\nh: 1e+21\nm: {}\n"n": null\nt: true\n',
    ],
    [{ item10: 1, item2: 2, Item: 3, _x: 4, '.': 5 }, '.: 5\n_x: 4\nItem: 3\nitem2: 2\nitem10: 1\n'],
    [{ [`k${'x'.repeat(128)}`]: [1], z: 1 }, `? k${'x'.repeat(128)}\n: - 1\nz: 1\n`],
    [[1, 'a'], '- 1\n- a\n'],
  ])('%j', (value, text) => {
    expect(encodeYaml(value)).toBe(text);
  });

  it('folds long strings at the first space after column 80', () => {
    const words = Array.from({ length: 30 }, () => 'word').join(' ');
    expect(encodeYaml({ text: words })).toBe(
      `text: ${Array.from({ length: 16 }, () => 'word').join(' ')}\n  ${Array.from({ length: 14 }, () => 'word').join(' ')}\n`,
    );
    expect(
      encodeYaml({ text: `${words}: x` })
        .split('\n')[0]
        ?.startsWith("text: 'word"),
    ).toBe(true);
  });

  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(...'ab :-#\n\t\'"\\yn01.,[]{}&*?|>%@`~\u0085\u2028'), maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('word', ' ', '  ', "'", '"', '\t', 'ö'), minLength: 20, maxLength: 60 }),
      fc.constantFrom(
        'yes',
        'NO',
        '1',
        '0x1',
        '1e3',
        '2001-01-01',
        'null',
        '~',
        '.inf',
        '<<',
        '---',
        '...',
        '=',
        '1:20',
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(
          fc.string({ maxLength: 8 }),
          fc.constantFrom('y', '1', '__proto__', 'x'.repeat(130), 'a\nb', '- ', '?'),
        ),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;
  it('parses back to the same value', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (original) => {
        const wrapped = { it: original };
        const text = encodeYaml(wrapped);
        const canonical = JSON.stringify(wrapped, (_key, member: unknown) =>
          typeof member === 'object' && member !== null && !Array.isArray(member)
            ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
            : Object.is(member, -0)
              ? 0
              : member,
        );
        expect(JSON.stringify(await parse(text)), text).toBe(canonical);
      }),
      { numRuns: 400 },
    );
  });
});

describe('serializer', () => {
  const context = { kind: 'ConfigMap', schema: undefined, schemaFor: () => undefined };
  it('rejects with 400', () => {
    let failure: unknown;
    try {
      void yamlSerializer().decode(bytes('metadata:\n\tname: x\n'), context);
    } catch (error) {
      failure = error;
    }
    const message =
      /^the object provided is unrecognized \(must be of type ConfigMap\): yaml: line 2: .* \(6d6574616461.*\)$/;
    expect(failure).toMatchObject({ code: 400, message: expect.stringMatching(message) as string });
  });
  it('decodes a short body at once, and a long one in slices of its work', async () => {
    let slices = 0;
    let spent = 0;
    const work = {
      ...UNBOUNDED_WORK,
      spend: (units: number) => (spent += units) > 10_000 * (slices + 1),
      next: () => {
        slices += 1;
        return Promise.resolve();
      },
    };
    const decode = (text: string) => yamlSerializer().decode(bytes(text), { ...context, work });
    expect(decode('data: {a: b}\n')).toMatchObject({ value: { data: { a: 'b' } } });
    const long = decode(`data:\n${'  a: b\n'.repeat(5_000)}`);
    expect(long).toBeInstanceOf(Promise);
    expect((await long).value).toEqual({ data: { a: 'b' } });
    expect(slices).toBeGreaterThan(3);
    const failing = decode(`${'# c\n'.repeat(20_000)}data: [`);
    await expect(failing).rejects.toMatchObject({ code: 400 });
  });
});
