import { decodedBase64Length } from '../../encoding/base64.js';
import * as z from 'zod';
import { invalid, tooLong, type FieldError } from '../../meta/field-error.js';
import { utf8Length } from '../../meta/go-text.js';
import type { StoredObject } from '../../meta/object.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { bytes, optional, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import { keyErrors, MAX_DATA_BYTES, immutableDataErrors } from '../shared/config-data.js';
import { once } from '../shared/once.js';

const configMapSchema = once(() =>
  struct('ConfigMap', {
    immutable: optional(4, z.boolean(), {
      description: 'If true, neither the data nor this field can be changed.',
    }),
    data: omitted(2, mapOf(z.string()), {
      description:
        'Texts by key. Keys consist of letters, digits, "-", "_" and ".". A key must not be in both data and binaryData.',
    }),
    binaryData: omitted(3, mapOf(bytes()), { description: 'Bytes by key, for values that are not UTF-8 text.' }),
  }),
);

type ConfigMapObject = StoredObject & z.output<ReturnType<typeof configMapSchema>>;

function validate(object: StoredObject): FieldError[] {
  const { data = {}, binaryData = {} } = object as ConfigMapObject;
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in data) {
    keyErrors(errors, 'data', key);
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    size += utf8Length(data[key] ?? '');
  }
  for (const key in binaryData) {
    keyErrors(errors, 'binaryData', key);
    size += decodedBase64Length(binaryData[key] ?? '');
  }
  // Kubernetes gives this error an empty path element, which prints as brackets.
  if (size > MAX_DATA_BYTES) errors.push(tooLong('[]', '', MAX_DATA_BYTES));
  return errors;
}

const strategy: Strategy = {
  validate,
  validateUpdate: (object, old) => immutableDataErrors(object, old, ['data', 'binaryData']),
};

/** Configuration data for programs. */
export const ConfigMap = defineResource({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.2' },
  description: 'Configuration data for programs, as texts and bytes by key.',
  schema: configMapSchema,
  strategy,
  columns: [
    nameColumn,
    textColumn('Data', 'Number of keys.', (object) => {
      const { data = {}, binaryData = {} } = object as ConfigMapObject;
      return Object.keys(data).length + Object.keys(binaryData).length;
    }),
    ageColumn,
  ],
});
