import { describe, expect, it } from 'vitest';
import { asPartialObjectMetadata } from '../../../src/server/codec/partial-object-metadata.js';
import {
  defaultColumns,
  parseIncludeObject,
  tableEvents,
  tableOfList,
  tableOfObject,
  type TableOptions,
} from '../../../src/server/codec/table/table.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { kubernetes } from '../../../src/foundation/dialect/dialect.js';
import type { Column } from '../../../src/registry/definition/definition.js';
import { goldenStep } from './golden.js';

const columns: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', cell: (object) => object.metadata.name ?? '' },
  {
    name: 'Data',
    type: 'string',
    cell: (object: StoredObject) => Object.keys((object['data'] as object | undefined) ?? {}).length,
  },
  { name: 'Age', type: 'string', cell: () => null },
];
const options: TableOptions = { columns, dialect: kubernetes, version: 'v1', includeObject: 'Metadata', nowMs: 0 };

/** Removes fields in which two correct servers may differ. */
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member: unknown) => (key === 'description' ? undefined : member)));
const card = (name: string, data: Record<string, string>): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: '<ns>',
    labels: { set: 'cards' },
    creationTimestamp: '<time>',
    resourceVersion: '<rv>',
    uid: '<uid>',
  },
  data,
});
const one = card('card-a', { k: '1', l: '2' });
const list = {
  apiVersion: 'v1',
  kind: 'ConfigMapList',
  metadata: { resourceVersion: '<rv>' },
  items: [one, card('card-b', { k: '1' })],
};

describe('Table', () => {
  it('of one object, as recorded', () => {
    expect(comparable(tableOfObject(one, options))).toEqual(
      goldenStep('content', 'one object as Table').recorded?.body,
    );
  });
  it.each([
    ['Metadata', 'a list as Table, metadata of each object with it'],
    ['None', 'includeObject=None: rows without objects'],
    ['Object', 'includeObject=Object: rows with whole objects'],
  ] as const)('of a list with %s, as recorded', (includeObject, name) => {
    expect(comparable(tableOfList(list, { ...options, includeObject }))).toEqual(
      goldenStep('content', name).recorded?.body,
    );
  });
  it('rejects an unknown includeObject, as recorded', () => {
    let status: unknown;
    try {
      parseIncludeObject('Half');
    } catch (error) {
      ({ status } = error as { status: unknown });
    }
    expect(status).toEqual(goldenStep('content', 'an unknown includeObject is refused').recorded?.body);
    expect([undefined, '', 'None', 'Object'].map(parseIncludeObject)).toEqual([
      'Metadata',
      'Metadata',
      'None',
      'Object',
    ]);
  });
  it('keeps the metadata of a list', () => {
    const table = tableOfList(
      { ...list, metadata: { resourceVersion: '9', continue: 'tok', remainingItemCount: 4, selfLink: '' } },
      { ...options, version: 'v1beta1' },
    );
    expect(table).toMatchObject({
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata: { resourceVersion: '9', continue: 'tok', remainingItemCount: 4 },
    });
    expect(table['rows']).toMatchObject([{ object: { apiVersion: 'meta.k8s.io/v1beta1' } }, {}]);
  });
  it('has the columns in the first event of a watch only', () => {
    const next = tableEvents(options);
    const recorded = goldenStep('watch', 'Table events: the columns come with the first only').recorded?.body as {
      object: { columnDefinitions: unknown };
    }[];
    expect(recorded.map(({ object }) => object.columnDefinitions === null)).toEqual([false, true, true, true, true]);
    expect([1, 2, 3].map((now) => atOnce(next(one, now, UNBOUNDED_WORK))['columnDefinitions'] === null)).toEqual([
      false,
      true,
      true,
    ]);
  });
  it('shows name and creation time for a kind without columns', () => {
    const table = tableOfObject(one, { ...options, columns: defaultColumns });
    expect(table).toMatchObject({
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        { name: 'Created At', type: 'date', format: '', priority: 0 },
      ],
      rows: [{ cells: ['card-a', '<time>'] }],
    });
  });
});

describe('PartialObjectMetadata', () => {
  it.each([
    ['one object as PartialObjectMetadata', 'PartialObjectMetadata', one, false],
    ['a list as PartialObjectMetadataList', 'PartialObjectMetadataList', list, true],
  ] as const)('%s, as recorded', (name, kind, object, isList) => {
    expect(asPartialObjectMetadata(object, kind, isList, kubernetes, 'v1')).toEqual(
      goldenStep('content', name).recorded?.body,
    );
  });
  it('rejects the form of a list for an object, and vice versa', () => {
    expect(() => asPartialObjectMetadata(one, 'PartialObjectMetadataList', false, kubernetes, 'v1')).toThrow(
      'you requested PartialObjectMetadataList, but the requested object is not a list (ConfigMap)',
    );
    expect(() => asPartialObjectMetadata(list, 'PartialObjectMetadata', true, kubernetes, 'v1')).toThrow(
      expect.objectContaining({ code: 406 }),
    );
  });
});
