import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { compileJsonPath, jsonPathSize, MAX_VISITS } from '../../../src/machinery/selectors/json-path.js';

const object: JsonObject = {
  kind: 'Widget',
  metadata: { name: 'a', labels: { 'app.io/name': 'web', 'a-b': 'c' }, annotations: {} },
  spec: {
    size: 3,
    ratio: 0.5,
    on: true,
    none: null,
    empty: [],
    ports: [{ port: 80 }, { port: 443, name: 'https' }, { port: 8080, name: 'alt' }],
    matrix: [[1, 2], [3]],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', at: 1 },
      { type: 'Synced', status: 'False', at: 2 },
    ],
  },
};

const first = (path: string, from: JsonObject = object): unknown => compileJsonPath(path).first(from);

describe('a path selects its first value', () => {
  test.each<readonly [path: string, value: unknown]>([
    ['.spec.size', 3],
    ['.spec.none', null],
    ['.spec.missing', undefined],
    ['.spec.size.deeper', undefined],
    ['.spec', object['spec']],
    ['.metadata.labels.app\\.io/name', 'web'],
    [".metadata.labels['app\\.io/name']", 'web'],
    [".metadata.labels['a-b']", 'c'],
    // As in Kubernetes, a point in quotes separates names.
    [".['metadata.name']", undefined],
    [".spec['size']", 3],
    [".metadata.labels['app.io/name']", undefined],
    ['.spec.ports[0].port', 80],
    ['.spec.ports[-1].port', 8080],
    ['.spec.ports[1:].name', 'https'],
    ['.spec.ports[0:2].name', 'https'],
    ['.spec.ports[::2].port', 80],
    ['.spec.ports[1::2].port', 443],
    ['.spec.ports[-2:].port', 443],
    ['.spec.ports[:-1].name', 'https'],
    ['.spec.ports[].port', 80],
    ['.spec.ports[*].name', 'https'],
    ['.spec.ports[0,2].name', 'alt'],
    [".spec['missing','size']", 3],
    ['.spec.matrix[*][0]', 1],
    ['.spec.empty[*]', undefined],
    ['.spec.empty[0:0]', undefined],
    ['.metadata.*', 'a'],
    ['..name', 'a'],
    ['..port', 80],
    ['.spec..name', 'https'],
    ['..', object],
    ['$.spec.size', 3],
    ['.status.conditions[?(@.type=="Synced")].status', 'False'],
    [".status.conditions[?(@.type=='Ready')].status", 'True'],
    ['.status.conditions[?(@.type == "Ready")].status', 'True'],
    ['.status.conditions[?(@.type!="Ready")].type', 'Synced'],
    ['.status.conditions[?(@.at>1)].type', 'Synced'],
    ['.status.conditions[?(@.at<=1)].type', 'Ready'],
    ['.status.conditions[?(@.at>=2)].type', 'Synced'],
    ['.status.conditions[?(@.at<2)].type', 'Ready'],
    ['.spec.ports[?(@.name)].port', 443],
    ['.status.conditions[?(@.status=="(True)")].type', undefined],
    ['.spec "a text"', 'a text'],
    ['..constructor', undefined],
    ['.__proto__', undefined],
    ['.spec.ports.length', undefined],
  ])('%s', (path, value) => {
    expect(first(path)).toEqual(value);
  });

  test.each([
    ['an index beyond the list', '.spec.ports[3].port'],
    ['a slice beyond the list', '.spec.ports[1:9].port'],
    ['an index before the list', '.spec.ports[-4].port'],
    ['a slice that ends before it begins', '.spec.ports[2:1].port'],
    ['a step of 0', '.spec.ports[0:2:0].port'],
    ['an index of an object', '.spec[0]'],
    ['a filter of an object', '.spec[?(@.size)]'],
    ['an absent value in a comparison', '.spec.ports[?(@.name=="https")].port'],
    ['values of two kinds in a comparison', '.status.conditions[?(@.at=="1")].type'],
    ['an integer beside another number', '.spec.ports[?(@.port>0.5)].port'],
    ['an order of truth values', '.status.conditions[?(true<false)].type'],
    ['an unknown operator', '.status.conditions[?(@.at=>1)].type'],
    ['a word of templates', '.spec range'],
  ])('%s selects nothing', (_name, path) => {
    expect(first(path)).toBeUndefined();
  });

  test('a filter by a path that does not fit an item selects the item, as in Kubernetes', () => {
    expect(first('.spec.ports[?(@.port[0])].port')).toBe(80);
  });
});

test.each([
  ['.spec.ports[', 'unterminated array'],
  ['.spec.ports[a]', 'invalid array index a'],
  ['.spec.ports["a"]', 'invalid array index "a"'],
  ['.spec.ports[?(@.a==1]', 'unterminated filter'],
  ['.spec.ports[?(@.a==1)x', 'unclosed array expect ]'],
  ['.spec....a', 'invalid multiple recursive descent'],
  ['.spec..*', 'unrecognized character in action: "*"'],
  ['.spec}', 'unrecognized character in action: "}"'],
  ['.spec "a', 'unterminated quoted string'],
  ['.spec\n', 'unclosed action'],
])('%j is invalid', (path, message) => {
  expect(() => compileJsonPath(path)).toThrow(new SyntaxError(message));
  expect(jsonPathSize(path)).toBeUndefined();
});

describe('work', () => {
  const visited = (): { readonly list: JsonObject; readonly count: () => number } => {
    let count = 0;
    const item = (): JsonObject =>
      Object.defineProperty({}, 'a', { enumerable: true, get: () => ((count += 1), 1) }) as JsonObject;
    return { list: { items: Array.from({ length: 100 }, item) }, count: () => count };
  };

  test('ends with the first value', () => {
    const { list, count } = visited();
    expect(first('.items[*].a', list)).toBe(1);
    expect(count()).toBeLessThan(4);
  });

  test('has a bound, beyond which nothing is selected', () => {
    const items = Array.from({ length: MAX_VISITS }, () => ({ a: 1 }));
    expect(first('.items[?(@.a==2)]', { items })).toBeUndefined();
    expect(first('.items[?(@.b)].a', { items: [...items, { b: 1, a: 2 }] })).toBeUndefined();
    expect(first('.items[?(@.b)].a', { items: [...items.slice(0, 100), { b: 1, a: 2 }] })).toBe(2);
    let nested: JsonObject = { name: 'deep' };
    for (let depth = 0; depth < 60; depth += 1) nested = { a: nested };
    expect(first('..a..a..a..a..zz', nested)).toBeUndefined();
    expect(first('..name', nested)).toBe('deep');
  });

  test('is known by the size of a path', () => {
    expect(jsonPathSize('.a.b[0]')).toEqual({ segments: 3, descents: 0 });
    expect(jsonPathSize('..a[?(@..b==1)]')).toEqual({ segments: 6, descents: 2 });
    expect(jsonPathSize('.a[0,1]')).toEqual({ segments: 4, descents: 0 });
  });
});
