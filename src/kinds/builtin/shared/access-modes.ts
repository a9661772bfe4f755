import { forbidden, notSupported, type FieldErrorList, type Steps } from '../../../foundation/index.js';

/** The ways to mount a volume, with their short names in the order of tables. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

const ACCESS_MODES: readonly string[] = [...SHORT_NAMES.keys()].sort();
const ONE_POD = 'ReadWriteOncePod';

/** Supported values of a volume mode. */
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];

/** Adds the errors of access modes. An empty list is not an error here. */
export function* validateAccessModes(errors: FieldErrorList, path: string, modes: readonly string[]): Steps<void> {
  for (const mode of modes) {
    if (errors.spend()) yield;
    if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path, mode, ACCESS_MODES));
  }
  if (modes.includes(ONE_POD) && modes.some((mode) => mode !== ONE_POD && ACCESS_MODES.includes(mode)))
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
}

/** Returns the short names of access modes, as tables print them: `RWO,RWX`. */
export const accessModesText = (modes: readonly string[] | undefined = []): string =>
  [...SHORT_NAMES].flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',');
