/** A list encoded item by item has the bytes of the same list encoded at once. */
import { describe, expect, test } from 'vitest';
import type { ListEncoder, ListFrame, Serializer } from '../../../src/server/codec/codec.js';
import { createCodec } from '../../../src/server/codec/negotiate.js';
import {
  partialObjectMetadata,
  partialObjectMetadataFrame,
} from '../../../src/server/codec/partial-object-metadata.js';
import { concatBytes } from '../../../src/foundation/encoding/bytes.js';
import { encodeUtf8 } from '../../../src/foundation/encoding/utf8.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { kubernetes } from '../../../src/foundation/dialect/dialect.js';

const codec = createCodec({ dialect: kubernetes });
const serializers = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'].map(
  (mediaType): [string, Serializer] => [mediaType, codec.negotiate(mediaType).serializer],
);
const schemaFor = () => undefined;

/** Encodes a list item by item, as bytes. */
function itemByItem(encoder: ListEncoder, items: readonly JsonObject[]): Uint8Array {
  if (encoder.output === 'text') {
    const parts = items.map((item) => encoder.item(item));
    const { head, separator, tail } = encoder.surround(parts.length);
    return encodeUtf8(head + parts.join(separator) + tail);
  }
  const parts = items.map((item) => encoder.item(item).slice());
  const { head, tail } = encoder.surround(concatBytes(parts).length);
  return concatBytes([head, ...parts, tail]);
}

const object = (name: string, annotations: Record<string, string>): JsonObject =>
  partialObjectMetadata(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations, finalizers: ['b/c', 'a'], labels: {} } },
    kubernetes,
    'v1',
  );

const frame: ListFrame = partialObjectMetadataFrame(
  { kind: 'ConfigMapList', metadata: { resourceVersion: '17', continue: 'ä' } },
  'PartialObjectMetadataList',
  kubernetes,
  'v1',
);
const lists: readonly [string, readonly JsonObject[]][] = [
  ['no item', []],
  ['one item', [object('one', { text: 'line\nline', key: '"' })]],
  ['several items', [object('one', {}), object('two', { größe: '№ 5 \u{1f600}', empty: '' }), object('three', {})]],
];

describe.each(serializers)('%s', (_mediaType, serializer) => {
  describe.each([false, true])('indented: %s', (pretty) => {
    test.each(lists)('%s', (_name, items) => {
      const context = { pretty, schemaFor };
      const whole = serializer.encode({ ...frame.members, [frame.items]: [...items] }, context);
      const bytes = typeof whole === 'string' ? encodeUtf8(whole) : whole;
      const parts = itemByItem(serializer.listEncoder(frame, context), items);
      expect(Buffer.from(parts).toString('latin1')).toBe(Buffer.from(bytes).toString('latin1'));
    });
  });
});
