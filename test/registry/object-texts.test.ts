import { describe, expect, test } from 'vitest';
import type { ApiObject, ManagedFieldsEntry } from '../../src/foundation/objects/object.js';
import { asciiJson } from '../../src/foundation/json/ascii-json.js';
import { ObjectTexts } from '../../src/registry/records/record-codec.js';

const FIELDS = { 'f:data': { '.': {}, 'f:mode': {} } };

const entryOf = (entry: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager: 'test',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2024-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: FIELDS,
  ...entry,
});

const objectOf = (managedFields: ManagedFieldsEntry[], data: unknown = { mode: 'fast' }): ApiObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'x', labels: { app: '"managedFields":[]' }, managedFields },
  data,
});

/** Encodes objects in a row, each twice, and expects the text of the plain encoder. */
function expectTexts(...objects: ApiObject[]): void {
  const texts = new ObjectTexts();
  for (const object of [...objects, ...objects]) {
    const before = JSON.stringify(object);
    expect(texts.of(object)).toBe(asciiJson(object));
    expect(JSON.stringify(object)).toBe(before);
  }
}

describe('texts of objects', () => {
  test('are those of the plain encoder, for entries that come again', () => {
    expectTexts(...Array.from({ length: 5 }, () => objectOf([entryOf()])));
  });

  test('tell entries with the same fields apart', () => {
    expectTexts(
      objectOf([entryOf()]),
      objectOf([entryOf({ time: '2024-01-01T00:00:01Z' })]),
      objectOf([entryOf({ manager: 'other' })]),
      objectOf([entryOf({ subresource: 'status' })]),
      objectOf([entryOf(), entryOf({ operation: 'Apply' })]),
    );
  });

  test('keep the order of the members of an entry', () => {
    const { manager = '', ...rest } = entryOf();
    expectTexts(objectOf([entryOf()]), objectOf([{ ...rest, manager }]));
  });

  test('forget entries that come no more', () => {
    expectTexts(...Array.from({ length: 30 }, (_, index) => objectOf([entryOf({ manager: `m${index}` })])));
  });

  test('are ASCII', () => {
    expectTexts(objectOf([entryOf({ manager: 'Grüße' })], { mode: '\u{1f600}' }));
  });

  test('do not take other members for the managed fields', () => {
    const nested = { metadata: { managedFields: [] }, managedFields: [] };
    expectTexts(objectOf([entryOf()], nested), objectOf([], nested), {
      data: nested,
      ...objectOf([entryOf()]),
    });
  });

  test('are made of objects without entries, and of what has no metadata', () => {
    const { metadata, ...rest } = objectOf([]);
    const withoutEntries: ApiObject = { ...rest, metadata: { name: metadata.name ?? '' } };
    expectTexts(withoutEntries, objectOf([entryOf({ fieldsType: '' }), {}]));
  });

  test('are made of entries too long to be kept', () => {
    const fieldsV1 = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f:field-${index}`, {}]));
    expectTexts(objectOf([entryOf({ fieldsV1 })]), objectOf([entryOf({ fieldsV1 })]));
  });
});
