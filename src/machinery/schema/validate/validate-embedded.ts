import {
  appendErrors,
  dnsLabel1035Errors,
  FieldPath,
  invalid,
  isJsonObject,
  parseApiVersion,
  pathSegment,
  required,
  unstructured,
  validateObjectMeta,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type ObjectMeta,
} from '../../../foundation/index.js';
import { constraintsOf } from '../define/constraints.js';
import { eachMember, type Visit } from './validate-lists.js';

/** Returns the problem of a text; undefined for a valid text. */
type TextCheck = (text: string) => string | undefined;

const apiVersionProblem: TextCheck = (text) =>
  parseApiVersion(text) === undefined ? `unexpected GroupVersion string: ${text}` : undefined;

function kindProblem(text: string): string | undefined {
  const problems = dnsLabel1035Errors(text.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}

const TYPE_FIELDS: readonly (readonly [name: string, check: TextCheck])[] = [
  ['apiVersion', apiVersionProblem],
  ['kind', kindProblem],
];

function textProblem(value: JsonValue, check: TextCheck): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value === '' ? 'must not be empty' : check(value);
}

/** Checks the metadata of an embedded object, which may lack a name and is namespaced when it names a namespace. */
function metadataErrors(metadata: Readonly<ObjectMeta>, path: string): FieldError[] {
  return validateObjectMeta(
    { ...metadata, name: metadata.name || 'unnamed' },
    {
      namespaced: (metadata.namespace ?? '') !== '',
      nameRule: pathSegment,
      finalizerDomains: 'any',
      path: FieldPath.of(path),
    },
  );
}

function objectErrors(object: JsonObject, path: string): FieldError[] {
  const found = TYPE_FIELDS.filter(([name]) => object[name] === undefined).map(([name]) =>
    required(`${path}.${name}`, 'must not be empty'),
  );
  for (const [name, check] of TYPE_FIELDS) {
    const value = object[name];
    const problem = value === undefined ? undefined : textProblem(value, check);
    if (problem !== undefined) found.push(invalid(`${path}.${name}`, unstructured(value ?? null), problem));
  }
  const { metadata } = object;
  return isJsonObject(metadata) ? [...found, ...metadataErrors(metadata, `${path}.metadata`)] : found;
}

/** Reports errors in the version, kind and metadata of embedded objects. */
export const checkEmbedded: Visit = function* (place, errors, run) {
  const { value, schema, path } = place;
  if (!constraintsOf(schema).embedded) return;
  if (schema.embeddedResource === true && isJsonObject(value)) appendErrors(errors, objectErrors(value, path));
  yield* eachMember(place, errors, run, checkEmbedded);
};
