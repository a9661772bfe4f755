import { ApiError } from '../../meta/api-error.js';
import type { JsonObject, JsonValue } from '../../meta/json.js';
import { asMap } from '../typed/value.js';

/** A failure that the production system answers as a bare 500: message and code, no reason. */
export function failure(message: string, cause?: unknown): ApiError {
  return new ApiError({ message, code: 500 }, { cause });
}

/** A group, version and kind as messages show it: `group/version, Kind=kind`, with an empty group as `/version, Kind=kind`. */
export function kindText(object: JsonObject): string {
  const apiVersion = text(object['apiVersion']);
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${text(object['kind'])}`;
}

/** An object as messages show it: `namespace/name; group/version, Kind=kind`. */
export function objectText(object: JsonObject): string {
  const metadata = asMap(object['metadata']);
  return `${text(metadata?.['namespace'])}/${text(metadata?.['name'])}; ${kindText(object)}`;
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
