export {
  addBounds,
  exactly,
  multiplyBounds,
  scaleBounds,
  UNBOUNDED,
  uniteBounds,
  unknownSize,
  type CostBounds,
} from './cost-bounds.js';
export {
  declare,
  method,
  overload,
  type CelLibrary,
  type CelResult,
  type CelRuntime,
  type FunctionDeclaration,
  type Overload,
} from './declarations.js';
export {
  createCelEnvironment,
  loadCelEnvironments,
  type CelAttempt,
  type CelCompileOptions,
  type CelEnvironment,
  type CelEnvironmentOptions,
  type CelEvaluateOptions,
  type CelEvaluation,
  type CelProgram,
} from './environment.js';
export type { CallEstimate, CallEstimator, EstimatedOperand, SizeEstimator } from './estimate.js';
export { CelCompileError, CelCostError, CelEvaluationError, CelFailure, failure } from './failures.js';
export {
  authorizerType,
  authorizerValue,
  requestResourceValue,
  resourceCheckType,
  type AuthorizationCheck,
  type AuthorizationDecision,
  type CheckedServiceAccount,
  type DecideAuthorization,
  type ResourceAccess,
} from './libraries/authorizer.js';
export {
  authorizerLibrary,
  authorizerSelectorsLibrary,
  baseLibraries,
  cidrLibrary,
  formatLibrary,
  ipLibrary,
  listsLibrary,
  optionalLibrary,
  quantityLibrary,
  regexLibrary,
  setsLibrary,
  storedExpressionLibraries,
  stringsLibrary,
  urlLibrary,
} from './libraries/index.js';
export { DEFAULT_COST_LIMIT, defaultExpressionLimits, type ExpressionLimits } from './limits.js';
export type { Macro, MacroCall } from './macros.js';
export type { RegularExpression, RegularExpressionCompiler } from './regular-expressions.js';
export { CelDuration, CelTimestamp, durationOf, parseDuration, parseTimestamp } from './time-values.js';
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
  type CelParametricType,
  type CelSimpleType,
  type CelType,
  type CelTypeParameter,
} from './types.js';
export {
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTypeValue,
  CelUint,
  fromJson,
  typeNameOf,
  ValueList,
  ValueMap,
  type CelValue,
} from './values.js';
