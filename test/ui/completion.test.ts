import { Text } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { placeAt, type Place } from '../../src/ui/web/complete/place.js';
import { suggestionsAt, type Suggestion } from '../../src/ui/web/complete/suggest.js';

/** Returns the place of the cursor, which is a bar in the text. */
function placeIn(marked: string): Place | undefined {
  const offset = marked.indexOf('|');
  const doc = Text.of((marked.slice(0, offset) + marked.slice(offset + 1)).split('\n'));
  const line = doc.lineAt(offset);
  return placeAt(doc, line.number, offset - line.from);
}

describe('the place of the cursor', () => {
  const shown = (marked: string): unknown => {
    const place = placeIn(marked);
    return place && [place.path.join('.'), place.key ?? (place.isItem ? 'item' : 'key'), place.written];
  };

  test.each([
    ['|', ['', 'key', '']],
    ['spe|', ['', 'key', 'spe']],
    ['spec:\n  rep|', ['spec', 'key', 'rep']],
    ['spec:\n  |\n  a: 1', ['spec', 'key', '']],
    ['spec:\n  policy: Al|', ['spec', 'policy', 'Al']],
    ['spec:\n  policy: |', ['spec', 'policy', '']],
    ['spec:\n  policy: "Al|"', ['spec', 'policy', '"Al']],
    // Items, at the column of their key and deeper.
    ['list:\n- a: 1\n- |', ['list.1', 'item', '']],
    ['list:\n  - a: 1\n    b: 2\n  - c: 3\n    d|', ['list.1', 'key', 'd']],
    ['list:\n  - a|', ['list.0', 'item', 'a']],
    ['list:\n  - a: x|', ['list.0', 'a', 'x']],
    ['a:\n- b:\n  - c: 1\n  - d|', ['a.0.b.1', 'item', 'd']],
    ['a:\n- b: 1\n  c:\n    d|', ['a.0.c', 'key', 'd']],
    ['a:\n  - - b\n    - c|', ['a.0.1', 'item', 'c']],
    ['a:\n- x: 1\nb:\n- y|', ['b.0', 'item', 'y']],
    // Lines before it that are not YAML, comments, keys in quotes, anchors.
    ['a: [\n  {\nspec:\n  b|', ['spec', 'key', 'b']],
    ['spec:\n# note: here\n\n  b|', ['spec', 'key', 'b']],
    ['"a b":\n  c|', ['a b', 'key', 'c']],
    ['a: &x\n  c|', ['a', 'key', 'c']],
    ['a: # why\n  c|', ['a', 'key', 'c']],
    ['a:\n  http://x: 1\n  c|', ['a', 'key', 'c']],
    ['a:\n  text: |\n  more:\n    - x\n'.replace('|', '>') + '  b|', ['a', 'key', 'b']],
  ])('in %j is %j', (marked, expected) => {
    expect(shown(marked)).toEqual(expected);
  });
  test.each([
    ['# spe|'],
    ['spec: # a|'],
    ['spec:|'],
    ['a: >\n  word\n  wo|'],
    ['a: >-\n  key:\n    wo|'],
    ['a: text\n  goes o|'],
    ['- text\n  goes o|'],
    ['a: {b|}'],
    ['a: [b|]'],
    ['a: *b|'],
    [`a: ${'&'.repeat(60)} x\n  b|`],
  ])('in %j is none', (marked) => {
    expect(shown(marked)).toBeUndefined();
  });
  test('has the members of its own map, above and below', () => {
    const members = (marked: string): unknown => [...(placeIn(marked)?.members ?? [])];
    expect(members('spec:\n  a: 1\n  list:\n  - x: 1\n  b|\n  c:\n    d: 1\nstatus: 1')).toEqual([
      ['list', ''],
      ['a', '1'],
      ['c', ''],
    ]);
    expect(members('- a: 1\n- b: 1\n  c|\n  d: 1\n- e: 1')).toEqual([
      ['b', '1'],
      ['d', '1'],
    ]);
    expect(members('- a: 1\n- |\n  d: 1\n\n# x\n  e: 1\n- f: 1')).toEqual([
      ['d', '1'],
      ['e', '1'],
    ]);
  });
  test('is found among 20,000 lines', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `  - name: n${index}`).join('\n');
    expect(shown(`list:\n${many}\n    b|`)).toEqual(['list.19999', 'key', 'b']);
  });
});

