export {
  watchReloadedFile,
  type ReloadedFile,
  type ReloadedFileOptions,
  type ReloadMetrics,
} from '../foundation/index.js';
export {
  ApiError,
  errors,
  qualified,
  statusReasons,
  type GroupKind,
  type GroupResource,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from '../foundation/index.js';
export { delay, type Clock, type Entropy, type Timer } from '../foundation/index.js';
export {
  aggregateText,
  duplicate,
  FieldError,
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
  type ErrorReport,
  type FieldErrorType,
} from '../foundation/index.js';
export { FieldPath } from '../foundation/index.js';
export {
  finalizerWarnings,
  FOREGROUND_FINALIZER,
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
  parsedJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
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
  namespaceName,
  pathSegment,
  patternText,
  qualifiedName,
  serviceAccountName,
  type NameRule,
} from '../foundation/index.js';
export {
  apiVersionOf,
  kindText,
  parseApiVersion,
  type ApiObject,
  type GroupVersionKind,
  type GroupVersionResource,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
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
  quantityError,
  quantityErrors,
  quantityToBigInt,
  quantityToNumber,
  roundUpQuantity,
  type Quantity,
  type QuantityFormat,
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
