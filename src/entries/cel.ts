/**
 * The Common Expression Language as Kubernetes uses it: environments, programs, function libraries and values. Works
 * without a server.
 *
 * @module
 */
export { addBounds, multiplyBounds, UNBOUNDED, type CostBounds } from '../machinery/cel/cost/cost-bounds.js';
export type { CallEstimate, CallEstimator, EstimatedOperand, SizeEstimator } from '../machinery/cel/cost/estimate.js';
export type { ExpressionLimits } from '../machinery/cel/cost/limits.js';
export {
  createCelEnvironment,
  type CelAttempt,
  type CelCompileOptions,
  type CelEnvironment,
  type CelEnvironmentOptions,
  type CelEvaluateOptions,
  type CelEvaluation,
  type CelProgram,
} from '../machinery/cel/environment.js';
export {
  CelCompileError,
  CelCostError,
  CelEvaluationError,
  CelFailure,
  failure,
} from '../machinery/cel/evaluate/failures.js';
export { CelDuration, CelTimestamp, parseDuration, parseTimestamp } from '../machinery/cel/evaluate/time-values.js';
export {
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTypeValue,
  CelUint,
  fromJson,
  typeNameOf,
  type CelValue,
} from '../machinery/cel/evaluate/values.js';
export {
  authorizerType,
  authorizerValue,
  type AuthorizationCheck,
  type AuthorizationDecision,
  type CheckedServiceAccount,
  type DecideAuthorization,
  type ResourceAccess,
} from '../machinery/cel/libraries/authorizer.js';
export {
  authorizerLibrary,
  authorizerSelectorsLibrary,
  baseLibraries,
  bindingsLibrary,
  cidrLibrary,
  formatLibrary,
  ipLibrary,
  listsLibrary,
  optionalLibrary,
  quantityLibrary,
  quantityType,
  regexLibrary,
  semverLibrary,
  setsLibrary,
  storedExpressionLibraries,
  stringsLibrary,
  urlLibrary,
} from '../machinery/cel/libraries/index.js';
export {
  declare,
  method,
  overload,
  type CelLibrary,
  type CelResult,
  type CelRuntime,
  type CelValuesOf,
  type FunctionDeclaration,
  type Overload,
} from '../machinery/cel/types/declarations.js';
export {
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  typeParameter,
  typeType,
  uintType,
  type CelObjectType,
  type CelOpaqueType,
  type CelParametricKind,
  type CelParametricType,
  type CelSimpleKind,
  type CelSimpleType,
  type CelType,
  type CelTypeParameter,
} from '../machinery/cel/types/types.js';
