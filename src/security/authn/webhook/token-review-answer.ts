import { definedOnly, type JsonObject, type JsonValue, type UserInfo } from '../../../foundation/index.js';

/** The result of a token review. */
export interface TokenReviewAnswer {
  readonly authenticated: boolean;
  readonly user: UserInfo;
  /** Audiences of the token; empty when the webhook does not support audiences. */
  readonly audiences: readonly string[];
  /** Reason when the token could not be checked; otherwise empty. */
  readonly error: string;
}

type Field<Value> = (value: JsonValue | undefined, path: string) => Value;

function invalidResponse(path: string, expected: string): Error {
  return new Error(`invalid webhook response: ${path} must be ${expected}`);
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const object: Field<JsonObject> = (value, path) => {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidResponse(path, 'an object');
  return value;
};

const text: Field<string> = (value, path) => {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw invalidResponse(path, 'a string');
  return value;
};

const texts: Field<string[]> = (value, path) => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidResponse(path, 'an array of strings');
  return value.map((item) => {
    if (typeof item !== 'string') throw invalidResponse(path, 'an array of strings');
    return item;
  });
};

const truth: Field<boolean> = (value, path) => {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalidResponse(path, 'true or false');
  return value;
};

/**
 * Reads the status of a TokenReview (contract: "TokenReviewStatus"). Missing fields are empty; unknown fields are
 * ignored.
 *
 * @throws Error when a field has the wrong type; the message names the field, not its value
 */
export function readTokenReviewAnswer(review: JsonObject): TokenReviewAnswer {
  const status = object(review['status'], 'status');
  return {
    authenticated: truth(status['authenticated'], 'status.authenticated'),
    user: readUser(object(status['user'], 'status.user')),
    audiences: texts(status['audiences'], 'status.audiences'),
    error: text(status['error'], 'status.error'),
  };
}

function readUser(user: JsonObject): UserInfo {
  const uid = text(user['uid'], 'status.user.uid');
  const extra = Object.entries(object(user['extra'], 'status.user.extra')).map(
    ([key, value]) => [key, texts(value, `status.user.extra[${JSON.stringify(key)}]`)] as const,
  );
  return {
    username: text(user['username'], 'status.user.username'),
    groups: texts(user['groups'], 'status.user.groups'),
    ...definedOnly({
      uid: uid || undefined,
      extra: extra.length === 0 ? undefined : Object.fromEntries(extra),
    }),
  };
}
