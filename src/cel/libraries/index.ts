/**
 * What expressions can call, in sets. The standard set belongs to the language and is in every environment; the others are
 * what the production system adds to all of its environments. Those still to come (`url`, `quantity`, `ip`, `cidr`, `sets`,
 * `authorizer`, named formats) belong here, a file each; until then a call of one does not compile.
 *
 * @module
 */
import type { CelLibrary } from '../declarations.js';
import { standardMacros } from '../macros.js';
import { conversions } from './conversions.js';
import { listsLibrary } from './lists.js';
import { operators } from './operators.js';
import { optionalLibrary } from './optional.js';
import { regexLibrary } from './regex.js';
import { stringsLibrary } from './strings.js';
import { textFunctions } from './text.js';
import { timeFunctions } from './time.js';

/** The language's own functions and macros. */
export const standardLibrary: CelLibrary = {
  name: 'standard',
  functions: [...operators, ...conversions, ...textFunctions, ...timeFunctions],
  macros: standardMacros,
};

/** The libraries of production's base environment, as far as they are here. */
export const baseLibraries: readonly CelLibrary[] = [optionalLibrary, stringsLibrary, listsLibrary, regexLibrary];

export { listsLibrary, optionalLibrary, regexLibrary, stringsLibrary };
