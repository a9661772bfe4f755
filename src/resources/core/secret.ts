import * as z from 'zod';
import { tooLong, type FieldError } from '../../meta/field-error.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { bytes, goNamed, optional, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { decodedBase64Length, encodeBase64 } from '../../encoding/base64.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import { keyErrors, MAX_DATA_BYTES, sealErrors } from '../shared/config-data.js';
import { once } from '../shared/once.js';
import { immutableField } from '../shared/validate.js';
import { secretTypeErrors } from './secret-types.js';

/** The type of a secret that names none. */
const OPAQUE = 'Opaque';

const secretSchema = once(() =>
  struct('Secret', {
    immutable: optional(5, z.boolean(), {
      description: 'If true, the data cannot change any more, and neither can this field.',
    }),
    data: omitted(2, mapOf(bytes()), {
      description: 'Bytes by key, as base64. Keys are letters, digits, "-", "_" and ".".',
    }),
    stringData: omitted(4, mapOf(z.string()), {
      description: 'Texts by key, for writing only: each is stored in data, over what data has under the same key.',
    }),
    type: omitted(3, goNamed('v1.SecretType', z.string()), {
      default: OPAQUE,
      publishedDefault: null,
      description: 'What the secret is for; some types demand keys of their own. Cannot change.',
    }),
  }),
);

type SecretFields = z.output<ReturnType<typeof secretSchema>>;
type SecretObject = StoredObject & SecretFields;

/** Moves `stringData` into `data`, as bytes; on a key that both have, `stringData` wins. */
function mergeStringData(object: ApiObject): void {
  const secret = object as ApiObject & SecretFields;
  const { stringData } = secret;
  if (stringData === undefined) return;
  const encoder = new TextEncoder();
  const data: Record<string, string> = { ...secret.data };
  for (const key in stringData) data[key] = encodeBase64(encoder.encode(stringData[key] ?? ''));
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
    errors.push(...sealErrors(object, old, ['data']));
    return errors;
  },
};

/** Confidential data for other programs to read. */
export const Secret = defineResource({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  origin: 'builtin',
  description: 'Confidential data, as bytes by key. The data of one secret is at most 1 MiB.',
  schema: secretSchema,
  strategy,
  selectableFields: { type: (object) => (object as SecretObject).type ?? '' },
  columns: [
    nameColumn,
    textColumn('Type', 'What the secret is for.', (object) => (object as SecretObject).type ?? ''),
    textColumn('Data', 'Number of keys.', (object) => Object.keys((object as SecretObject).data ?? {}).length),
    ageColumn,
  ],
});
