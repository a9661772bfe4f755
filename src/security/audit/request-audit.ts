import {
  atOnce,
  formatGoDuration,
  formatMicroTime,
  inSlices,
  isJsonObject,
  isLargeWork,
  jsonText,
  JsonTextSteps,
  runSteps,
  SharedWork,
  UNBOUNDED_WORK,
  whenReady,
  type JsonObject,
  type JsonValue,
  type Steps,
  type UserInfo,
  type Work,
} from '../../foundation/index.js';
import type { LatencyLayer } from '../../registry/index.js';
import { annotationTextSteps, LONG_ANNOTATIONS } from './annotation-text.js';
import { AuditRecord, type AuditBodies } from './audit-record.js';
import type { AuditText } from './audit-text.js';
import type {
  AuditEventFields,
  AuditLevel,
  AuditObjectReference,
  AuditResponseStatus,
  AuditStage,
  AuditUser,
} from './event.js';
import type { AuditAttributes, AuditDecision } from './policy/evaluate.js';
import { recordedSteps, sentSteps, withoutOwnManagers } from './recorded-body.js';
import { withoutContent, type RecordedStatus } from './secret-status.js';

/** A request, as its events describe it. */
export interface AuditedRequest {
  readonly auditId: string;
  /** Time of its arrival, in milliseconds since the epoch. */
  readonly receivedMs: number;
  /** Path and query. */
  readonly requestUri: string;
  readonly userAgent: string;
  readonly sourceIPs: readonly string[];
  readonly apiVersion: string;
  readonly attributes: Omit<AuditAttributes, 'user'> & { readonly user: UserInfo | undefined };
}

/** The parts that the events of a request depend on besides the request. */
export interface RequestAuditParts {
  /** The apiVersion of the events. */
  readonly apiVersion: string;
  readonly decision: AuditDecision;
  /** Prefix of the keys of the server's own annotations: the suffix of the built-in groups. */
  readonly domain: string;
  /** Whether the bodies of the request are credentials, and its messages may quote them. */
  readonly isSecret: boolean;
  /** Length of the longest event that a backend takes, in bytes. */
  readonly maxEventBytes: number;
  /** Time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Hands an event to the backends. @returns whether all of them that must have it have it */
  readonly emit: (record: AuditRecord) => boolean | Promise<boolean>;
}

/** Time beyond which the events of a request say how long its parts took, in milliseconds. */
const SLOW_MS = 500;
/** Maximum length of a User-Agent in an event, as in Kubernetes. */
const MAX_USER_AGENT = 1024;

const rank: Readonly<Record<AuditLevel, number>> = { None: 0, Metadata: 1, Request: 2, RequestResponse: 3 };

/** Collects what one request does, and writes its events. */
export class RequestAudit {
  readonly #request: AuditedRequest;
  readonly #parts: RequestAuditParts;
  #objectRef: AuditObjectReference | undefined;
  #impersonated: AuditUser | undefined;
  #status: RecordedStatus | undefined;
  #message: string | undefined;
  #annotations: Map<string, string> | undefined;
  /** Length of the keys and values of the annotations. */
  #annotationsLength = 0;
  #bodies: AuditBodies = {};
  #ended = false;
  readonly #latencies = new Map<LatencyLayer, number>();

  constructor(request: AuditedRequest, parts: RequestAuditParts) {
    this.#request = request;
    this.#parts = parts;
    this.#objectRef = referenceOf(request);
  }

  /** How much of the request the policy has recorded. */
  get level(): AuditLevel {
    return this.#parts.decision.level;
  }

  /** The bodies that have been recorded so far, as the level has them: JSON in printable ASCII. */
  get bodies(): AuditBodies {
    return this.#bodies;
  }

