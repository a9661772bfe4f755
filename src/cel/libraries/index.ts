/**
 * Function libraries. The standard library belongs to CEL and is in every environment; Kubernetes adds the others to
 * all of its environments. This server does not have the libraries `url`, `quantity`, `ip`, `cidr`, `sets`,
 * `authorizer` and named formats: calls to them do not compile. Each new library gets its own file here.
 *
 * @module
 */
import type { CelLibrary } from '../declarations.js';
import { standardMacros } from '../macros.js';
import { conversions } from './conversions.js';
import { withEstimates } from './estimates.js';
import { listsLibrary as lists } from './lists.js';
import { operators } from './operators.js';
import { optionalLibrary } from './optional.js';
import { regexLibrary as regex } from './regex.js';
import { stringsLibrary as strings } from './strings.js';
import { textFunctions } from './text.js';
import { timeFunctions } from './time.js';

/** CEL's own functions and macros. */
export const standardLibrary: CelLibrary = {
  name: 'standard',
  functions: withEstimates([...operators, ...conversions, ...textFunctions, ...timeFunctions]),
  macros: standardMacros,
};

const estimated = (library: CelLibrary): CelLibrary => ({ ...library, functions: withEstimates(library.functions) });

/** The functions on lists. */
export const listsLibrary = estimated(lists);
/** The functions on patterns. */
export const regexLibrary = estimated(regex);
/** The functions on text. */
export const stringsLibrary = estimated(strings);

/** The implemented libraries of the Kubernetes base environment. */
export const baseLibraries: readonly CelLibrary[] = [optionalLibrary, stringsLibrary, listsLibrary, regexLibrary];

export { optionalLibrary };
