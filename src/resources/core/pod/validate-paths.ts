import { invalid, type FieldError } from '../../../meta/field-error.js';

/** Detail of permission bits out of range. */
const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

/** A path may not climb. */
export function noBacksteps(errors: FieldError[], field: string, path: string): void {
  if (path.split('/').includes('..')) errors.push(invalid(field, path, "must not contain '..'"));
}

/** A path must lead down from where it starts. */
export function descendingPath(errors: FieldError[], field: string, path: string): void {
  if (path.startsWith('/')) errors.push(invalid(field, path, 'must be a relative path'));
  noBacksteps(errors, field, path);
}

/** A path of a file within a volume: names that start with two dots are kept for the volume's own use. */
export function fileWithinVolume(errors: FieldError[], field: string, path: string): void {
  descendingPath(errors, field, path);
  if (path.startsWith('..') && !path.split('/').includes('..'))
    errors.push(invalid(field, path, "must not start with '..'"));
}

/** Permission bits, 0 to 0777. */
export function fileMode(errors: FieldError[], field: string, mode: number | undefined): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) errors.push(invalid(field, mode, FILE_MODE));
}
