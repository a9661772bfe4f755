import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelsInText } from '../../src/registry/selection/label-scan.js';
import { asciiJson } from '../../src/foundation/json/ascii-json.js';

/** The labels as a parser finds them; undefined when they are not labels. */
function parsedLabels(text: string): unknown {
  const labels = (JSON.parse(text) as { metadata: { labels?: unknown } }).metadata.labels;
  return labels === undefined ? {} : labels;
}

describe('labelsInText', () => {
  test.each([
    ['{"kind":"A","metadata":{"name":"a","labels":{"a":"b"}},"data":{"x":"1"}}', { a: 'b' }],
    ['{"metadata":{"name":"a"}}', {}],
    ['{"metadata":{}}', {}],
    ['{"spec":{"metadata":{"labels":{"a":"inner"}}},"metadata":{"labels":{"a":"outer"}}}', { a: 'outer' }],
    ['{"metadata":{"labels":{"a":"outer"}},"spec":{"metadata":{"labels":{"a":"inner"}}}}', { a: 'outer' }],
    ['{"metadata":{"annotations":{"labels":"x"},"labels":{"a":"b"}},"text":"\\u00e9\\"}"}', { a: 'b' }],
    ['{"metadata":{"labels":{"a":"1"},"labels":{"a":"2"}}}', { a: '2' }],
    ['{"metadata":{"labels":{"a":"1"}},"metadata":{"labels":{"a":"2"}}}', { a: '2' }],
    ['{"metadata":{"labels":{"a":"1"}},"metadata":{}}', {}],
    ['{"metadata":{"labels":{"a":"\\u00e9\\"{\\\\"}},"n":[1,-2.5e+3,true,null]}', { a: 'é"{\\' }],
    ['{"metadata":{"labels":{"__proto__":"x"}}}', JSON.parse('{"__proto__":"x"}')],
  ])('finds those of %s', (text, labels) => {
    expect(labelsInText(text)).toEqual(labels);
    expect(parsedLabels(text)).toEqual(labels);
  });

  test.each([
    [
      '',
      '{"metadata":{"labels":{"a":"b"}}'.slice(0, 20),
      'nonsense',
      '{}',
      '[]}',
      '{"metadata":[]}',
      '{"metadata":null}',
    ],
    [
      '{"metadata":{"labels":null}}',
      '{"metadata":{"labels":{"a":1}}}',
      '{"metadata":{"labels":["a"]}}',
      '{"metadata":{"labels":"","a":""}}',
    ],
    ['{"metadata":{"labels":{"a":"1"}},"\\u006detadata":{}}', '{"metadata":{"\\u006cabels":{"a":"1"}}}'],
    ['{ "metadata":{"labels":{"a":"b"}}}', '{"metadata":{"labels":{"a":}}}', '{"metadata":{"labels":{"a":"b"', '{"a"}'],
  ])('leaves other texts to a parser', (...texts) => {
    for (const text of texts) expect(labelsInText(text), text).toBeUndefined();
  });

  const key = fc.oneof(fc.constantFrom('labels', 'metadata', 'a', 'b"', '\\', 'é', '__proto__'), fc.string());
  const member = fc.tuple(
    key,
    fc.oneof(
      fc.json().map((text) => JSON.stringify(JSON.parse(text))),
      fc.dictionary(key, fc.string()).map((value) => asciiJson(value)),
    ),
  );
  const objectText = (members: fc.Arbitrary<[string, string]>): fc.Arbitrary<string> =>
    fc
      .array(members, { maxLength: 6 })
      .map((list) => `{${list.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
  const metadata = objectText(
    fc.oneof(
      member,
      fc.tuple(
        fc.constant('labels'),
        fc.dictionary(key, fc.string()).map((value) => asciiJson(value)),
      ),
    ),
  );
  const text = objectText(fc.oneof(member, fc.tuple(fc.constant('metadata'), metadata)));

  test('agrees with a parser about every text', () => {
    let found = 0;
    fc.assert(
      fc.property(text, (value) => {
        const labels = labelsInText(value);
        if (labels === undefined) return;
        found += 1;
        expect(labels).toEqual(parsedLabels(value));
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(300);
  });

  test('needs no parser for what a server stores', () => {
    fc.assert(
      fc.property(
        fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (labels, data) => {
          const stored = asciiJson({
            kind: 'A',
            apiVersion: 'v1',
            metadata: { name: 'a', ...(labels === undefined ? {} : { labels }), annotations: { x: 'y' } },
            data: data as never,
          });
          expect(labelsInText(stored)).toEqual(labels === undefined ? {} : JSON.parse(asciiJson(labels)));
        },
      ),
    );
  });
});
