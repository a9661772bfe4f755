import {
  dnsSubdomainErrors,
  equalJson,
  FieldErrorList,
  invalid,
  qualifiedName,
  required,
  utf8Length,
  type Dialect,
  type FieldError,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { IMMUTABLE, nameErrors } from '../../shared/validate.js';

/** An event of the core group, as it is stored. */
export type StoredEvent = StoredKind<coreV1.Event>;

const MAX_WORD_BYTES = 128;
const MAX_MESSAGE_BYTES = 1024;
const NAMESPACE_DIFFERS = 'does not match event.namespace';
const UNSET = 'needs to be unset';

function checkLength(errors: FieldError[], path: string, text: string, max: number): void {
  if (utf8Length(text) > max) errors.push(invalid(path, '', `can have at most ${max} characters`));
}

function checkWord(errors: FieldError[], path: string, text: string): void {
  if (text === '') errors.push(required(path));
  checkLength(errors, path, text, MAX_WORD_BYTES);
}

/**
 * Validates the namespace of an older event: the namespace of its object, or the default namespace for a cluster-scoped
 * object.
 */
function validateOlderNamespace(
  errors: FieldError[],
  namespace: string,
  objectNamespace: string,
  dialect: Dialect,
): void {
  const fits =
    objectNamespace === ''
      ? namespace === '' || namespace === dialect.namespaces.default
      : namespace === objectNamespace;
  if (!fits) errors.push(invalid('involvedObject.namespace', objectNamespace, NAMESPACE_DIFFERS));
}

/**
 * Validates an event, for both groups.
 *
 * @param controllerField name of the controller field in the requested group
 */
export function validateEvent(event: StoredEvent, controllerField: string, dialect: Dialect): FieldError[] {
  const errors = new FieldErrorList();
  const { namespace = '' } = event.metadata;
  const objectNamespace = event.involvedObject.namespace ?? '';
  if (!event.eventTime) validateOlderNamespace(errors, namespace, objectNamespace, dialect);
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
    checkWord(errors, 'reportingInstance', reportingInstance);
    checkWord(errors, 'action', action);
    checkWord(errors, 'reason', reason);
    checkLength(errors, 'message', message, MAX_MESSAGE_BYTES);
  }
  nameErrors(errors, 'namespace', namespace, dnsSubdomainErrors(namespace));
  return errors;
}

function validateSeries(errors: FieldError[], { series }: StoredEvent): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
}

/** Applies the additional rules for creation through the events group: the older fields must be unset. */
export function validateStrictCreate(event: StoredEvent): FieldError[] {
  const errors = new FieldErrorList();
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

/** Immutable fields in the events group: all except the series. The names are those of the hub, as in Kubernetes. */
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

/** Applies the additional rules for updates through the events group. */
export function validateStrictUpdate(event: StoredEvent, old: StoredEvent): FieldError[] {
  const errors = new FieldErrorList();
  if (!equalJson(event.series, old.series)) validateSeries(errors, event);
  for (const field of FIXED) {
    const value = event[field];
    const path = field === 'reportingComponent' ? 'reportingController' : field;
    if (!equalJson(value ?? null, old[field] ?? null)) errors.push(invalid(path, value, IMMUTABLE));
  }
  return errors;
}
