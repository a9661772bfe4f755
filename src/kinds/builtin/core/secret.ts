import {
  appendErrors,
  decodedBase64Length,
  encodeBase64Text,
  FieldErrorList,
  keysInSteps,
  setOwnMember,
  tooLong,
  workOf,
  type Steps,
} from '../../../foundation/index.js';
import type { RequestContext, Strategy, Unvalidated } from '../../../registry/index.js';
import type { coreV1 } from '../../types/index.js';
import type { StoredKind } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { keyErrors, MAX_DATA_BYTES, immutableDataErrors } from '../shared/config-data.js';
import { immutableField } from '../shared/validate.js';
import { isEmptyMap } from './pod/empty-map.js';
import { secretTypeErrors } from './secret-types.js';

type SecretObject = StoredKind<coreV1.Secret>;

/** Units of work to encode a short text: about a microsecond. */
const ENTRY_UNITS = 24;

/** Moves `stringData` into `data`, as bytes. `stringData` wins when both have a key. */
function* mergeStringData(secret: Unvalidated<SecretObject>, context: RequestContext): Steps<void> {
  const { stringData } = secret;
  if (stringData === undefined) return;

  const work = workOf(context);
  const data: NonNullable<typeof secret.data> = { ...secret.data };
  let isEmpty = secret.data === undefined || isEmptyMap(secret.data);
  for (const key of yield* keysInSteps(stringData, work)) {
    if (work.spend(ENTRY_UNITS)) yield;
    setOwnMember(data, key, encodeBase64Text(stringData[key] ?? ''));
    isEmpty = false;
  }
  if (!isEmpty) secret.data = data;
  delete secret.stringData;
}

const strategy: Strategy<SecretObject> = {
  defaults: mergeStringData,
  *validate({ metadata, data = {}, type = '' }, { dialect, work }) {
    const errors = new FieldErrorList(work);
    let size = 0;
    for (const key in data) {
      if (errors.spend()) yield;
      keyErrors(errors, 'data', key);
      size += decodedBase64Length(data[key] ?? '');
    }
    if (size > MAX_DATA_BYTES) errors.push(tooLong('data', '', MAX_DATA_BYTES));
    appendErrors(errors, secretTypeErrors(type, data, metadata.annotations ?? {}, dialect));
    return errors;
  },
  *validateUpdate(object, old, { work }) {
    const errors = new FieldErrorList(work);
    immutableField(errors, 'type', object.type, old.type);
    appendErrors(errors, yield* immutableDataErrors(object, old, ['data'], work));
    return errors;
  },
};

/** Confidential data for programs. */
export const Secret = builtinKind<coreV1.Secret>('core.v1.Secret', {
  behaviour: {
    strategy,
    cells: {
      Type: ({ type = '' }) => type,
      Data: ({ data = {} }) => Object.keys(data).length,
    },
  },
});

/** An object of the kind {@link Secret}. */
export type Secret = coreV1.Secret;
