import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  equalSets,
  intersection,
  isEmpty,
  leaves,
  recursiveDifference,
  union,
} from '../../../src/machinery/apply/fieldpath/fieldset.js';
import {
  FieldSetError,
  keyElement,
  parseElement,
  pathText,
  valueElement,
} from '../../../src/machinery/apply/fieldpath/element.js';
import { fieldSet, type FieldSet } from '../../../src/machinery/index.js';
import { fromFieldsV1, toFieldsV1 } from '../../../src/machinery/apply/fieldpath/fields-v1.js';
import { has, paths, type Path } from '../../../src/machinery/apply/fieldpath/paths.js';

const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'v:"x"', 'v:2', 'v:10', 'k:{"n":1}', 'k:{"n":"1"}', 'i:0');
const pathArbitrary = fc.array(element, { minLength: 1, maxLength: 3 });
const setArbitrary = fc.array(pathArbitrary, { maxLength: 8 }).map((all) => fieldSet(...all));
const texts = (set: FieldSet): string[] => [...paths(set)].map((path) => JSON.stringify(path)).sort();
const model = (set: FieldSet): Set<string> => new Set(texts(set));

describe('laws of sets, compared with sets of paths', () => {
  it.each([
    ['union', union, (a: Set<string>, b: Set<string>) => new Set([...a, ...b])],
    ['intersection', intersection, (a: Set<string>, b: Set<string>) => new Set([...a].filter((path) => b.has(path)))],
    ['difference', difference, (a: Set<string>, b: Set<string>) => new Set([...a].filter((path) => !b.has(path)))],
    [
      'recursiveDifference',
      recursiveDifference,
      (a: Set<string>, b: Set<string>) =>
        new Set(
          [...a].filter(
            (path) =>
              !(JSON.parse(path) as Path).some((_e, index, all) => b.has(JSON.stringify(all.slice(0, index + 1)))),
          ),
        ),
    ],
  ] as const)('%s', (_name, operation, expected) => {
    fc.assert(
      fc.property(setArbitrary, setArbitrary, (a, b) => {
        const before = [JSON.stringify(a), JSON.stringify(b)];
        const result = operation(a, b);
        expect(texts(result)).toEqual([...expected(model(a), model(b))].sort());
        expect(isEmpty(result)).toBe(texts(result).length === 0);
        expect([JSON.stringify(a), JSON.stringify(b)]).toEqual(before);
      }),
    );
  });

  it('round trips through FieldsV1, in any input order', () => {
    fc.assert(
      fc.property(setArbitrary, (set) => {
        const reversed = JSON.parse(JSON.stringify(set), (_key, value: unknown) =>
          typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).reverse()) : value,
        ) as FieldSet;
        expect(equalSets(fromFieldsV1(reversed), set)).toBe(true);
        expect(JSON.stringify(toFieldsV1(fromFieldsV1(reversed)))).toBe(JSON.stringify(toFieldsV1(set)));
        for (const path of paths(set)) expect(has(set, path)).toBe(true);
        expect(texts(leaves(set))).toEqual(
          texts(set).filter(
            (text) => !texts(set).some((other) => other !== text && other.startsWith(text.slice(0, -1) + ',')),
          ),
        );
      }),
    );
  });
});

describe('FieldsV1', () => {
  it('is written in Kubernetes order: self, fields by bytes, keys and values by value, indices', () => {
    const set = fieldSet(
      ['f:x'],
      ['f:x', 'i:0'],
      ['f:x', 'v:10'],
      ['f:x', 'v:9'],
      ['f:x', 'v:"a"'],
      ['f:x', 'k:{"p":443}'],
      ['f:x', 'k:{"p":80}'],
      ['f:x', 'f:b'],
      ['f:x', 'f:B'],
      ['f:x', 'f:\u{1F600}'],
      ['f:x', 'f:\uFFFD'],
    );
    expect(Object.keys((toFieldsV1(set) as { 'f:x': object })['f:x'])).toEqual([
      '.',
      'f:B',
      'f:b',
      'f:\uFFFD',
      'f:\u{1F600}',
      'k:{"p":80}',
      'k:{"p":443}',
      'v:9',
      'v:10',
      'v:"a"',
      'i:0',
    ]);
  });

  it('normalizes elements and omits unknown ones', () => {
    expect(
      toFieldsV1(fromFieldsV1({ 'f:l': { 'k:{"b": 1, "a":"x"}': {}, 'z:later': {}, 'v: true': { '.': {} } } })),
    ).toEqual({ 'f:l': { 'k:{"a":"x","b":1}': {}, 'v:true': {} } });
    expect(valueElement('<&>\u2028\b"')).toBe('v:"\\u003c\\u0026\\u003e\\u2028\\u0008\\""');
    expect(valueElement('\ud800\\b\f\ufffd\u{1f600}\n')).toBe('v:"\\ufffd\\\\b\\u000c\ufffd\u{1f600}\\n"');
    expect(keyElement({ b: true, a: null })).toBe('k:{"a":null,"b":true}');
  });

  it.each([
    ['x', 'key must be 2 characters long:'],
    ['fa', 'missing colon: fa'],
    ['i:x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['v:{', 'cannot read "v:{" as a path element'],
  ])('rejects %s', (text, message) => {
    expect(() => fromFieldsV1({ [text]: {} })).toThrow(new FieldSetError(message));
    expect(() => parseElement(text)).toThrow(FieldSetError);
  });

  it('formats paths as Kubernetes does', () => {
    expect(pathText(['f:spec', 'f:ports', 'k:{"port":443,"protocol":"TCP"}', 'f:a', 'v:"q\\u003c"', 'i:3'])).toBe(
      '.spec.ports[port=443,protocol="TCP"].a[="q<"][3]',
    );
  });
});
