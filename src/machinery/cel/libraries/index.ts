/**
 * Function libraries. The standard library belongs to CEL and is in every environment; Kubernetes adds the others to
 * all of its environments.
 *
 * @module
 */
import { standardMacros } from '../syntax/macros.js';
import type { CelLibrary } from '../types/declarations.js';
import { authorizerLibrary, authorizerSelectorsLibrary } from './authorizer.js';
import { bindingsLibrary } from './bindings.js';
import { cidrLibrary } from './cidr.js';
import { conversions } from './conversions.js';
import { withEstimates } from './estimates.js';
import { ipLibrary } from './ip.js';
import { listsLibrary as lists } from './lists.js';
import { formatLibrary } from './named-format.js';
import { operators } from './operators.js';
import { optionalLibrary } from './optional.js';
import { quantityLibrary, quantityType } from './quantity.js';
import { regexLibrary as regex } from './regex.js';
import { semverLibrary } from './semver.js';
import { setsLibrary } from './sets.js';
import { stringsLibrary as strings } from './strings.js';
import { textFunctions } from './text.js';
import { timeFunctions } from './time.js';
import { urlLibrary } from './url.js';

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

/**
 * The libraries of Kubernetes 1.31 for new expressions: those that the release before it also has, so that the
 * expressions still compile after a downgrade.
 */
export const baseLibraries: readonly CelLibrary[] = [
  optionalLibrary,
  stringsLibrary,
  listsLibrary,
  regexLibrary,
  urlLibrary,
  quantityLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  authorizerLibrary,
];

/** The libraries of Kubernetes 1.31 for expressions that are already stored. */
export const storedExpressionLibraries: readonly CelLibrary[] = [...baseLibraries, formatLibrary];

export {
  authorizerLibrary,
  authorizerSelectorsLibrary,
  bindingsLibrary,
  cidrLibrary,
  formatLibrary,
  ipLibrary,
  optionalLibrary,
  quantityLibrary,
  quantityType,
  semverLibrary,
  setsLibrary,
  urlLibrary,
};
