/**
 * Removes from a conversation what must not be in a file: the contents of secrets, and tokens.
 *
 * @module
 */
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../foundation/index.js';

/** The placeholder of a removed text. */
export const REDACTED = 'REDACTED';
/** The same in base64, as the values of secrets are written. */
const REDACTED_BASE64 = 'UkVEQUNURUQ=';

/** Returns whether a path is that of secrets, whose bodies need not name their kind. */
export const isSecretPath = (path: string): boolean => /\/secrets(\/|$)/.test(path);

/** Returns whether a path is that of a token request or review. */
export const isTokenPath = (path: string): boolean => /\/(token|tokenreviews)$/.test(path);

/** Returns a body without the contents of secrets and without tokens. Keys are kept. */
export function redacted(value: JsonValue, path: string): JsonValue {
  if (isSecretPath(path) && isArray(value)) return value.map(redactedOperation);
  return walk(value, isSecretPath(path), isTokenPath(path));
}

/** Members of metadata that a JSON patch of a secret may show. */
const HARMLESS =
  /^\/(metadata\/(labels|finalizers|ownerReferences|name|namespace|uid|resourceVersion)|type|immutable)\b/;

function redactedOperation(operation: JsonValue): JsonValue {
  if (!isJsonObject(operation) || !('value' in operation)) return operation;
  const { path } = operation;
  return typeof path === 'string' && HARMLESS.test(path) ? operation : { ...operation, value: REDACTED };
}

function walk(value: JsonValue, inSecret: boolean, inToken: boolean): JsonValue {
  if (isArray(value)) return value.map((item) => walk(item, inSecret, inToken));
  if (!isJsonObject(value)) return value;
  const { kind, code } = value;
  // A refusal of a secret may quote its values.
  if (inSecret && kind === 'Status' && (code === 400 || code === 422)) return withoutTexts(value);
  const secret = inSecret || kind === 'Secret' || kind === 'SecretList';
  const token = inToken || kind === 'TokenRequest' || kind === 'TokenReview';
  const result: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (secret && (name === 'data' || name === 'stringData')) result[name] = withoutValues(member, name);
    else if (secret && name === 'annotations') result[name] = withoutLastApplied(member);
    else if (token && name === 'token' && typeof member === 'string') result[name] = REDACTED;
    else result[name] = walk(member, secret, token);
  }
  return result;
}

function withoutTexts(status: JsonObject): JsonObject {
  const { details, ...rest } = status;
  const { causes: _, ...kept } = isJsonObject(details) ? details : {};
  return { ...rest, message: REDACTED, ...(details === undefined ? {} : { details: kept }) };
}

function withoutValues(values: JsonValue, name: string): JsonValue {
  const stand = name === 'data' ? REDACTED_BASE64 : REDACTED;
  if (!isJsonObject(values)) return values === null ? null : stand;
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === null ? null : stand]));
}

/** `kubectl apply` writes the whole object into this annotation. */
const LAST_APPLIED = /\/last-applied-configuration$/;

function withoutLastApplied(annotations: JsonValue): JsonValue {
  if (!isJsonObject(annotations)) return annotations;
  const kept: JsonObject = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key, LAST_APPLIED.test(key) ? REDACTED : value]),
  );
  return kept;
}
