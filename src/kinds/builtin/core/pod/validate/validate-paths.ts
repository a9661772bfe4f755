import { invalid, type FieldError } from '../../../../../foundation/index.js';

/** Message for permission bits out of range. */
const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Validates that a path has no "..". */
export function noBacksteps(errors: FieldError[], field: string, path: string): void {
  if (path.split('/').includes('..')) errors.push(invalid(field, path, "must not contain '..'"));
}

/** Validates that a path is relative and has no "..". */
export function descendingPath(errors: FieldError[], field: string, path: string): void {
  if (path.startsWith('/')) errors.push(invalid(field, path, 'must be a relative path'));
  noBacksteps(errors, field, path);
}

/** Validates the path of a file in a volume; names that start with two dots are reserved. */
export function fileWithinVolume(errors: FieldError[], field: string, path = ''): void {
  descendingPath(errors, field, path);
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(field, path, "must not start with '..'"));
}

/** Validates permission bits, 0 to 0777. */
export function fileMode(errors: FieldError[], field: string, mode: number | undefined): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) errors.push(invalid(field, mode, FILE_MODE));
}
