import {
  canonicalBase64,
  decodeBase64Text,
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import { KubeConfigError } from './errors.js';

/**
 * Reads typed fields of a JSON object. An absent, null or empty field is undefined. A field of the wrong type is an
 * error with its path; the message never shows the value, which may be a misplaced secret. Unknown fields are ignored.
 */
export class Fields {
  /** Path of the object, such as `users[0].user`; empty for the root. */
  readonly path: string;
  readonly #object: JsonObject;

  constructor(object: JsonObject, path: string) {
    this.#object = object;
    this.path = path;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined || value === '') return undefined;
    return typeof value === 'string' ? value : this.#fail(name, 'a string', value);
  }

  flag(name: string): boolean {
    const value = this.#value(name) ?? false;
    return typeof value === 'boolean' ? value : this.#fail(name, 'a boolean', value);
  }

  /** Returns a base64 field, decoded. */
  decoded(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const canonical = canonicalBase64(text);
    if (typeof canonical === 'number')
      throw new KubeConfigError(`${this.#pathOf(name)}: illegal base64 data at input byte ${canonical}`);
    return decodeBase64Text(canonical);
  }

  texts(name: string): string[] {
    return this.#list(name).map((item, index) =>
      typeof item === 'string' ? item : this.#fail(`${name}[${index}]`, 'a string', item),
    );
  }

  /** Returns a list of objects. */
  items(name: string): Fields[] {
    return this.#list(name).map((item, index) => this.#nested(`${name}[${index}]`, item ?? {}));
  }

  /** Returns an object; undefined when it is absent. */
  child(name: string): Fields | undefined {
    const value = this.#value(name);
    return value === undefined ? undefined : this.#nested(name, value);
  }

  /** Returns the keys of the object. */
  keys(): string[] {
    return Object.keys(this.#object);
  }

  /** Returns a field of any type. */
  json(name: string): JsonValue | undefined {
    return this.#value(name);
  }

  #list(name: string): readonly JsonValue[] {
    const value = this.#value(name) ?? [];
    return isArray(value) ? value : this.#fail(name, 'a list', value);
  }

  #nested(name: string, value: JsonValue): Fields {
    return isJsonObject(value) ? new Fields(value, this.#pathOf(name)) : this.#fail(name, 'an object', value);
  }

  #value(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  #pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  #fail(name: string, expected: string, got: JsonValue): never {
    throw new KubeConfigError(`${this.#pathOf(name)}: expected ${expected}, got ${typeName(got)}`);
  }
}

/** Returns the type of a JSON value with its article, for messages. */
function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
