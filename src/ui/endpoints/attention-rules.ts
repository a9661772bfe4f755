/**
 * When an object needs attention: by its deletion, its conditions, and a few fields that mean one thing in one kind.
 *
 * @module
 */
import { decodeBase64Latin1, isJsonObject, parseTime, stringOrEmpty, type JsonObject } from '../../foundation/index.js';
import { readableCertificates } from '../../security/index.js';
import type { Concern } from '../answers.js';

/** A concern without the names of its object. */
export type Finding = Pick<Concern, 'sign' | 'words' | 'since'>;

/** How an object is judged. */
export interface Judged {
  readonly kind: string;
  readonly object: JsonObject;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Type of Secrets with a certificate and its key. */
  readonly tlsType: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long a deletion may wait. */
const DELETION_MS = MINUTE_MS;
/** How long a warning is news. */
const EVENT_MS = 60 * MINUTE_MS;
/** How long before its end a certificate is named. */
const CERTIFICATE_MS = 14 * DAY_MS;
/** The longest bundle of certificates that is read. */
const LIMITS = { maxLength: 64 * 1024 };

/** Conditions that should be true. */
const GOOD = new Set(['Ready', 'Available', 'Established', 'NamesAccepted']);
/** Conditions that should not be. */
const BAD = new Set([
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'],
  ...['ReplicaFailure', 'Failed', 'Degraded', 'Stalled'],
]);

/** Texts of which an object that needs attention has at least one: others need not be parsed. */
const SIGNS = ['"deletionTimestamp":', '"conditions":', '"Warning"', '/tls"', '"CertificateSigningRequest"'];

/** Whether an object of a text may need attention. */
export const mayConcern = (text: string): boolean => SIGNS.some((sign) => text.includes(sign));

/** Returns why an object needs attention; undefined for one that does not. The gravest reason is told. */
export function findingOf(judged: Judged): Finding | undefined {
  if (judged.kind === 'Event') return warning(judged);
  return deletion(judged) ?? condition(judged) ?? undecided(judged) ?? certificate(judged);
}

const mapIn = (object: JsonObject, name: string): JsonObject => {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
};

const textIn = (object: JsonObject, name: string): string =>
  Object.hasOwn(object, name) ? stringOrEmpty(object[name]) : '';

const listIn = (object: JsonObject, name: string): readonly unknown[] => {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return Array.isArray(value) ? value : [];
};

/** A deletion that waits. */
function deletion({ object, now }: Judged): Finding | undefined {
  const metadata = mapIn(object, 'metadata');
  const since = textIn(metadata, 'deletionTimestamp');
  // The time is that at which the grace period ends.
  const begun = parseTime(since);
  if (begun === undefined || now - begun < DELETION_MS) return undefined;
  const finalizers = [...listIn(metadata, 'finalizers'), ...listIn(mapIn(object, 'spec'), 'finalizers')];
  const reason = finalizers.length === 0 ? '' : ` for ${finalizers.map(String).join(', ')}`;
  return { sign: 'deleting', words: `its deletion waits${reason}`, since };
}

/** A condition that is not as it should be. */
function condition({ kind, object }: Judged): Finding | undefined {
  const status = mapIn(object, 'status');
  // A pod that has done its work is not ready, and should not be.
  if (kind === 'Pod' && textIn(status, 'phase') === 'Succeeded') return undefined;
  const found = listIn(status, 'conditions').filter(isJsonObject).filter(isWrong);
  const worst = found.find((each) => BAD.has(textIn(each, 'type'))) ?? found[0];
  if (worst === undefined) return undefined;
  const [type, message] = [textIn(worst, 'type'), textIn(worst, 'message')];
  const state = BAD.has(type) ? type : textIn(worst, 'status') === 'False' ? `not ${type}` : `${type} is not known`;
  const reason = message === '' ? textIn(worst, 'reason') : message;
  return {
    sign: BAD.has(type) ? 'failed' : 'warning',
    words: reason === '' ? state : `${state}: ${reason}`,
    since: textIn(worst, 'lastTransitionTime'),
  };
}

const isWrong = (each: JsonObject): boolean => {
  const [type, status] = [textIn(each, 'type'), textIn(each, 'status')];
  return GOOD.has(type) ? status !== 'True' : BAD.has(type) && status === 'True';
};

/** A request for a certificate that nobody has decided. */
function undecided({ kind, object }: Judged): Finding | undefined {
  if (kind !== 'CertificateSigningRequest' || listIn(mapIn(object, 'status'), 'conditions').length > 0)
    return undefined;
  const since = textIn(mapIn(object, 'metadata'), 'creationTimestamp');
  return { sign: 'warning', words: 'waits to be approved or denied', since };
}

/** A certificate that ends soon. */
function certificate({ kind, object, now, tlsType }: Judged): Finding | undefined {
  if (kind !== 'Secret' || textIn(object, 'type') !== tlsType) return undefined;
  const pem = decodeBase64Latin1(textIn(mapIn(object, 'data'), 'tls.crt')) ?? '';
  const end = readableCertificates(pem, LIMITS)[0]?.notAfter;
  if (end === undefined || end - now > CERTIFICATE_MS) return undefined;
  const days = Math.floor((end - now) / DAY_MS);
  const since = new Date(end).toISOString();
  if (end <= now) return { sign: 'failed', words: 'its certificate has expired', since };
  return { sign: 'warning', words: `its certificate expires in ${days} ${days === 1 ? 'day' : 'days'}`, since };
}

/** A warning of the last hour. */
function warning({ object, now }: Judged): Finding | undefined {
  if (textIn(object, 'type') !== 'Warning') return undefined;
  const times = [
    textIn(mapIn(object, 'series'), 'lastObservedTime'),
    ...['lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'].map((name) => textIn(object, name)),
  ];
  const since = times.find((time) => time !== '') ?? textIn(mapIn(object, 'metadata'), 'creationTimestamp');
  const seen = parseTime(since);
  if (seen === undefined || now - seen > EVENT_MS) return undefined;
  const message = textIn(object, 'message') || textIn(object, 'note');
  return { sign: 'warning', words: `${textIn(object, 'reason')}: ${message}`, since };
}

/** Returns the object that an event is about; undefined for another object. */
export function subjectOf({
  kind,
  object,
}: Judged): Pick<Concern, 'group' | 'kind' | 'namespace' | 'name'> | undefined {
  if (kind !== 'Event') return undefined;
  const about = { ...mapIn(object, 'involvedObject'), ...mapIn(object, 'regarding') };
  const [version, group] = textIn(about, 'apiVersion').split('/').reverse();
  return {
    group: version === undefined ? '' : (group ?? ''),
    ...{ kind: textIn(about, 'kind'), namespace: textIn(about, 'namespace'), name: textIn(about, 'name') },
  };
}
