import { errors, integerWithin, quotedText, type ApiError } from '../../../../foundation/index.js';
import type { appsV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';

/**
 * Annotation with the number of the template, which early versions of the kind had as a field: it starts at 1 and counts
 * the changes of the template. The server decides it.
 */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const MAX_INT64 = 2n ** 63n - 1n;
const INTEGER = /^[-+]?[0-9]+$/;

function parseError(text: string): ApiError {
  const problem = INTEGER.test(text) ? 'value out of range' : 'invalid syntax';
  return errors.badRequest(
    `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${quotedText(text)}: ${problem}`,
  );
}

/** Checks a number that a client sends. @throws ApiError 400 when it is not a 64-bit integer */
export function checkTemplateGeneration({ metadata }: StoredKind<appsV1.DaemonSet>): void {
  const text = metadata.annotations?.[TEMPLATE_GENERATION];
  if (text === undefined) return;
  if (!INTEGER.test(text) || integerWithin(text, -MAX_INT64 - 1n, MAX_INT64) === undefined) throw parseError(text);
}

/** Returns the number of an object's template; 0 when it has none. */
const templateGeneration = ({ metadata }: StoredKind<appsV1.DaemonSet>): bigint =>
  integerWithin(metadata.annotations?.[TEMPLATE_GENERATION] ?? '0', -MAX_INT64 - 1n, MAX_INT64) ?? 0n;

function setTemplateGeneration(object: StoredKind<appsV1.DaemonSet>, generation: bigint): void {
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

/** Numbers the template of a new object: 1, or the greater number that the client has sent. */
export function numberNewTemplate(object: StoredKind<appsV1.DaemonSet>): void {
  const sent = templateGeneration(object);
  setTemplateGeneration(object, sent < 1n ? 1n : sent);
}

/** Numbers the template of a changed object. */
export function numberChangedTemplate(
  object: StoredKind<appsV1.DaemonSet>,
  old: StoredKind<appsV1.DaemonSet>,
  changed: boolean,
): void {
  setTemplateGeneration(object, templateGeneration(old) + (changed ? 1n : 0n));
}
