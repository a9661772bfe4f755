import * as z from 'zod';
import { tooLong, type FieldError } from '../../meta/field-error.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { bytes, goNamed, optional, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { decodedBase64Length, encodeBase64Text } from '../../encoding/base64.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import { keyErrors, MAX_DATA_BYTES, immutableDataErrors } from '../shared/config-data.js';
import { once } from '../shared/once.js';
import { immutableField } from '../shared/validate.js';
import { secretTypeErrors } from './secret-types.js';

/** Default type of a secret. */
const OPAQUE = 'Opaque';

const secretSchema = once(() =>
  struct('Secret', {
    immutable: optional(5, z.boolean(), {
      description: 'If true, neither the data nor this field can be changed.',
    }),
    data: omitted(2, mapOf(bytes()), {
      description: 'Bytes by key, as base64. Keys consist of letters, digits, "-", "_" and ".".',
    }),
    stringData: omitted(4, mapOf(z.string()), {
      description: 'Texts by key. Write-only: each is stored in data and replaces the value of the same key.',
    }),
    type: omitted(3, goNamed('v1.SecretType', z.string()), {
      default: OPAQUE,
      publishedDefault: null,
      description: 'Purpose of the secret. Some types require certain keys. Immutable.',
    }),
  }),
);

type SecretFields = z.output<ReturnType<typeof secretSchema>>;
type SecretObject = StoredObject & SecretFields;

/** Moves `stringData` into `data`, as bytes. `stringData` wins when both have a key. */
function mergeStringData(object: ApiObject): void {
  const secret = object as ApiObject & SecretFields;
  const { stringData } = secret;
  if (stringData === undefined) return;

  const data: Record<string, string> = { ...secret.data };
  for (const key in stringData) data[key] = encodeBase64Text(stringData[key] ?? '');
  if (Object.keys(data).length > 0) secret.data = data;
  delete secret.stringData;
}

const strategy: Strategy = {
  defaults: mergeStringData,
  validate(object, { dialect }) {
    const { data = {}, type } = object as SecretObject;
    const errors: FieldError[] = [];
    let size = 0;
    for (const key in data) {
      keyErrors(errors, 'data', key);
      size += decodedBase64Length(data[key] ?? '');
    }
    if (size > MAX_DATA_BYTES) errors.push(tooLong('data', '', MAX_DATA_BYTES));
    errors.push(...secretTypeErrors(type ?? OPAQUE, data, object.metadata.annotations ?? {}, dialect));
    return errors;
  },
  validateUpdate(object: StoredObject, old: StoredObject) {
    const errors: FieldError[] = [];
    immutableField(errors, 'type', object['type'], old['type']);
    errors.push(...immutableDataErrors(object, old, ['data']));
    return errors;
  },
};

/** Confidential data for programs. */
export const Secret = defineResource({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.0' },
  description: 'Confidential data, as bytes by key. The maximum size of the data is 1 MiB.',
  schema: secretSchema,
  strategy,
  selectableFields: { type: (object) => (object as SecretObject).type ?? '' },
  columns: [
    nameColumn,
    textColumn('Type', 'Purpose of the secret.', (object) => (object as SecretObject).type ?? ''),
    textColumn('Data', 'Number of keys.', (object) => Object.keys((object as SecretObject).data ?? {}).length),
    ageColumn,
  ],
});
