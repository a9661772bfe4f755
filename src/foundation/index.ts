/**
 * The door of the foundation: what everything may use. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { afterFrames } from './async/after-frames.js';
export { ArrivalWait, connectionAccepted } from './async/arrivals.js';
export { keepAlive, type KeepAlive } from './async/keep-alive.js';
export { codeLoaded, loading } from './async/loading.js';
export { HeldMemory, type RoomMemory } from './async/held-memory.js';
export { MessageQueue, SharedRoom } from './async/message-queue.js';
export { onAbort } from './async/on-abort.js';
export { TurnBatches } from './async/turn-batches.js';
export { WaitingRoom } from './async/waiting-room.js';
export { inSharedTurn, nextTurn, repeatInTurns, shareTurn, turnsPutOff, visitInTurns } from './async/turn.js';
export { untilAborted } from './async/until-aborted.js';
export { promised, readyPromise, readyValue, rejected, whenReady } from './async/when-ready.js';
export { within } from './async/within.js';
export { addMember, removeMember } from './collections/members.js';
export { appendAll, appendTo, greatest, least, withoutRoom } from './collections/append-to.js';
export { deepFrozen } from './collections/deep-frozen.js';
export { definedOnly, type Defined, type Optional } from './collections/defined-only.js';
export { equalInSlices, equalSteps, equalValueSteps } from './collections/equal-steps.js';
export { joinedSteps } from './collections/joined-steps.js';
export { keysInSteps, MAX_MEMBERS } from './collections/keys-in-steps.js';
export { Linked, LinkedList } from './collections/linked-list.js';
export { LruMap } from './collections/lru-map.js';
export { ownMember, setOwnMember } from './collections/own-property.js';
export { sortedSteps } from './collections/sorted-steps.js';
export { DerReader } from './der/der-reader.js';
export { decodeBitString, decodeObjectIdentifier, encodeObjectIdentifier, isDerInteger } from './der/der-values.js';
export { derBitString, derInteger, derSequence, derValue, type Der } from './der/der-writer.js';
export {
  constructedContextTag,
  contextTag,
  DerTag,
  readDerHeader,
  type DerElement,
  type DerHeader,
} from './der/der.js';
export { encodePem, parsePem, type PemBlock, type PemDocument, type PemJunk, type PemLimits } from './der/pem.js';
export { privateKeyAsPkcs8 } from './der/private-key-forms.js';
export {
  type AutoscalerAnnotations,
  autoscalerAnnotationsOf,
  defineDialect,
  type Dialect,
  type DialectNamespaces,
  type DialectOpenApi,
  type DialectOptions,
  type DialectPod,
  chosenDialect,
  dialects,
  type DialectSecretTypes,
  type DialectSigners,
  kubernetes,
  orch,
} from './dialect/dialect.js';
export { groupName, groupSuffixes, systemGroup, type DialectGroups, type SystemGroup } from './dialect/groups.js';
export { encodeBase32 } from './encoding/base32.js';
export {
  canonicalBase64,
  decodeBase64,
  decodeBase64Latin1,
  decodeBase64Text,
  decodedBase64Length,
  decodeGoBase64,
  encodeBase64,
  encodeBase64Text,
} from './encoding/base64.js';
export {
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64Url,
  encodeBase64UrlText,
  viewBase64Url,
} from './encoding/base64url.js';
export {
  compareBytes,
  concatBytes,
  equalBytes,
  latin1,
  latin1Bytes,
  latin1Writer,
  uninitializedBytes,
} from './encoding/bytes.js';
export { BodyPieces } from './encoding/body-pieces.js';
export { codePointCount, codePointsOf, compareText } from './encoding/code-points.js';
export { decodeHex, encodeHex, hexNumber, hexOfByte } from './encoding/hex.js';
export { ProtobufError, ProtobufReader, WireType } from './encoding/protobuf-reader.js';
export { ProtobufWriter } from './encoding/protobuf-writer.js';
export {
  decodeUtf8,
  decodeUtf8Lossy,
  decodeValidUtf8,
  encodeUtf8,
  isAscii,
  utf8Length,
  viewUtf8,
  writeUtf8,
} from './encoding/utf8.js';
export { uuidOf } from './encoding/uuid.js';
export {
  ApiError,
  errors,
  qualified,
  reasonOfCode,
  statusReasons,
  type GroupKind,
  type GroupResource,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from './errors/api-error.js';
export { messageOf, toError, wrapError } from './errors/error-message.js';
export { allErrors, appendErrors, FieldErrorList, omittedErrors } from './errors/field-error-list.js';
export {
  aggregateText,
  duplicate,
  FieldError,
  forbidden,
  internalField,
  invalid,
  listedTexts,
  notFoundField,
  MAX_SUPPORTED_VALUES,
  notSupported,
  supportedValues,
  OMITTED_VALUE,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  verbatim,
  VerbatimValue,
  type FieldErrorType,
} from './errors/field-error.js';
export { FieldPath } from './errors/field-path.js';
export { MAX_SHOWN_CHARACTERS, quotedText, shownText } from './errors/shown-text.js';
export { isLongValue, LONG_VALUE, shownGoSyntax, shownGoValue } from './errors/shown-value.js';
export { TRUNCATED_CHARACTERS, WARNING_CHARACTERS, WarningList } from './errors/warning-list.js';
export { parseGoBool } from './go/go-bool.js';
export { formatGoDuration, goDurationNanos, parseGoDuration } from './go/go-duration.js';
export { SHORT_ESCAPES } from './go/go-escapes.js';
export { goObjectError } from './go/go-json-errors.js';
export { goJson, sortedKeys } from './go/go-json.js';
export { goQuote, goStringSlice, goSyntax, isPrintable } from './go/go-text.js';
export { escapedPath, parseGoUrl, parseQuery, parseRequestUri, splitHost, type GoUrl } from './go/go-url.js';
export { goFloat, goNumber, goTypeName, goValue } from './go/go-values.js';
export { grouped } from './go/grouped-number.js';
export { unstructured } from './go/unstructured-value.js';
export { hostCrypto, type HostCrypto, type HostHash, type HostKey } from './host/host-crypto.js';
export { hostModule } from './host/host-module.js';
export { hostProcess, processorClock, type HostProcess } from './host/host-process.js';
export { networkOf } from './host/network-of.js';
export { watchReloadedFile, type ReloadedFile, type ReloadMetrics } from './host/reloaded-file.js';
export { systemClock, systemEntropy } from './host/system-runtime.js';
export type { WebKey, WebKeyPair, WebKeyParameters, WebSignatureParameters } from './host/web-crypto.js';
export { asciiJson, asciiText } from './json/ascii-json.js';
export { compareInt64, integerWithin, nextInt64, secondsAsMs } from './json/int64.js';
export { JsonCuts, PIECE_LENGTH } from './json/json-cuts.js';
export { parseAtOnce, parseSteps, type JsonSource } from './json/json-parse.js';
export { JsonTextSteps, jsonTextSteps } from './json/json-text-steps.js';
export {
  afterString,
  hasBigIntegers,
  holdAsWritten,
  holdAsWrittenSteps,
  integerValue,
  isBigInteger,
  jsonText,
  jsonValue,
} from './json/json-text.js';
export { jsonValueSteps } from './json/json-value-steps.js';
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
} from './json/json.js';
export { isLargeValue, isLargeWork, LONG_TEXT, noteLength, runSteps } from './json/large-value.js';
export { leastLength } from './json/least-length.js';
export { parseShortJson, TooManyValues } from './json/short-json.js';
export { stringOrEmpty } from './json/string-or-empty.js';
export { plainNumbers, plainNumbersSteps, writtenNumber } from './json/written-number.js';
export { onlyCollectorFieldsDiffer } from './objects/collector-fields.js';
export { changesBetween, sameValue, type FieldChange } from './objects/field-changes.js';
export {
  DEFAULT_DEFINITION_LIMITS,
  type DefinitionLimitOptions,
  type DefinitionLimits,
} from './objects/definition-limits.js';
export { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from './objects/finalizers.js';
export { generateName } from './objects/generate-name.js';
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
} from './objects/names.js';
export { NODE_USER_PREFIX, nodeNameOf, NODES_GROUP } from './objects/node-identity.js';
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
} from './objects/object.js';
export { isObjectKey, OBJECT_KEYS } from './objects/object-keys.js';
export {
  comparedParts,
  firstVersion,
  nextVersion,
  oldestVersionIn,
  type ObjectVersion,
} from './objects/object-version.js';
export { frozenUser } from './objects/frozen-user.js';
export { dedupOwnerReferences } from './objects/owner-references.js';
export { quantityErrors, scanQuantity, type QuantityFormat } from './objects/quantity-scan.js';
export {
  canonicalQuantity,
  compareQuantities,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  quantityError,
  quantityToBigInt,
  quantityToNumber,
  roundUpQuantity,
  type Quantity,
} from './objects/quantity.js';
export { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from './objects/semantic-version.js';
export {
  parseServiceAccountUsername,
  SERVICE_ACCOUNTS_GROUP,
  serviceAccountGroups,
  serviceAccountUsername,
} from './objects/service-account-names.js';
export {
  checkAnnotations,
  checkLabels,
  MAX_ANNOTATIONS_BYTES,
  validateAnnotations,
  validateLabelKey,
  validateLabels,
} from './objects/validate-labels.js';
export { MAX_FIELD_MANAGER_BYTES } from './objects/validate-managed-fields.js';
export {
  checkObjectMeta,
  checkObjectMetaUpdate,
  isLargeMeta,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type NewObjectMetaRules,
  type ObjectMetaRules,
  type ObjectMetaUpdateRules,
} from './objects/validate-object-meta.js';
export { compareVersions } from './objects/version-priority.js';
export {
  aBoolean,
  aClock,
  aSignal,
  aCount,
  aFunction,
  aName,
  aNumber,
  anObject,
  aText,
  checkArgument,
  checkedElsewhere,
  checkOptions,
  either,
  implementing,
  listOf,
  matching,
  nested,
  oneOf,
  shown,
  suggestion,
  withMethods,
  type OptionCheck,
  type OptionChecks,
} from './options/options.js';
export { answerTooLong, checkRequest, noAnswer, type CheckedRequest } from './outbound/checked-request.js';
export type { DecodeAnswer } from './outbound/decode-answer.js';
export { fetchHttpClient, type FetchFunction } from './outbound/fetch-http-client.js';
export {
  readWhole,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
  type MessageSocket,
  type OutboundSocket,
  type OutboundTunnel,
  type OutboundStream,
  type SocketRequest,
  type OutboundTls,
  type StreamedRequest,
  type StreamingHttpClient,
} from './outbound/http-client.js';
export { codedCause } from './outbound/coded-cause.js';
export { certificateFault, LEGACY_NAME_TEXT, networkErrorText, NO_ALTERNATIVE_NAME } from './outbound/network-error.js';
export { reviewVersions, type ReviewVersion } from './outbound/review-versions.js';
export { sendWithin } from './outbound/send-within.js';
export {
  ANSWER_BYTES_TO_DECODE,
  WebhookClient,
  WebhookUnreachable,
  type FindCredentials,
  type FindService,
  type ResolveService,
  type WebhookCredentials,
  type WebhookService,
} from './outbound/webhook-client.js';
export { connectionPost, webhookPost, type WebhookEndpoint, type WebhookPost } from './outbound/webhook-post.js';
export {
  postAccepted,
  postReview,
  type WebhookBackoff,
  type WebhookCallOptions,
  type WebhookOptions,
} from './outbound/webhook.js';
export { consoleLogger, safeLogger, silentLogger, type LogFields, type Logger } from './reporting/logger.js';
export { report } from './reporting/report.js';
export { inSpan, type SpanAttributes, type TraceSpan } from './reporting/trace-span.js';
export { delay, monotonicMs, type Clock, type Entropy, type Timer } from './time/clock.js';
export { parseCronSchedule } from './time/cron-schedule.js';
export { aDuration, aPositiveDuration, durationMs, isDuration, type Duration } from './time/duration.js';
export { humanDuration } from './time/human-duration.js';
export { IdleRelease, type Releasable } from './time/idle-release.js';
export { TimeZone } from './time/time-zone.js';
export {
  canonicalTime,
  formatMicroseconds,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
} from './time/time.js';
export {
  COMPILED_BYTES,
  CompiledArtefact,
  CompiledArtefacts,
  expressionBytes,
  type ArtefactGroup,
  type ArtefactSource,
} from './work/compiled-artefacts.js';
export { CpuFlow, heavyLane, SLICE_MS } from './work/heavy-lane.js';
export { SharedWork } from './work/shared-work.js';
export { partOf, type WorkPart } from './work/work-part.js';
export {
  atOnce,
  inSlices,
  isSteps,
  resultOf,
  UNBOUNDED_WORK,
  workOf,
  type MaybeSteps,
  type Steps,
  type Work,
  type WorkArea,
} from './work/work.js';
