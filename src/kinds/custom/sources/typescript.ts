import {
  apiVersionOf,
  compareVersions,
  isArray,
  isJsonObject,
  jsonText,
  orch,
  ownMember,
  shown,
  stringOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { schemaExtensions } from '../../../machinery/index.js';
import { DEFINITION_KIND, inDialect } from './definition-dialect.js';
import { camelCase, comment, literal, memberKey, unionDeclaration } from './typescript-text.js';

/** The dialect whose vendor extensions the schemas have after reading. Any included one does. */
const DIALECT = orch;
const EXTENSIONS = schemaExtensions(DIALECT.openApi.extensionPrefix);

/** Fields that every object has. */
const COMMON: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
};

/** Maximum length of a union that has no name. */
const MAX_INLINE_UNION = 60;

/**
 * Returns TypeScript types of the objects that custom resource definitions declare: an interface for each version, such
 * as `V1Widget`, and one for each object within it. Descriptions become comments, enumerations become unions. The same
 * definitions give the same module.
 *
 * @param definitions a definition or several, as objects; vendor extensions of every included dialect are accepted. They
 *   need not be valid
 * @returns a module that imports `ObjectMeta`
 * @throws TypeError for an object that is not a definition
 */
export function crdToTypescript(definitions: object): string {
  const list = (Array.isArray(definitions) ? definitions : [definitions]) as readonly JsonValue[];
  const module = new TypesModule();
  for (const definition of list) {
    if (!isJsonObject(definition) || definition['kind'] !== DEFINITION_KIND)
      throw new TypeError(`crdToTypescript: the argument must be a ${DEFINITION_KIND}, got ${shown(definition)}`);
    module.add(inDialect(definition, DIALECT));
  }
  return module.text;
}

/** The text of a type. */
interface TypeText {
  readonly text: string;
  /** Whether it is a union of several types, and needs parentheses as the element of a list. */
  readonly isUnion: boolean;
}

const one = (text: string): TypeText => ({ text, isUnion: false });
const union = (members: readonly string[]): TypeText => ({ text: members.join(' | '), isUnion: members.length > 1 });

/** The declarations of a module. */
class TypesModule {
  readonly #names = new Set<string>(['ObjectMeta']);
  readonly #declarations: string[] = [];

  get text(): string {
    return `import type { ObjectMeta } from 'orch-apiserver';\n\n${this.#declarations.join('\n')}`;
  }

  add({ spec }: JsonObject): void {
    const fields = objectIn(spec);
    const kind = stringOrEmpty(objectIn(fields['names'])['kind']);
    const versions = isArray(fields['versions']) ? fields['versions'].filter(isJsonObject) : [];
    const sorted = [...versions].sort((a, b) => compareVersions(stringOrEmpty(a['name']), stringOrEmpty(b['name'])));
    for (const version of sorted) this.#addVersion(version, stringOrEmpty(fields['group']), kind);
  }

  #addVersion(version: JsonObject, group: string, kind: string): void {
    const name = stringOrEmpty(version['name']);
    const schema = objectIn(objectIn(version['schema'])['openAPIV3Schema']);
    const apiVersion = apiVersionOf(group, name);
    const heads = [
      `  apiVersion: ${literal(apiVersion)};\n`,
      `  kind: ${literal(kind)};\n`,
      '  metadata: ObjectMeta;\n',
    ];
    const known = version['schema'] === undefined ? { ...schema, [EXTENSIONS.preserveUnknownFields]: true } : schema;
    const description = stringOrEmpty(schema['description']);
    const notes = [
      description === '' ? `The kind ${kind} of ${apiVersion}.` : description,
      ...(version['deprecated'] === true
        ? [`@deprecated ${stringOrEmpty(version['deprecationWarning'])}`.trimEnd()]
        : []),
    ];
    this.#declareObject(this.#freeName(camelCase(name) + camelCase(kind)), known, heads, notes);
  }

  /** Declares the interface of an object. The interfaces within it follow. */
  #declareObject(name: string, schema: JsonObject, heads: readonly string[], notes: readonly string[]): void {
    const position = this.#declarations.length;
    this.#declarations.push('');
    const required = isArray(schema['required']) ? schema['required'] : [];
    const members = [...heads];
    for (const [key, property] of Object.entries(objectIn(schema['properties']))) {
      if (heads.length > 0 && COMMON.has(key)) continue;
      const fields = objectIn(property);
      const type = this.#typeOf(fields, name + camelCase(key));
      const optional = required.includes(key) ? '' : '?';
      members.push(`${comment(notesOf(fields), '  ')}  ${memberKey(key)}${optional}: ${type.text};\n`);
    }
    if (schema[EXTENSIONS.preserveUnknownFields] === true) members.push('  [field: string]: unknown;\n');
    this.#declarations[position] = `${comment(notes, '')}export interface ${name} {\n${members.join('')}}\n`;
  }

  #typeOf(schema: JsonObject, name: string): TypeText {
    const type = this.#plainTypeOf(schema, name);
    return schema['nullable'] === true && type.text !== 'unknown' ? union([type.text, 'null']) : type;
  }

  #plainTypeOf(schema: JsonObject, name: string): TypeText {
    if (schema[EXTENSIONS.intOrString] === true) return union(['number', 'string']);
    const { enum: values, type } = schema;
    if (isArray(values) && values.some((value) => value !== null)) return this.#enumeration(values, name);
    if (type === 'object') return one(this.#objectType(schema, name));
    if (type === 'array') {
      const item = this.#typeOf(objectIn(schema['items']), `${name}Item`);
      return one(`${item.isUnion ? `(${item.text})` : item.text}[]`);
    }
    return one((typeof type === 'string' ? ownMember(SCALARS, type) : undefined) ?? 'unknown');
  }

  #enumeration(values: readonly JsonValue[], name: string): TypeText {
    const members = [...new Set(values.filter((value) => value !== null).map(literal))];
    const inline = union(members);
    if (inline.text.length <= MAX_INLINE_UNION) return inline;
    const declared = this.#freeName(name);
    this.#declarations.push(unionDeclaration(declared, members));
    return one(declared);
  }

  #objectType(schema: JsonObject, name: string): string {
    const { properties, additionalProperties } = schema;
    const isEmbedded = schema[EXTENSIONS.embeddedResource] === true;
    if (isEmbedded || (isJsonObject(properties) && Object.keys(properties).length > 0)) {
      const declared = this.#freeName(name);
      const heads = isEmbedded ? ['  apiVersion: string;\n', '  kind: string;\n', '  metadata?: ObjectMeta;\n'] : [];
      this.#declareObject(declared, schema, heads, notesOf(schema));
      return declared;
    }
    if (isJsonObject(additionalProperties))
      return `Record<string, ${this.#typeOf(additionalProperties, `${name}Value`).text}>`;
    const isOpen = additionalProperties === true || schema[EXTENSIONS.preserveUnknownFields] === true;
    return isOpen ? 'Record<string, unknown>' : 'Record<string, never>';
  }

  /** Returns a name that no other declaration has. */
  #freeName(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#names.has(name); number += 1) name = `${wanted}${number}`;
    this.#names.add(name);
    return name;
  }
}

function notesOf(schema: JsonObject): string[] {
  const { description, default: fallback } = schema;
  return [
    ...(typeof description === 'string' && description !== '' ? [description] : []),
    ...(fallback === undefined ? [] : [`@default ${jsonText(fallback)}`]),
  ];
}

const objectIn = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
