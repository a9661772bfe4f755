import { hexNumber } from '../encoding/hex.js';
import { appendErrors, FieldErrorList } from '../errors/field-error-list.js';
import { invalid, tooLong, type FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { isPrintable, utf8Length } from '../go/go-text.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import type { ManagedFieldsEntry } from './object.js';

/** Maximum length of a field manager's name, in bytes. */
export const MAX_FIELD_MANAGER_BYTES = 128;
/** Maximum length of a subresource in a record of field ownership, in bytes. */
export const MAX_SUBRESOURCE_BYTES = 256;

/** A name of printable ASCII that is not too long, as nearly all are. */
const ORDINARY = /^[\x20-\x7e]{0,128}$/;

/**
 * Returns the errors of a field manager's name: too long, or with unprintable characters. The empty name has no errors.
 */
export function validateFieldManager(manager: string, field: FieldPath | string): FieldError[] {
  return ORDINARY.test(manager) ? [] : atOnce(checkFieldManager(manager, field, UNBOUNDED_WORK));
}

/** Does the same as {@link validateFieldManager}, in steps. */
function* checkFieldManager(manager: string, field: FieldPath | string, work: Work): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  if (utf8Length(manager) > MAX_FIELD_MANAGER_BYTES) found.push(tooLong(field, manager, MAX_FIELD_MANAGER_BYTES));
  let position = 0;
  for (const character of manager) {
    if (work.spend(CHARACTER_UNITS)) yield;
    if (!isPrintable(character)) {
      const code = hexNumber(character.codePointAt(0) ?? 0, 4).toUpperCase();
      found.push(invalid(field, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(character);
  }
  return found;
}

/** Returns true for an entry as the server writes it, which has no errors. */
const isOrdinary = ({ operation, fieldsType, manager = '', subresource = '' }: ManagedFieldsEntry): boolean =>
  (operation === 'Update' || operation === 'Apply') &&
  fieldsType === 'FieldsV1' &&
  ORDINARY.test(manager) &&
  ORDINARY.test(subresource);

/** Units of work to check an entry, and a character of a name that is not ordinary. */
const ENTRY_UNITS = 16;
const CHARACTER_UNITS = 4;

/** Returns the errors of managedFields. Only a client that sets them itself sees these errors. */
export function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: FieldPath,
): FieldError[] {
  return atOnce(checkManagedFields(entries ?? [], path, UNBOUNDED_WORK));
}

/** Does the same as {@link validateManagedFields}, in steps. */
export function* checkManagedFields(
  entries: readonly ManagedFieldsEntry[],
  path: FieldPath,
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  for (const [index, entry] of entries.entries()) {
    if (work.spend(ENTRY_UNITS)) yield;
    if (isOrdinary(entry)) continue;
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    const at = path.index(index);
    if (operation !== 'Apply' && operation !== 'Update')
      found.push(invalid(at.child('operation'), operation, 'must be `Apply` or `Update`'));
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      found.push(invalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    if (!ORDINARY.test(manager)) appendErrors(found, yield* checkFieldManager(manager, at.child('manager'), work));
    if (utf8Length(subresource) > MAX_SUBRESOURCE_BYTES)
      found.push(tooLong(at.child('subresource'), subresource, MAX_SUBRESOURCE_BYTES));
  }
  return found;
}
