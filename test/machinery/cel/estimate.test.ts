import { describe, expect, it } from 'vitest';
import {
  boolType,
  bytesType,
  createCelEnvironment,
  declare,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  method,
  objectType,
  scaleBounds,
  stringType,
  timestampType,
  UNBOUNDED,
  type CelLibrary,
  type CelType,
  type SizeEstimator,
} from '../../../src/machinery/cel/index.js';

const item = objectType('Item', { count: intType, name: stringType, tags: listType(stringType) });
const variables: Record<string, CelType> = {
  a: boolType,
  b: boolType,
  c: boolType,
  d: boolType,
  x: intType,
  y: intType,
  s: stringType,
  t: stringType,
  bytes1: bytesType,
  t1: timestampType,
  t2: timestampType,
  d1: durationType,
  d2: durationType,
  any: dynType,
  item,
  strings: listType(stringType),
  strings2: listType(stringType),
  items: listType(item),
  nested: listType(listType(item)),
  map: mapType(stringType, item),
  maps: mapType(stringType, mapType(stringType, item)),
};

/** Sizes by path: `items.@items.name`. */
const sizesOf = (max: Record<string, number>): SizeEstimator => ({
  sizeOf: (path) => {
    const size = max[path.join('.')];
    return size === undefined ? undefined : { min: 0, max: size };
  },
});

async function estimate(
  expression: string,
  sizes: Record<string, number> = {},
  libraries?: readonly CelLibrary[],
): Promise<readonly [bigint, bigint]> {
  const environment = await createCelEnvironment(libraries === undefined ? { variables } : { variables, libraries });
  const { min, max } = environment.compile(expression).estimateCost(sizesOf(sizes));
  return [min, max];
}

describe('the estimated cost of the language equals that of Kubernetes', () => {
  it.each<[string, Record<string, number>, number, number | bigint]>([
    ['"Hello World!"', {}, 0, 0],
    ['s', {}, 1, 1],
    ["map['key']", {}, 2, 2],
    ['map.key', {}, 2, 2],
    ['item.count', {}, 2, 2],
    ['any.count', {}, 1, 1],
    ['any.?count', {}, 2, 2],
    ['has(item.count)', {}, 1, 1],
    ['has(maps.a.b)', {}, 2, 2],
    ['[1, 2, 3]', {}, 10, 10],
    ['{"a": 1, "b": 2}', {}, 30, 30],
    ['int == type(x)', {}, 4, 1844674407370955267n],
    ['items.all(i, true)', { items: 100 }, 2, 302],
    ['items.exists(i, true)', { items: 100 }, 2, 402],
    ['items.exists_one(i, true)', { items: 100 }, 3, 203],
    ['nested.all(i, i.all(j, true))', { nested: 50, 'nested.@items': 10 }, 2, 1752],
    ['[1, 2, 3].all(i, true)', {}, 20, 20],
    ["s.matches('[0-9]')", { s: 500 }, 3, 103],
    ["'123'.matches('[0-9]')", {}, 2, 2],
    ['matches(s, "[0-9]")', { s: 500 }, 2, 2],
    ['true || false', {}, 0, 0],
    ['a || b || c || d', {}, 1, 4],
    ['a && (b || c) && d', {}, 1, 4],
    ['x == 1 && a', {}, 2, 3],
    ['1 < 2', {}, 1, 1],
    ['1 == 2', {}, 1, 1],
    ['2 in [1, 2, 3]', {}, 13, 13],
    ['s in strings', { strings: 20 }, 2, 22],
    ['s in map', { map: 20 }, 3, 3],
    ['true ? 1 : 2', {}, 0, 0],
    ['size("123")', {}, 1, 1],
    ['string(bytes1)', { bytes1: 500 }, 1, 51],
    ['string(bytes1) == string(bytes1)', { bytes1: 500 }, 3, 152],
    ['bytes(s)', { s: 500 }, 1, 51],
    ['bytes(s) == bytes(s)', { s: 500 }, 3, 302],
    ['string(1)', {}, 1, 1],
    ['s.contains(t)', { s: 500, t: 500 }, 2, 2502],
    ['s.startsWith(t)', { t: 500 }, 2, 52],
    ['s.endsWith(t)', { t: 500 }, 2, 52],
    ['s.size()', {}, 2, 2],
    ['(x > 2 ? items : nested[0]).all(i, true)', { items: 1, 'nested.@items': 1 }, 4, 8],
    ['map.all(k, map[k].count > 3)', { map: 10 }, 2, 82],
    ['maps.all(k, maps[k].all(i, true))', { maps: 5, 'maps.@values': 10 }, 2, 187],
    ['map.all(k, k.contains(k))', { map: 5, 'map.@keys': 10 }, 2, 32],
    ['maps.all(k, maps[k].all(k, true) && k.contains(k))', { maps: 2, 'maps.@values': 2, 'maps.@keys': 5 }, 2, 34],
    ['(strings + strings2).all(i, true)', { strings: 10, strings2: 10 }, 4, 64],
    ['"abcdefg".contains(s + t)', { s: 10, t: 10 }, 2, 6],
    ['strings.size() == strings2.size()', {}, 5, 5],
    ['x > y ? strings.size() : strings2.size()', {}, 5, 5],
    ['s.endsWith("abcdefghijklmnopqrstuvwxyz") == t.endsWith("abcdefghijklmnopqrstuvwxyz")', {}, 9, 9],
    ['((5 != 6) == (1 == 2)) == ((3 <= 4) == (9 != 9))', {}, 7, 7],
    ['string(t1) == string(t2)', {}, 5, 1844674407370955268n],
    ['t1 == t2', {}, 3, 3],
    ['d1 != d2', {}, 3, 3],
    ['strings.map(i, i).map(i, i)', { strings: 10 }, 23, 283],
    ['strings.filter(i, i == t).size() > 0', { strings: 10, 'strings.@items': 20, t: 5 }, 14, 174],
    ['any.all(i, true)', {}, 2, UNBOUNDED],
    ['item.?name.orValue("") == "x"', {}, 4, 4],
    ['item.?name.optMap(n, n + "x")', { n: 10 }, 4, 20],
  ])('%s', async (expression, sizes, min, max) => {
    expect(await estimate(expression, sizes)).toEqual([BigInt(min), BigInt(max)]);
  });
});

