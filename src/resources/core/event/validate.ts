import { invalid, required, type FieldError } from '../../../meta/field-error.js';
import { equalJson } from '../../../meta/json.js';
import { dnsSubdomainErrors, qualifiedName } from '../../../meta/names.js';
import { utf8Length } from '../../../meta/go-text.js';
import type { StoredObject } from '../../../meta/object.js';
import type { Dialect } from '../../../names/dialect.js';
import { IMMUTABLE, nameErrors } from '../../shared/validate.js';
import type { EventFields } from './schema.js';

export type StoredEvent = StoredObject & EventFields;

const MAX_WORD = 128;
const MAX_MESSAGE = 1024;
const NAMESPACE_DIFFERS = 'does not match event.namespace';
const UNSET = 'needs to be unset';

function limit(errors: FieldError[], path: string, text: string, max: number): void {
  if (utf8Length(text) > max) errors.push(invalid(path, '', `can have at most ${max} characters`));
}

function word(errors: FieldError[], path: string, text: string): void {
  if (text === '') errors.push(required(path));
  limit(errors, path, text, MAX_WORD);
}

/** An event of the older form: it lives in the namespace of its object; events about cluster-wide objects live in the default one. */
function validateOldPlace(errors: FieldError[], namespace: string, objectNamespace: string, dialect: Dialect): void {
  const fits =
    objectNamespace === ''
      ? namespace === '' || namespace === dialect.namespaces.default
      : namespace === objectNamespace;
  if (!fits) errors.push(invalid('involvedObject.namespace', objectNamespace, NAMESPACE_DIFFERS));
}

/**
 * Rules for events written through either group.
 *
 * @param controllerField what the requested version calls the controller
 */
export function validateEvent(event: StoredEvent, controllerField: string, dialect: Dialect): FieldError[] {
  const errors: FieldError[] = [];
  const { namespace = '' } = event.metadata;
  const objectNamespace = event.involvedObject.namespace ?? '';
  if (!event.eventTime) validateOldPlace(errors, namespace, objectNamespace, dialect);
  else {
    if (objectNamespace === '' && namespace !== dialect.namespaces.default && namespace !== dialect.namespaces.system) {
      errors.push(invalid('involvedObject.namespace', objectNamespace, NAMESPACE_DIFFERS));
    }
    const {
      reportingComponent: controller = '',
      reportingInstance = '',
      action = '',
      reason = '',
      message = '',
    } = event;
    if (controller === '') errors.push(required(controllerField));
    nameErrors(errors, controllerField, controller, qualifiedName(controller));
    word(errors, 'reportingInstance', reportingInstance);
    word(errors, 'action', action);
    word(errors, 'reason', reason);
    limit(errors, 'message', message, MAX_MESSAGE);
  }
  nameErrors(errors, 'namespace', namespace, dnsSubdomainErrors(namespace));
  return errors;
}

function validateSeries(errors: FieldError[], { series }: StoredEvent): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
}

/** Further rules for events created through the events group: no older fields. */
export function validateStrictCreate(event: StoredEvent): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '', source } = event;
  validateSeries(errors, event);
  if (!event.eventTime) errors.push(required('eventTime'));
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  if (event.firstTimestamp) errors.push(invalid('firstTimestamp', '', UNSET));
  if (event.lastTimestamp) errors.push(invalid('lastTimestamp', '', UNSET));
  if (event.count) errors.push(invalid('count', '', UNSET));
  if (source?.component || source?.host) errors.push(invalid('source', '', UNSET));
  return errors;
}

/** What may not change through the events group: everything but the series. The names are the hub's, and production's. */
const FIXED = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

/** Further rules for events changed through the events group. */
export function validateStrictUpdate(event: StoredEvent, old: StoredEvent): FieldError[] {
  const errors: FieldError[] = [];
  if (!equalJson(event.series, old.series)) validateSeries(errors, event);
  for (const field of FIXED) {
    const value = event[field];
    const path = field === 'reportingComponent' ? 'reportingController' : field;
    if (!equalJson(value ?? null, old[field] ?? null)) errors.push(invalid(path, value, IMMUTABLE));
  }
  return errors;
}
