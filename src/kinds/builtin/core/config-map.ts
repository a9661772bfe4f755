import {
  decodedBase64Length,
  FieldErrorList,
  invalid,
  tooLong,
  utf8Length,
  type Steps,
} from '../../../foundation/index.js';
import type { RequestContext } from '../../../registry/index.js';
import type { coreV1 } from '../../types/index.js';
import type { StoredKind } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { keyErrors, MAX_DATA_BYTES, immutableDataErrors } from '../shared/config-data.js';

function* validate(
  { data = {}, binaryData = {} }: StoredKind<coreV1.ConfigMap>,
  { work }: RequestContext,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  let size = 0;
  for (const key in data) {
    if (errors.spend()) yield;
    keyErrors(errors, 'data', key);
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    size += utf8Length(data[key] ?? '');
  }
  for (const key in binaryData) {
    if (errors.spend()) yield;
    keyErrors(errors, 'binaryData', key);
    size += decodedBase64Length(binaryData[key] ?? '');
  }
  // Kubernetes gives this error an empty path element, which prints as brackets.
  if (size > MAX_DATA_BYTES) errors.push(tooLong('[]', '', MAX_DATA_BYTES));
  return errors;
}

/** Configuration data for programs. */
export const ConfigMap = builtinKind<coreV1.ConfigMap>('core.v1.ConfigMap', {
  behaviour: {
    strategy: {
      validate,
      validateUpdate: (object, old, { work }) => immutableDataErrors(object, old, ['data', 'binaryData'], work),
    },
    cells: {
      Data: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    },
  },
});

/** An object of the kind {@link ConfigMap}. */
export type ConfigMap = coreV1.ConfigMap;