describe('the estimated cost of the extension functions equals that of Kubernetes', () => {
  it.each<[string, Record<string, number>, number, number]>([
    ['[1, 2, 3, 4, 5].sum()', {}, 15, 15],
    ['[uint(1), uint(2), uint(3), uint(4), uint(5)].max()', {}, 20, 20],
    ['strings.isSorted()', { strings: 5, 'strings.@items': 12 }, 1, 16],
    ['strings.indexOf("x")', { strings: 5, 'strings.@items': 12 }, 1, 16],
    ["'01234567890123456789012345678901234567890123456789'.indexOf('123')", {}, 5, 5],
    ['s.lowerAscii()', { s: 50 }, 1, 6],
    ['s.lowerAscii().contains(t)', { s: 50, t: 10 }, 2, 12],
    ['s.substring(5)', { s: 50 }, 1, 6],
    ['s.trim() == t.trim()', { s: 50, t: 20 }, 3, 11],
    ["s.replace('a', 'bc')", { s: 50 }, 1, 11],
    ["s.replace('a', 'bc') == t", { s: 50, t: 200 }, 3, 22],
    ["s.replace('', 'x') == t", { s: 50, t: 200 }, 3, 23],
    ["s.replace('ab', 'x') == t", { s: 50, t: 200 }, 3, 17],
    ["s.split(',').all(p, true)", { s: 50 }, 2, 162],
    ["s.split(',', 3).all(p, true)", { s: 50 }, 2, 21],
    ['strings.join()', { strings: 10, 'strings.@items': 20 }, 1, 21],
    ['strings.join(",")', { strings: 10, 'strings.@items': 20 }, 1, 22],
    ['strings.join(",").contains(t)', { strings: 10, 'strings.@items': 20, t: 10 }, 2, 44],
    ["s.find('[0-9]+')", { s: 50 }, 3, 13],
    ["s.findAll('[0-9]+').all(m, true)", { s: 50 }, 4, 164],
    ['"%s".format([s])', {}, 12, 12],
    ['strings.quote(s) == t', { s: 10, t: 40 }, 3, 6],
  ])('%s', async (expression, sizes, min, max) => {
    expect(await estimate(expression, sizes)).toEqual([BigInt(min), BigInt(max)]);
  });
});

describe('sizes', () => {
  it('are asked for by path, without the variable for members of computed values', async () => {
    const asked: string[] = [];
    const environment = await createCelEnvironment({ variables });
    environment.compile('items[0].name == "x" && (a ? item : items[1]).name == t').estimateCost({
      sizeOf: (path, type) => {
        asked.push(`${path.join('.')}: ${type.kind}`);
        return undefined;
      },
    });
    expect(asked).toEqual([
      'items.@items.name: string',
      'item: object',
      'items.@items: object',
      'name: string',
      't: string',
    ]);
  });

  it('may be infinite, and have a minimum', async () => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile('strings.all(i, true)');
    expect(program.estimateCost({ sizeOf: () => ({ min: 2, max: Infinity }) })).toEqual({ min: 8n, max: UNBOUNDED });
    expect(program.estimateCost()).toEqual({ min: 2n, max: UNBOUNDED });
  });
});

it('a function of a custom library costs what its estimate says, otherwise 1', async () => {
  const domains: CelLibrary = {
    name: 'domains',
    functions: [
      declare(
        'plain',
        method('string_plain', [stringType], stringType, ([text]) => text),
      ),
      declare('domain', {
        ...method('string_domain', [stringType], stringType, ([text]) => text),
        estimate: ([text]) => ({ cost: scaleBounds(text?.size ?? { min: 0n, max: 0n }, 0.5), resultSize: text?.size }),
      }),
    ],
  };
  expect(await estimate('s.plain()', { s: 10 }, [domains])).toEqual([2n, 2n]);
  expect(await estimate('s.domain() == t', { s: 10, t: 100 }, [domains])).toEqual([3n, 8n]);
});
