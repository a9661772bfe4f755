import {
  compareText,
  jsonText,
  jsonValue,
  jsonValueSteps,
  type JsonObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { lengthOfText, piecesOfText, printable, type AuditText } from './audit-text.js';
import type { AuditEvent, AuditEventFields } from './event.js';

/** Returns the JSON text of a value in printable ASCII. */
export function auditJson(value: object): string {
  return printable(jsonText(value));
}

/** The bodies of an event, as JSON texts. */
export interface AuditBodies {
  readonly requestObject?: AuditText | undefined;
  readonly responseObject?: AuditText | undefined;
  /** Whether they were left out because no backend takes so long an event. */
  readonly isTooLong?: boolean | undefined;
}

/** Estimated size of an event without its bodies, in bytes. */
const FIELDS_BYTES = 1024;
/** A body is held by itself, and in the text or the bytes of its event, until the log has it. */
export const BODY_COPIES = 2;
/** Length from which an event is written in steps, in characters. */
const LONG_EVENT = 256 * 1024;

/** An event on its way to the backends, which share its text. It never changes. */
export class AuditRecord {
  readonly fields: AuditEventFields;
  readonly bodies: AuditBodies;
  readonly #annotations: string | undefined;
  #ends: EventEnds | undefined;
  #text: string | undefined;

  /** @param annotations the text of annotations that are too long to be in the fields; these have none then */
  constructor(fields: AuditEventFields, bodies: AuditBodies = {}, annotations?: string) {
    this.fields = fields;
    this.bodies = bodies;
    this.#annotations = annotations;
  }

  /** The event as JSON, in printable ASCII, with the members in the order of Kubernetes. */
  get text(): string {
    return (this.#text ??= this.pieces().join(''));
  }

  /** Length of the text, in characters. */
  get length(): number {
    const { head, tail } = this.#textEnds();
    const { requestObject, responseObject } = this.bodies;
    const members =
      (requestObject === undefined ? 0 : REQUEST.length) + (responseObject === undefined ? 0 : RESPONSE.length);
    return head.length + members + this.bodiesLength + tail.length;
  }

  /** Whether the text is so long that it should be made and written in steps. */
  get isLong(): boolean {
    return this.bodiesLength + (this.#annotations?.length ?? 0) >= LONG_EVENT;
  }

  /** Returns the pieces of the text, which are not copied. */
  pieces(): string[] {
    const { head, tail } = this.#textEnds();
    const { requestObject, responseObject } = this.bodies;
    return [
      head,
      ...(requestObject === undefined ? [] : [REQUEST, ...piecesOfText(requestObject)]),
      ...(responseObject === undefined ? [] : [RESPONSE, ...piecesOfText(responseObject)]),
      tail,
    ];
  }

  /** Estimated memory of the event with its bodies and its text, in bytes. It does not encode the event. */
  get heldBytes(): number {
    const bodies = BODY_COPIES * this.bodiesLength;
    const { requestURI, userAgent = '', annotations = {} } = this.fields;
    const { length = 0 } = this.#annotations ?? {};
    let bytes = FIELDS_BYTES + bodies + requestURI.length + userAgent.length + BODY_COPIES * length;
    for (const key in annotations) bytes += key.length + (annotations[key]?.length ?? 0);
    return bytes;
  }

  /** Length of the bodies, in characters. */
  get bodiesLength(): number {
    const { requestObject = '', responseObject = '' } = this.bodies;
    return lengthOfText(requestObject) + lengthOfText(responseObject);
  }

  /** Returns the event as an object of its own, which the caller may change. */
  event(): AuditEvent {
    const event: unknown = jsonValue(this.text);
    return event as AuditEvent;
  }

  /** Does what {@link event} does, in steps. */
  *eventSteps(work: Work): Steps<AuditEvent> {
    const event: unknown = yield* jsonValueSteps(work, this.pieces().join(''));
    return event as AuditEvent;
  }

  #textEnds(): EventEnds {
    return (this.#ends ??= endsOf(this.fields, this.#annotations));
  }

  /** Returns the event without its bodies, and with an annotation that says so. */
  withoutBodies(annotation: string): AuditRecord {
    const { fields } = this;
    const long = this.#annotations;
    if (long !== undefined)
      return new AuditRecord(fields, {}, `{${JSON.stringify(annotation)}:"true",${long.slice(1)}`);
    return new AuditRecord({ ...fields, annotations: { ...fields.annotations, [annotation]: 'true' } });
  }
}

/** The text of an event before its bodies, and after them. */
interface EventEnds {
  readonly head: string;
  readonly tail: string;
}

const REQUEST = ',"requestObject":';
const RESPONSE = ',"responseObject":';

function endsOf(
  { requestReceivedTimestamp, stageTimestamp, annotations, ...head }: AuditEventFields,
  longAnnotations: string | undefined,
): EventEnds {
  const times = auditJson({ requestReceivedTimestamp, stageTimestamp }).slice(1, -1);
  const shown = longAnnotations ?? (annotations === undefined ? undefined : auditJson(sorted(annotations)));
  return {
    head: auditJson(head).slice(0, -1),
    tail: `,${times}${shown === undefined ? '' : `,"annotations":${shown}`}}`,
  };
}

const sorted = (annotations: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(annotations).sort(([one], [other]) => compareText(one, other)));