  /** Whether the body of the request is recorded. */
  get recordsRequest(): boolean {
    return rank[this.#parts.decision.level] >= rank.Request;
  }

  /** Whether the body of the response is recorded. */
  get recordsResponse(): boolean {
    return rank[this.#parts.decision.level] >= rank.RequestResponse;
  }

  /**
   * Adds an annotation. The first value of a key stays, as in Kubernetes. Bound, so that it can be passed as a function.
   *
   * @param level lowest level of events with the annotation; default Metadata
   */
  readonly annotate = (key: string, value: string, level: AuditLevel = 'Metadata'): void => {
    if (rank[this.#parts.decision.level] < rank[level]) return;
    const annotations = (this.#annotations ??= new Map());
    if (annotations.has(key)) return;
    annotations.set(key, value);
    this.#annotationsLength += key.length + value.length;
  };

  /**
   * Adds time to a part of the request. Validating webhooks are called at the same time: the longest call counts. Bound,
   * so that it can be passed as a function.
   */
  readonly took = (layer: LatencyLayer, ms: number): void => {
    const known = this.#latencies.get(layer) ?? 0;
    this.#latencies.set(layer, layer === 'validating-webhook' ? Math.max(known, ms) : known + ms);
  };

  /** Records the decision about the request. */
  authorized(isAllowed: boolean, reason: string): void {
    const prefix = `authorization.${this.#parts.domain}`;
    this.annotate(`${prefix}/decision`, isAllowed ? 'allow' : 'forbid');
    this.annotate(`${prefix}/reason`, reason);
  }

  /** Records that the version of the request is deprecated. @param removedRelease empty when it is not known */
  deprecated(removedRelease: string): void {
    this.annotate(`${this.#parts.domain}/deprecated`, 'true');
    if (removedRelease !== '') this.annotate(`${this.#parts.domain}/removed-release`, removedRelease);
  }

  /** Records the user on whose behalf the request is. */
  impersonated(user: UserInfo): void {
    this.#impersonated = userOf(user);
  }

  /**
   * Records the object in the body of the request: its name, and the object itself if the level has it. The caller may
   * change the object once it is recorded.
   *
   * @param work the work of the request, in whose slices the text of a large object is written
   * @returns undefined when nothing has to wait
   * @throws ApiError 429 when the text does not fit into the memory budget
   */
  sent(object: JsonObject, work: Work): void | Promise<void> {
    const { metadata } = object;
    if (isJsonObject(metadata)) this.#objectRef = completed(this.#objectRef, metadata);
    return this.recordsRequest ? this.#recordSent(this.#shown(object), work) : undefined;
  }

  /** Records the patch in the body of the request; see {@link sent}. */
  sentPatch(patch: JsonValue, work: Work): void | Promise<void> {
    return this.recordsRequest ? this.#recordSent(patch, work) : undefined;
  }

  #recordSent(value: JsonValue, work: Work): void | Promise<void> {
    return whenReady(runSteps(work, sentSteps(work, value), 'encode'), (requestObject) => {
      this.#bodies = { ...this.#bodies, requestObject };
    });
  }

  /**
   * Records the object in the response: its outcome if it is a Status, and the object itself if the level has it.
   *
   * @param work as in {@link sent}
   * @returns undefined when nothing has to wait
   */
  answered(object: JsonObject, work: Work): void | Promise<void> {
    if (object['kind'] === 'Status') this.#status = statusIn(object);
    return this.respondedObject(object, work);
  }

  /**
   * Records the object in the response, if the level has it.
   *
   * @param work as in {@link sent}
   * @returns undefined when nothing has to wait
   */
  respondedObject(object: JsonObject, work: Work): void | Promise<void> {
    if (!this.recordsResponse) return undefined;
    if (!isLargeWork(work, object, true)) return this.responded(jsonText(object), work);
    const text = runSteps(work, piecesSteps(object, work), 'encode');
    return whenReady(text, (pieces) => this.responded(pieces, work));
  }

  /** Length of the longest event that a backend takes, in bytes. A longer one is written without its bodies. */
  get maxEventBytes(): number {
    return this.#parts.maxEventBytes;
  }

  /**
   * Records the body of the response, if the level has it.
   *
   * @param text its JSON text, indented or not, a long one in pieces; undefined when it is longer than {@link maxEventBytes}
   * @param work the work of the request, in whose slices a long text is written; undefined writes it at once
   * @returns undefined when nothing has to wait
   */
  responded(text: AuditText | undefined): void;
  responded(text: AuditText | undefined, work: Work): void | Promise<void>;
  responded(text: AuditText | undefined, work?: Work): void | Promise<void> {
    if (!this.recordsResponse) return undefined;
    if (text === undefined) {
      this.#bodies = { isTooLong: true };
      return undefined;
    }
    const steps = recordedSteps(work ?? UNBOUNDED_WORK, text, this.#parts.decision.omitManagedFields);
    const written = work === undefined ? atOnce(steps) : inSlices(work, steps, 'encode');
    return whenReady(written, (responseObject) => {
      this.#bodies = { ...this.#bodies, responseObject };
    });
  }

  /** Records the Status of the response. */
  outcome(status: RecordedStatus): void {
    this.#status = status;
  }

  /** Records why a request failed that has no other outcome than its code. */
  failed(message: string): void {
    this.#message = message;
  }

  /** Writes the event of the arrival. @returns whether the request may continue */
  received(): boolean | Promise<boolean> {
    return this.#write('RequestReceived');
  }

  /** Writes the event of a response that begins, and will last. @param code HTTP status code */
  started(code: number): boolean | Promise<boolean> {
    return this.#write('ResponseStarted', code);
  }

  /** Writes the last event. Does nothing when it has been written. @param code HTTP status code */
  completed(code: number, stage: 'ResponseComplete' | 'Panic' = 'ResponseComplete'): boolean | Promise<boolean> {
    if (this.#ended) return true;
    this.#ended = true;
    if (stage === 'ResponseComplete') this.#annotateLatencies();
    return this.#write(stage, code);
  }

  /** Annotates a slow request with the times of its parts, as far as they were measured. */
  #annotateLatencies(): void {
    const totalMs = this.#parts.now() - this.#request.receivedMs;
    const layers = [...this.#latencies].filter(([, ms]) => ms > 0);
    if (totalMs <= SLOW_MS || layers.length === 0) return;
    const prefix = `apiserver.latency.${this.#parts.domain}`;
    for (const [layer, ms] of layers) this.annotate(`${prefix}/${layer}`, formatGoDuration(ms));
    this.annotate(`${prefix}/total`, formatGoDuration(totalMs));
  }

  #write(stage: AuditStage, code?: number): boolean | Promise<boolean> {
    const { apiVersion, decision, now } = this.#parts;
    if (decision.omitStages.has(stage)) return true;
    const { auditId, requestUri, attributes, sourceIPs, userAgent, receivedMs } = this.#request;
    return this.#emit({
      kind: 'Event',
      apiVersion,
      level: decision.level,
      auditID: auditId,
      stage,
      requestURI: requestUri,
      verb: attributes.verb,
      user: attributes.user === undefined ? {} : userOf(attributes.user),
      impersonatedUser: this.#impersonated,
      sourceIPs: sourceIPs.length === 0 ? undefined : sourceIPs,
      userAgent: shortened(userAgent),
      objectRef: this.#objectRef,
      responseStatus: code === undefined ? undefined : this.#responseStatus(code),
      requestReceivedTimestamp: formatMicroTime(receivedMs),
      stageTimestamp: formatMicroTime(now()),
    });
  }

  /** Hands an event with the annotations and bodies so far to the backends. */
  #emit(fields: AuditEventFields): boolean | Promise<boolean> {
    const { emit } = this.#parts;
    const bodies = this.#bodies;
    const annotations = this.#annotations;
    if (annotations === undefined) return emit(new AuditRecord(fields, bodies));
    if (this.#annotationsLength <= LONG_ANNOTATIONS)
      return emit(new AuditRecord({ ...fields, annotations: Object.fromEntries(annotations) }, bodies));
    const work = new SharedWork();
    const written = inSlices(work, annotationTextSteps(work, annotations));
    return whenReady(written, (text) => emit(new AuditRecord(fields, bodies, text)));
  }

  #responseStatus(code: number): AuditResponseStatus {
    const known = this.#status;
    if (known === undefined) return { metadata: {}, message: this.#message, code };
    const { status, message, reason, details } = this.#parts.isSecret ? withoutContent(known) : known;
    return { metadata: {}, status, message, reason, details, code };
  }

  #shown(object: JsonObject): JsonObject {
    return this.#parts.decision.omitManagedFields ? withoutOwnManagers(object) : object;
  }
}

/** Returns the text of a large object in pieces. */
function* piecesSteps(object: JsonObject, work: Work): Steps<readonly string[]> {
  const text = new JsonTextSteps(work, (piece) => piece);
  yield* text.value(object);
  return text.takePieces();
}

function shortened(userAgent: string): string | undefined {
  if (userAgent === '') return undefined;
  return userAgent.length > MAX_USER_AGENT ? `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : userAgent;
}

function userOf({ username, uid, groups, extra }: UserInfo): AuditUser {
  return {
    username: username === '' ? undefined : username,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: extra === undefined || Object.keys(extra).length === 0 ? undefined : extra,
  };
}

const nonEmpty = (text: string): string | undefined => (text === '' ? undefined : text);

function referenceOf({ attributes, apiVersion }: AuditedRequest): AuditObjectReference | undefined {
  if (!attributes.isResource) return undefined;
  const { resource, namespace, name, apiGroup, subresource } = attributes;
  return {
    resource,
    namespace: nonEmpty(namespace),
    name: nonEmpty(name),
    uid: undefined,
    apiGroup: nonEmpty(apiGroup),
    apiVersion,
    resourceVersion: undefined,
    subresource: nonEmpty(subresource),
  };
}

function statusIn({ status, message, reason, details }: JsonObject): RecordedStatus {
  const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    ...{ status: textOf(status), message: textOf(message), reason: textOf(reason) },
    details: isJsonObject(details) ? details : undefined,
  };
}

/** Fills in what only the object says. The order of the members stays. */
function completed(reference: AuditObjectReference | undefined, metadata: JsonObject): AuditObjectReference {
  const text = (name: string): string | undefined => {
    const value = metadata[name];
    return typeof value === 'string' ? nonEmpty(value) : undefined;
  };
  return {
    ...reference,
    namespace: reference?.namespace ?? text('namespace'),
    name: reference?.name ?? text('name'),
    uid: reference?.uid ?? text('uid'),
    resourceVersion: reference?.resourceVersion ?? text('resourceVersion'),
  };
}
