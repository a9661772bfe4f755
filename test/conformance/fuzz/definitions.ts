import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import type { Chance } from './chance.js';

type Schema = Record<string, JsonValue>;

const NAMES = ['a', 'b', 'name', 'constructor', '__proto__', 'toString', 'x-y', 'größe'];
const TEXTS = ['', 'a', 'ab', 'aaaa', 'A1', 'x'.repeat(40), 'é', '𝒳', '2024-01-01T00:00:00Z', '10.0.0.1', 'a\nb'];
const PATTERNS = ['^a*$', 'a+b?', '[a-z]{2,5}', '^(a|ab)*c?$', '(?i)^x', '\\d+', 'a?a?a?aaa', '^$', '('];
const FORMATS = ['date-time', 'ipv4', 'byte', 'uuid', 'no-such-format', 'int32', 'duration'];
const VALIDATIONS = 'x-kubernetes-validations';

/** Rules by the type of the value. Some do not compile, some are always broken, some are costly. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  string: ["self != 'ab'", "self.matches('^[a-z]*$')", 'self.size() < 3', 'self + 1 == 2', 'oldSelf == self'],
  integer: ['self < 5', 'self % 2 == 0', '10 / self > 0', 'self.size() > 0'],
  array: ['self.size() < 3', 'self.all(x, x == self[0])', 'self == self.map(x, x)', 'self.exists_one(x, true)'],
  object: ['!has(self.a) || self.a != self.b', 'true', 'false', 'has(self.name)', 'self == oldSelf', 'self.missing'],
};

const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'date'];
/** Steps of paths. Some are not JSONPath. */
const STEPS = ['[*]', '[0]', '[-1]', '[0:2]', '.*', '..', '[?(@.a=="a")]', "['x-y']", '[?(@.b>2)]', '[', '{', "['"];

/** Makes schemas of custom kinds, valid ones mostly, and objects for them. */
export class DefinitionMaker {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** The schema of a version. */
  schema(): Schema {
    return { ...this.#object(3), type: 'object' };
  }

  /** An object for a schema: of its shape for the most part, with values that it accepts or refuses. */
  object(schema: JsonObject): JsonObject {
    const value = this.#value(schema, 4);
    return { ...(typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}) };
  }

  /** The printer columns of a version. */
  columns(): { readonly name: string; readonly type: string; readonly jsonPath: string }[] {
    const { happens, pick } = this.#bound();
    const step = (): string => (happens(0.3) ? pick(STEPS) : `.${pick(NAMES)}`);
    return Array.from({ length: this.#chance.below(4) }, (_, index) => ({
      name: `C${index}`,
      type: pick(COLUMN_TYPES),
      jsonPath: Array.from({ length: 1 + this.#chance.below(4) }, step).join(''),
    }));
  }

  #field(depth: number): Schema {
    const kind = this.#chance.below(depth > 0 ? 8 : 5);
    if (kind < 2) return this.#string();
    if (kind < 4) return this.#number();
    if (kind === 4) return this.#loose();
    return kind < 7 ? this.#object(depth - 1) : this.#list(depth - 1);
  }

  #string(): Schema {
    const { happens, pick } = this.#bound();
    return this.#common('string', {
      type: 'string',
      ...(happens(0.4) ? { maxLength: this.#chance.below(30) } : {}),
      ...(happens(0.4) ? { pattern: pick(PATTERNS.slice(0, happens(0.05) ? undefined : -1)) } : {}),
      ...(happens(0.2) ? { enum: this.#chance.some(TEXTS, 0.5) } : {}),
      ...(happens(0.2) ? { format: pick(FORMATS) } : {}),
      ...(happens(0.2) ? { default: pick(TEXTS) } : {}),
      ...(happens(0.2) ? { anyOf: [{ minLength: 2 }, { pattern: '^a' }] } : {}),
    });
  }

  #number(): Schema {
    const { happens } = this.#bound();
    return this.#common('integer', {
      type: 'integer',
      ...(happens(0.4) ? { maximum: this.#chance.below(8) } : {}),
      ...(happens(0.2) ? { multipleOf: 2 } : {}),
      ...(happens(0.2) ? { default: this.#chance.below(9) } : {}),
      ...(happens(0.2) ? { oneOf: [{ minimum: 3 }, { maximum: 5 }] } : {}),
    });
  }

  #loose(): Schema {
    return this.#chance.happens(0.5)
      ? { 'x-kubernetes-int-or-string': true }
      : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }

  #object(depth: number): Schema {
    const { happens } = this.#bound();
    const names = this.#chance.some(NAMES, 0.5);
    const properties: Schema = {};
    for (const name of names)
      Object.defineProperty(properties, name, { value: this.#field(depth), enumerable: true, configurable: true });
    if (happens(0.15)) return this.#common('object', { type: 'object', additionalProperties: this.#field(depth) });
    return this.#common('object', {
      type: 'object',
      properties,
      ...(happens(0.3) ? { required: this.#chance.some(names, 0.3) } : {}),
      ...(happens(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      ...(happens(0.1) ? { not: { required: ['a', 'b'] } } : {}),
    });
  }

  #list(depth: number): Schema {
    const { happens, pick } = this.#bound();
    const type = pick(['atomic', 'set', 'map', '']);
    const items =
      type === 'map'
        ? { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 20 } } }
        : type === 'set'
          ? { type: 'string', maxLength: 20 }
          : this.#field(depth);
    return this.#common('array', {
      type: 'array',
      items,
      ...(happens(0.6) ? { maxItems: this.#chance.below(6) } : {}),
      ...(type === '' ? {} : { 'x-kubernetes-list-type': type }),
      ...(type === 'map' ? { 'x-kubernetes-list-map-keys': ['name'] } : {}),
    });
  }

  #common(type: string, schema: Schema): Schema {
    const { happens, pick } = this.#bound();
    const rules = RULES[type] ?? [];
    // An item without a bound makes most rules too costly.
    const rule = happens(0.1) ? { [VALIDATIONS]: [{ rule: pick(rules) }] } : {};
    return { ...schema, ...(happens(0.1) ? { nullable: true } : {}), ...rule };
  }

  #value(schema: JsonObject, depth: number): JsonValue {
    const { happens, pick } = this.#bound();
    if (happens(0.05)) return pick<JsonValue>([null, true, 1.5, 'text', [], {}, [null]]);
    const { type, properties, additionalProperties, items } = schema as Record<string, JsonObject | undefined>;
    if (type === ('string' as JsonValue)) return pick(TEXTS);
    if (type === ('integer' as JsonValue)) return this.#chance.below(12) - 1;
    if (type === ('array' as JsonValue)) {
      const length = this.#chance.below(depth > 0 ? 7 : 1);
      return Array.from({ length }, () => this.#value(items ?? {}, depth - 1));
    }
    const value: Record<string, JsonValue> = {};
    for (const [name, property] of Object.entries(properties ?? {}))
      if (happens(0.7))
        Object.defineProperty(value, name, {
          value: this.#value(property as JsonObject, depth - 1),
          enumerable: true,
          configurable: true,
          writable: true,
        });
    if (additionalProperties !== undefined || happens(0.1))
      for (const name of this.#chance.some(['k', 'l', 'constructor'], 0.5))
        value[name] = this.#value(additionalProperties ?? {}, depth - 1);
    return value;
  }

  #bound() {
    return {
      happens: (probability: number) => this.#chance.happens(probability),
      pick: <Item>(options: readonly Item[]): Item => this.#chance.pick(options),
    };
  }
}
