import { canonicalBase64, decodeBase64Text } from '../../encoding/base64.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../meta/index.js';
import { KubeConfigError } from './errors.js';

/**
 * Reads typed fields of a JSON object. A field that is absent, null or empty is undefined; one of a wrong type is an error
 * with its path, which never shows the value: it may be a secret in the wrong place. Unknown fields are left alone.
 */
export class Fields {
  constructor(
    private readonly object: JsonObject,
    /** Path of the object, `users[0].user`; empty for the whole. */
    readonly path: string,
  ) {}

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || value === '') return undefined;
    return typeof value === 'string' ? value : this.fail(name, 'a string', value);
  }

  flag(name: string): boolean {
    const value = this.value(name) ?? false;
    return typeof value === 'boolean' ? value : this.fail(name, 'a boolean', value);
  }

  /** Text that the file holds in base64. */
  decoded(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const canonical = canonicalBase64(text);
    if (typeof canonical === 'number')
      throw new KubeConfigError(`${this.pathOf(name)}: illegal base64 data at input byte ${canonical}`);
    return decodeBase64Text(canonical);
  }

  texts(name: string): string[] {
    return this.list(name).map((item, index) =>
      typeof item === 'string' ? item : this.fail(`${name}[${index}]`, 'a string', item),
    );
  }

  /** A list of objects. */
  items(name: string): Fields[] {
    return this.list(name).map((item, index) => this.nested(`${name}[${index}]`, item ?? {}));
  }

  /** An object; undefined when it is not there. */
  child(name: string): Fields | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : this.nested(name, value);
  }

  /** An object whose keys are the user's own, as readers of each key. */
  keys(): string[] {
    return Object.keys(this.object);
  }

  /** Whatever is there. */
  json(name: string): JsonValue | undefined {
    return this.value(name);
  }

  private list(name: string): readonly JsonValue[] {
    const value = this.value(name) ?? [];
    return isArray(value) ? value : this.fail(name, 'a list', value);
  }

  private nested(name: string, value: JsonValue): Fields {
    return isJsonObject(value) ? new Fields(value, this.pathOf(name)) : this.fail(name, 'an object', value);
  }

  private value(name: string): JsonValue | undefined {
    return Object.hasOwn(this.object, name) ? (this.object[name] ?? undefined) : undefined;
  }

  private pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  private fail(name: string, expected: string, got: JsonValue): never {
    throw new KubeConfigError(`${this.pathOf(name)}: expected ${expected}, got ${typeName(got)}`);
  }
}

/** The type of a JSON value with its article, for messages. */
function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
