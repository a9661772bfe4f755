import { compareText, jsonText, jsonValue, type JsonObject } from '../../foundation/index.js';
import type { AuditEvent, AuditEventFields } from './event.js';

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g;

const escapeCodeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Returns the JSON text of a value in printable ASCII: a reader of the log cannot be misled by control characters or by
 * line and direction marks of Unicode, and the length of the text is its length in bytes.
 */
export function auditJson(value: object): string {
  return printable(jsonText(value));
}

/** Escapes every character of a JSON text that is not printable ASCII. */
export function printable(text: string): string {
  // Outside of strings, JSON without indentation has no such character.
  return text.replace(NOT_PRINTABLE_ASCII, escapeCodeUnit);
}

/** The bodies of an event, as JSON texts. */
export interface AuditBodies {
  readonly requestObject?: string | undefined;
  readonly responseObject?: string | undefined;
  /** Whether they were left out because no backend takes so long an event. */
  readonly isTooLong?: boolean | undefined;
}

/** Estimated size of an event without its bodies, in bytes. */
const FIELDS_BYTES = 1024;
/** A body is held by itself, and in the text of its event, until the log has it. */
export const BODY_COPIES = 2;

/** An event on its way to the backends, which share its text. It never changes. */
export class AuditRecord {
  readonly fields: AuditEventFields;
  readonly bodies: AuditBodies;
  readonly #annotations: string | undefined;
  #text: string | undefined;

  /** @param annotations the text of annotations that are too long to be in the fields; these have none then */
  constructor(fields: AuditEventFields, bodies: AuditBodies = {}, annotations?: string) {
    this.fields = fields;
    this.bodies = bodies;
    this.#annotations = annotations;
  }

  /** The event as JSON, in printable ASCII, with the members in the order of Kubernetes. */
  get text(): string {
    return (this.#text ??= encoded(this.fields, this.bodies, this.#annotations));
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
    return requestObject.length + responseObject.length;
  }

  /** Returns the event as an object of its own, which the caller may change. */
  event(): AuditEvent {
    const event: unknown = jsonValue(this.text);
    return event as AuditEvent;
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

function encoded(
  { requestReceivedTimestamp, stageTimestamp, annotations, ...head }: AuditEventFields,
  { requestObject, responseObject }: AuditBodies,
  longAnnotations: string | undefined,
): string {
  const times = auditJson({ requestReceivedTimestamp, stageTimestamp }).slice(1, -1);
  const shown = longAnnotations ?? (annotations === undefined ? undefined : auditJson(sorted(annotations)));
  const request = requestObject === undefined ? '' : `,"requestObject":${requestObject}`;
  const response = responseObject === undefined ? '' : `,"responseObject":${responseObject}`;
  // The parts are not copied until the text is written.
  return `${auditJson(head).slice(0, -1)}${request}${response},${times}${shown === undefined ? '' : `,"annotations":${shown}`}}`;
}

const sorted = (annotations: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(annotations).sort(([one], [other]) => compareText(one, other)));
