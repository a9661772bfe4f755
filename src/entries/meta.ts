export {
  type ReloadedFile,
  type ReloadedFileOptions,
  type ReloadMetrics,
  watchReloadedFile,
} from '../foundation/index.js';
export {
  ApiError,
  errors,
  type GroupKind,
  type GroupResource,
  qualified,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
  statusReasons,
} from '../foundation/index.js';
export { type Clock, delay, type Entropy, type Timer } from '../foundation/index.js';
export {
  aggregateText,
  duplicate,
  type ErrorReport,
  FieldError,
  type FieldErrorType,
  fieldErrorTypes,
  forbidden,
  internalField,
  invalid,
  listedTexts,
  notFoundField,
  notSupported,
  OMITTED_VALUE,
  reportOf,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  VerbatimValue,
} from '../foundation/index.js';
export { FieldPath } from '../foundation/index.js';
export {
  FOREGROUND_FINALIZER,
  finalizerWarnings,
  ORPHAN_FINALIZER,
  validateFinalizerDomains,
  validateFinalizers,
  validateNoNewFinalizers,
} from '../foundation/index.js';
export { generateName, MAX_GENERATED_NAME_BASE } from '../foundation/index.js';
export { goQuote, goStringSlice, goSyntax, isPrintable, utf8Length } from '../foundation/index.js';
export { humanDuration } from '../foundation/index.js';
export {
  cloneJson,
  equalJson,
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
  parsedJson,
} from '../foundation/index.js';
export type { LogFields, Logger } from '../foundation/index.js';
export {
  DNS_LABEL_MAX_LENGTH,
  DNS_SUBDOMAIN_MAX_LENGTH,
  dnsLabel,
  dnsLabel1035,
  dnsLabel1035Errors,
  dnsLabelErrors,
  dnsSubdomain,
  dnsSubdomainErrors,
  labelValue,
  maxLengthText,
  type NameRule,
  namespaceName,
  pathSegment,
  patternText,
  qualifiedName,
  serviceAccountName,
} from '../foundation/index.js';
export {
  type ApiObject,
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  kindText,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
  type StoredObject,
  type UserInfo,
} from '../foundation/index.js';
export { dedupOwnerReferences, validateOwnerReferences, type OwnerReferenceStage } from '../foundation/index.js';
export {
  canonicalQuantity,
  compareQuantities,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityError,
  quantityErrors,
  type QuantityFormat,
  quantityToBigInt,
  quantityToNumber,
  roundUpQuantity,
} from '../foundation/index.js';
export { systemClock, systemEntropy } from '../foundation/index.js';
export {
  canonicalMicroTime,
  canonicalTime,
  formatMicroseconds,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
} from '../foundation/index.js';
export { MAX_ANNOTATIONS_BYTES, validateAnnotations, validateLabelKey, validateLabels } from '../foundation/index.js';
export {
  MAX_FIELD_MANAGER_BYTES,
  MAX_SUBRESOURCE_BYTES,
  validateFieldManager,
  validateManagedFields,
} from '../foundation/index.js';
export {
  validateObjectMeta,
  validateObjectMetaUpdate,
  type NewObjectMetaRules,
  type ObjectMetaRules,
  type ObjectMetaUpdateRules,
} from '../foundation/index.js';