describe('suggestions', () => {
  const all = {
    'a.Container': {
      type: 'object',
      required: ['name'],
      properties: {
        image: { type: 'string' },
        name: { type: 'string', description: 'Its name.' },
        policy: { type: 'string', enum: ['Always', 'Never', 'null'], default: 'Never' },
        args: { type: 'array', items: { type: 'string', enum: ['-v', '-q'] } },
        port: { 'x-kubernetes-int-or-string': true },
        stdin: { type: 'boolean' },
      },
    },
  };
  const reference = { allOf: [{ $ref: '#/components/schemas/a.Container' }], default: {} };
  const string = { type: 'string' };
  const own = {
    type: 'object',
    properties: {
      apiVersion: string,
      kind: string,
      spec: {
        type: 'object',
        properties: {
          containers: { type: 'array', items: reference },
          one: { $ref: '#/components/schemas/a.Container' },
          labels: { type: 'object', additionalProperties: string },
          byName: { type: 'object', additionalProperties: reference },
          open: { type: 'object', properties: { known: string }, 'x-kubernetes-preserve-unknown-fields': true },
          template: { type: 'object', 'x-kubernetes-embedded-resource': true },
          size: { type: 'integer', enum: [1, 2] },
          count: { type: 'integer', default: 5 },
          target: { type: 'object', properties: { apiVersion: string, kind: string } },
        },
      },
    },
  };
  const kinds = [
    { apiVersion: 'v1', kind: 'Pod' },
    { apiVersion: 'v1', kind: 'Secret' },
    { apiVersion: 'apps/v1', kind: 'Deployment' },
  ];
  const found = (marked: string): readonly Suggestion[] => {
    const place = placeIn(marked);
    if (place === undefined) throw new Error('there is no place');
    return suggestionsAt(place, { own, all }, kinds);
  };
  const labels = (marked: string): string[] => found(marked).map(({ label }) => label);

  test.each([
    ['|', ['apiVersion', 'kind', 'spec']],
    ['kind: x\n|', ['apiVersion', 'spec']],
    ['spec:\n  containers:\n  - |', ['name', 'image', 'policy', 'args', 'port', 'stdin']],
    ['spec:\n  containers:\n  - name: a\n    args: []\n    |', ['image', 'policy', 'port', 'stdin']],
    ['spec:\n  one:\n    name: a\n    st|', ['image', 'policy', 'args', 'port', 'stdin']],
    // The keys of a map are the user's; its values are not.
    ['spec:\n  labels:\n    |', []],
    ['spec:\n  byName:\n    |', []],
    ['spec:\n  byName:\n    mine:\n      stdin: true\n      name: a\n      |', ['image', 'policy', 'args', 'port']],
    ['spec:\n  open:\n    |', ['known']],
    ['spec:\n  open:\n    other:\n      |', []],
    ['spec:\n  template:\n    |', ['apiVersion', 'kind', 'metadata']],
    ['spec:\n  absent:\n    |', []],
    // Values.
    ['spec:\n  one:\n    policy: |', ['Always', 'Never', '"null"']],
    ['spec:\n  one:\n    stdin: t|', ['true', 'false']],
    ['spec:\n  one:\n    port: |', []],
    ['spec:\n  one:\n    args:\n    - |', ['-v', '-q']],
    ['spec:\n  size: |', ['1', '2']],
    ['spec:\n  count: |', ['5']],
    ['spec:\n  labels:\n    a: |', []],
    // The kinds of the server, in the head and in references.
    ['apiVersion: |', ['apps/v1', 'v1']],
    ['apiVersion: v1\nkind: |', ['Pod', 'Secret']],
    ['apiVersion: |\nkind: Deployment', ['apps/v1']],
    ['spec:\n  target:\n    kind: |\n    apiVersion: apps/v1', ['Deployment']],
    ['spec:\n  template:\n    kind: |', ['Deployment', 'Pod', 'Secret']],
  ])('in %j are %j', (marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });
  test('say the type, whether the member is required, what it is for, and what comes below', () => {
    expect(found('spec:\n  one:\n    |')[0]).toEqual({
      ...{ is: 'key', label: 'name', below: 'value', type: 'string', required: true, description: 'Its name.' },
    });
    const types = Object.fromEntries(found('spec:\n  |').map(({ label, type, below }) => [label, [type, below]]));
    expect(types).toMatchObject({
      containers: ['list of object', 'list'],
      labels: ['map', 'map'],
      template: ['object', 'map'],
      count: ['integer', 'value'],
    });
    expect(found('spec:\n  one:\n    policy: |').map(({ type }) => type)).toEqual(['', 'default', '']);
  });
  test('end in a schema that contains itself', () => {
    const loop = { type: 'object', properties: { a: { $ref: '#/components/schemas/loop' } } };
    const place = placeIn('a:\n  a:\n    a:\n      |');
    expect(place && suggestionsAt(place, { own: loop, all: { loop } }, [])).toHaveLength(1);
  });
});
